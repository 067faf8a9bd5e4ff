// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"maps"
	"slices"

	"meshwright/fabric/code"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// A cycle of a network with faults has two steps more. When it is decided which
// flits cross links, strike asks the faults for each: a head may lose its worm, a
// flit may get other bits. Components see the flits as the senders show them;
// then corrupt changes the words, so that everything behind the link sees the
// changed ones.

// Strike is the effect of a fault on a flit that crosses a link.
type Strike struct {
	Offer router.Offer
	Lost  fault.Cause // of a head: why its whole worm is lost; else Sound
	Flips code.Bits   // bits of the payload that the link inverts
	Upset code.Bits   // bits of the stored payload that the buffer behind the link inverts

	changed code.Bits // bits of the payload that are wrong behind the buffer because of its upset
}

// Losses counts what faults have done. A message counts as lost when its head is.
type Losses struct {
	Dead    int // messages lost at dead links and nodes
	Dropped int // messages that links dropped
	Flits   int // flits of lost messages that have vanished
	Flipped int // flits whose payload links changed, each link on its own
}

// Messages returns the number of messages lost.
func (l *Losses) Messages() int { return l.Dead + l.Dropped }

// Lossy is a link that has lost messages.
type Lossy struct {
	From, To router.NodeID
	Messages int
}

// faults is the state of faults in a network.
type faults struct {
	list    *fault.Faults `snapshot:"start"`
	strikes []Strike      `snapshot:"-"` // of the present cycle
	losses  Losses
	dead    map[uint64]int // messages lost at dead links, by the key of the link
	dropped map[uint64]int // messages that links dropped
	upsets  upsets
}

// linkKey is a directed link as a number, as checkpoints keep it.
func linkKey(from, to router.NodeID) uint64 { return uint64(from)<<32 | uint64(to) }

// FaultsOn returns the faults of a list on a machine, which is resolved; nil without a list. Its errors are *input.Error.
func FaultsOn(t *topology.Topology, m *machine.Machine, list *fault.List) (*fault.Faults, error) {
	if list == nil {
		return nil, nil
	}
	on, err := list.On(t, m.Ticks(), m.Width, m.StoredBits())
	if err == nil && m.Header == machine.HeadFlit && on.ChangesFlits() {
		return nil, input.Errorf("expected header wires, or faults that lose whole messages", "header flit, and faults that flip bits: a header would lead astray")
	}
	return on, err
}

// newFaults returns the state of the faults of a list on a network; nil without a list.
func newFaults(n *Network, list *fault.List) (*faults, error) {
	on, err := FaultsOn(n.Topology, &n.Machine, list)
	if on == nil || err != nil {
		return nil, err
	}
	return &faults{list: on, dead: map[uint64]int{}, dropped: map[uint64]int{}, upsets: newUpsets(on)}, nil
}

// strike decides what faults do to the flits that cross links in this cycle.
func (n *Network) strike() {
	f := n.faults
	if f == nil {
		return
	}
	f.strikes = f.strikes[:0]
	f.upsets.begin()
	for o := range n.bank.Offers {
		if !o.Fired {
			continue
		}
		f.upsets.leave(o)
		if int(o.Port) >= n.Topology.Ports(o.Node) {
			continue
		}
		if s := n.strikeAt(o); s.Lost != fault.Sound || s.Flips.Any() || s.Upset.Any() {
			f.strikes = append(f.strikes, s)
		}
	}
}

// strikeAt decides what faults do to a flit that crosses its link.
func (n *Network) strikeAt(o router.Offer) Strike {
	f, to, now := n.faults, n.Topology.Neighbor(o.Node, o.Port), n.bank.Now()
	s := Strike{Offer: o}
	if o.Flit.Flags&router.Head != 0 {
		s.Lost = f.list.Loses(o.Node, to, now)
	}
	switch s.Lost {
	case fault.Dead:
		f.losses.Dead++
		f.dead[linkKey(o.Node, to)]++
	case fault.Dropped:
		f.losses.Dropped++
		f.dropped[linkKey(o.Node, to)]++
	}
	if s.Lost != fault.Sound {
		n.bank.Lose(o)
	}
	if n.bank.Loses(o) {
		f.losses.Flits++
		return s
	}
	if s.Flips = f.list.Flips(o.Node, to, now); s.Flips.Any() {
		f.losses.Flipped++
	}
	if f.upsets.on && n.stores(o.Flit, to) {
		s.Upset = f.list.Upsets(o.Node, to, now)
		s.changed = f.upsets.enter(o.Flit, s.Upset, &n.Machine)
	}
	return s
}

// corrupt changes the words of the flits that have been struck in this cycle.
func (n *Network) corrupt() {
	if n.faults == nil {
		return
	}
	for i := range n.faults.strikes {
		if s := &n.faults.strikes[i]; s.Flips != s.changed {
			n.nic.flip(s.Offer.Flit, s.Flips.Xor(s.changed))
		}
	}
}

// flip inverts bits of a flit's word. A message without content gets one.
func (c *interfaces) flip(f router.Flit, bits code.Bits) {
	if length := int(c.net.bank.Worm(f.Worm).Length) * c.elements; len(c.words[f.Worm]) < length {
		c.words[f.Worm] = make([]uint32, length)
	}
	word := c.words[f.Worm][int(f.Seq)*c.elements:][:c.elements]
	for i := range word {
		word[i] ^= bits[i]
	}
}

// Strikes returns what faults do to the flits of this cycle, in Update.
func (s Signals) Strikes() []Strike {
	if s.n.faults == nil {
		return nil
	}
	return s.n.faults.strikes
}

// Faults returns the faults of the network, nil without.
func (n *Network) Faults() *fault.Faults {
	if n.faults == nil {
		return nil
	}
	return n.faults.list
}

// Losses returns what faults have done so far.
func (n *Network) Losses() Losses {
	if n.faults == nil {
		return Losses{}
	}
	return n.faults.losses
}

// LostAt lists the links that have lost messages for a cause, in rising order.
func (n *Network) LostAt(cause fault.Cause) []Lossy {
	if n.faults == nil {
		return nil
	}
	lost := map[fault.Cause]map[uint64]int{fault.Dead: n.faults.dead, fault.Dropped: n.faults.dropped}[cause]
	var list []Lossy
	for _, key := range slices.Sorted(maps.Keys(lost)) {
		list = append(list, Lossy{router.NodeID(key >> 32), router.NodeID(uint32(key)), lost[key]})
	}
	return list
}
