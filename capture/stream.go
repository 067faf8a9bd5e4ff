// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"io"

	"meshwright/fabric"
)

// Stream is a monitor that writes packets while the run goes on, in the form of
// .pcapng files: what crossed links in a cycle is written at the end of that cycle.
type Stream struct {
	*pcapTrace
	failed func(error)
}

// NewStream begins a stream of a network's run. Attach it before the first
// cycle. The start of the stream, with an interface for each link, is written
// at once. The first write that fails is told to failed, and nothing is
// written after it.
func NewStream(w io.Writer, net *fabric.Network, opts Options, failed func(error)) (*Stream, error) {
	opts, err := opts.resolve(net, byNumber(net))
	if err != nil {
		return nil, err
	}
	t, err := newPcapTrace(newObserver(net, opts), w)
	if err != nil {
		return nil, err
	}
	return &Stream{t, failed}, t.flush()
}

// Update writes the crossings of the cycle.
func (s *Stream) Update(signals fabric.Signals) {
	if s.err != nil {
		return
	}
	s.pcapTrace.Update(signals)
	if len(s.crossings) > 0 && s.err == nil {
		s.err = s.flush()
	}
	if s.err != nil {
		s.failed(s.err)
	}
}
