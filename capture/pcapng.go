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
)

// pcapTrace writes crossings as packets.
type pcapTrace struct {
	*observer
	out    *pcapgo.NgWriter `snapshot:"-"`
	packet []byte           `snapshot:"-"` // room for a flit
	err    error            `snapshot:"-"` // the first failure
}

func newPcapng(o *observer, w io.Writer) (sink, error) { return newPcapTrace(o, w) }

func newPcapTrace(o *observer, w io.Writer) (*pcapTrace, error) {
	t := &pcapTrace{observer: o, packet: make([]byte, flitlayer.SizeOf(o.net.Machine.Width))}
	return t, t.declare(w, o.net.Topology)
}

// declare writes the file's start: what it is, and an interface for each link.
func (t *pcapTrace) declare(w io.Writer, network *topology.Topology) error {
	options := pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{
		Application: "meshwright", Comment: escape.Line(network.String()) + ", a cycle is 1 ns",
	}}
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

// Update writes the crossings of the cycle. A failed write is reported by finish.
func (t *pcapTrace) Update(s fabric.Signals) {
	t.lookAtLinks(s)
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
		}
		f.Put(t.packet)
		t.err = t.out.WritePacket(gopacket.CaptureInfo{
			Timestamp: time.Unix(0, int64(s.Now())), CaptureLength: len(t.packet), Length: len(t.packet), InterfaceIndex: c.Link,
		}, t.packet)
	}
}

func (t *pcapTrace) finish() error { return t.flush() }

func (t *pcapTrace) flush() error {
	if t.err != nil {
		return t.err
	}
	return t.out.Flush()
}
