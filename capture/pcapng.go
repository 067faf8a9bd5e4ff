// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"fmt"
	"io"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/pcapgo"

	"meshwright/capture/flitlayer"
	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/router"
)

// pcapTrace writes crossings as packets.
type pcapTrace struct {
	*observer
	out    *pcapgo.NgWriter       `snapshot:"-"`
	packet []byte                 `snapshot:"-"` // room for a flit
	placed map[int32]router.Cycle // by serial number: when the first flit of a message entered an injection register that it has not left
	err    error                  `snapshot:"-"` // the first failure
}

func newPcapng(o *observer, w io.Writer) (sink, error) { return newPcapTrace(o, w) }

func newPcapTrace(o *observer, w io.Writer) (*pcapTrace, error) {
	t := &pcapTrace{observer: o, packet: make([]byte, flitlayer.SizeOf(o.net.Machine.Width)+flitlayer.WaitedSize), placed: map[int32]router.Cycle{}}
	return t, t.declare(w, o.net.Topology)
}

// declare writes the file's start: what it is, and an interface for each link.
func (t *pcapTrace) declare(w io.Writer, network *topology.Topology) error {
	options := pcapgo.NgWriterOptions{SectionInfo: t.section(network)}
	links := network.Links()
	if len(links) == 0 {
		// A pcapng file needs an interface; this one stays without packets.
		links = []topology.Link{{}}
	}
	for i, link := range links {
		described := pcapgo.NgInterface{
			Name:     fmt.Sprintf("%d>%d", link.From, link.To),
			LinkType: flitlayer.LinkType, TimestampResolution: 9, SnapLength: uint32(len(t.packet)),
		}
		var err error
		if i == 0 {
			t.out, err = pcapgo.NewNgWriterInterface(w, described, options)
		} else {
			_, err = t.out.AddInterface(described)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// section says what the file is: for people in the comment, and for a program that reads the run back as the hardware.
func (t *pcapTrace) section(network *topology.Topology) pcapgo.NgSectionInfo {
	comment := fmt.Sprintf("%s, a cycle is %d ns", escape.Line(network.String()), t.net.Machine.Ticks())
	if !t.whole() {
		comment += ", a window of the run"
	}
	about := flitlayer.About{Machine: t.net.Machine, Topology: network.String(), Window: !t.whole()}
	return pcapgo.NgSectionInfo{Application: "meshwright", Comment: comment, Hardware: about.String()}
}

// whole reports whether the capture has all cycles and all links.
func (t *pcapTrace) whole() bool { return t.opts.From == 0 && t.opts.Until == 0 && t.opts.Nodes == nil }

// forget drops the first flits that leave their injection registers, also those that the capture does not show.
func (t *pcapTrace) forget(s fabric.Signals) {
	for offer := range s.Offers() {
		if offer.Fired && offer.Flit.Flags&router.Head != 0 {
			if w := s.Worm(offer.Flit); w.Source == offer.Node {
				delete(t.placed, w.Message)
			}
		}
	}
}

// note keeps when first flits entered injection registers.
func (t *pcapTrace) note(s fabric.Signals) {
	for _, p := range s.Placed() {
		if p.Flit.Flags&router.Head != 0 {
			t.placed[s.Worm(p.Flit).Message] = s.Now()
		}
	}
}

// waited returns for how long a first flit stood in its injection register, 0 for any other flit.
func (t *pcapTrace) waited(c *crossing, now router.Cycle) uint64 {
	if !c.Head || c.From != c.Source {
		return 0
	}
	from, ok := t.placed[c.Serial]
	if !ok {
		return 0
	}
	delete(t.placed, c.Serial)
	return uint64(now - from)
}

// Update writes the crossings of the cycle. A failed write is reported by finish.
func (t *pcapTrace) Update(s fabric.Signals) {
	t.lookAtLinks(s)
	t.note(s)
	if !t.whole() {
		defer t.forget(s)
	}
	if !t.opts.inWindow(s.Now()) {
		return
	}
	for i := range t.crossings {
		if t.err != nil {
			return
		}
		c := &t.crossings[i]
		f := flitlayer.Flit{
			Kind: c.Kind, Head: c.Head, Tail: c.Tail, VC: c.VC, Source: c.Source, Destination: c.Destination,
			Message: c.Message, Index: c.Flit, Length: c.Length, From: c.From, To: c.To, Value: c.Value, Upper: c.Upper,
			Waited: t.waited(c, s.Now()),
		}
		packet := t.packet[:f.Size()]
		f.Put(packet)
		t.err = t.out.WritePacket(gopacket.CaptureInfo{
			Timestamp: time.Unix(0, int64(s.Now())), CaptureLength: len(packet), Length: len(packet), InterfaceIndex: c.Link,
		}, packet)
	}
}

func (t *pcapTrace) finish() error { return t.flush() }

func (t *pcapTrace) flush() error {
	if t.err != nil {
		return t.err
	}
	return t.out.Flush()
}
