// SPDX-License-Identifier: Apache-2.0

package router

// This file shows the virtual channels of all links to those who ask which of them
// messages can hold, and for which they can wait: package deadlock.

// Channel numbers the virtual channels of all links, those of a chip's outgoing links
// in a row: the buffer behind the link, and the claim of it before the link.
type Channel int32

// LinkChannels returns how many virtual channels the links have, those of unconnected
// ports included.
func (b *Bank) LinkChannels() int { return int(b.linkInputs) }

// ChannelsOf returns the first channel of chip n's outgoing links, and the end of them.
func (b *Bank) ChannelsOf(n NodeID) (first, end Channel) {
	vcs := int32(b.cfg.VCs)
	return Channel(b.cfg.PortBase[n] * vcs), Channel(b.cfg.PortBase[n+1] * vcs)
}

// ChannelAt returns the chip that sends into a channel, the port of the link, and the
// virtual channel's number there.
func (b *Bank) ChannelAt(c Channel) (NodeID, Port, VC) {
	chip, vcs := b.chipOf(int32(c)), int32(b.cfg.VCs)
	return NodeID(chip), Port(int32(c)/vcs - b.cfg.PortBase[chip]), VC(int32(c) % vcs)
}

// Enter appends the channels of which the head of a worm may claim one at its source.
func (b *Bank) Enter(list []Channel, w *Worm) []Channel {
	return b.appendNext(list, b.linkInputs+b.channelBase[w.Source], w, 0)
}

// Onward appends the channels of which the head of a worm may claim one when it is in
// channel c and has crossed so many links; none where it has arrived.
func (b *Bank) Onward(list []Channel, c Channel, w *Worm, hop uint32) []Channel {
	return b.appendNext(list, b.behind[c], w, hop)
}

// Escapes reports whether a channel is an escape channel of adaptive routing.
func (b *Bank) Escapes(c Channel) bool {
	return b.chooser != nil && int(c)%b.cfg.VCs < b.chooser.escapes()
}

// appendNext appends the link outputs that worm w may take from input i.
func (b *Bank) appendNext(list []Channel, i int32, w *Worm, hop uint32) []Channel {
	if b.chooser != nil && NodeID(b.chipOf(i)) != w.Destination {
		for _, o := range b.appendChoices(nil, i, w) {
			list = append(list, Channel(o))
		}
		return list
	}
	o := b.outputFor(i, w, hop, b.vcAt(i, w))
	switch {
	case o >= b.linkInputs:
	case b.cfg.Classes > 0:
		for _, o := range b.appendClass(nil, o) {
			list = append(list, Channel(o))
		}
	default:
		list = append(list, Channel(o))
	}
	return list
}
