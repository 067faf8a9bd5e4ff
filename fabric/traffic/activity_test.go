// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/router"
)

// kept measures with all counts of chips and links.
func kept(t *testing.T, n *fabric.Network, s *Source, phases Phases) *Result {
	t.Helper()
	r, err := Measure(t.Context(), n, s, phases, Keep{Activity: true})
	require.NoError(t, err)
	require.Len(t, r.Activity, n.Topology.Nodes())
	require.Len(t, r.LinkFlow, len(n.Topology.Links()))
	return r
}

// total sums the counts of all chips and of all links.
func total(r *Result) (chips Activity, links LinkFlow) {
	for _, a := range r.Activity {
		chips.Injected += a.Injected
		chips.Ejected += a.Ejected
		chips.Written += a.Written
		chips.Read += a.Read
		chips.Sent += a.Sent
	}
	for _, f := range r.LinkFlow {
		links.Flits += f.Flits
		links.Packets += f.Packets
	}
	return chips, links
}

// Of a trace every flit is counted from end to end: it crosses as many links as its route has, is written and read behind
// each, and crosses a crossbar more than links. The counts of a link are its flits by virtual channel, and the ones of the chip that sends.
func TestActivityIsFlitsTimesHops(t *testing.T) {
	for _, row := range []struct {
		spec     string
		apart    int // cycles from one packet to the next
		settings []string
	}{
		{"mesh:4x4", 1, nil},
		{"mesh:4x4", 1, []string{"vcs", "3", "nic.channels", "links"}},
		{"torus:4x4", 1, []string{"vcs", "4", "hop", "3", "flit", "2"}},
		{"mesh:4x4", 1, []string{"routing", "adaptive", "vcs", "2"}},
		{"mesh:4x4", 1, []string{"header", "flit"}},
		{"mesh:4x4", 100, []string{"switching", "store-forward", "ports", "single", "setup", "3/2"}},
		{"mesh:4x4", 1, []string{"switching", "cut-through", "ports", "single", "flit", "2"}},
	} {
		n := on(t, row.spec, row.settings...)
		trace := &Trace{nodes: 16}
		flits, crossed := uint64(0), uint64(0)
		for i := range 200 {
			p := packet{source: router.NodeID(i % 16), destination: router.NodeID((i*7 + 1 + i/16) % 16), flits: int32(1 + i%8), generated: router.Cycle(row.apart * i * n.Machine.Ticks())}
			if p.source == p.destination {
				continue
			}
			trace.packets = append(trace.packets, p)
			size := uint64(n.Machine.WithHeader(int(p.flits)))
			flits += size
			crossed += size * uint64(n.Distance(p.source, p.destination))
		}
		for node := range 16 {
			trace.sources = append(trace.sources, router.NodeID(node))
		}
		r := kept(t, n, trace.Source(n.Machine.Ticks()), Phases{})
		require.NoError(t, r.Deadlock)
		chips, links := total(r)
		require.Equal(t, Activity{Injected: flits, Ejected: flits, Written: crossed, Read: crossed, Sent: crossed}, chips, row)
		require.Equal(t, crossed+flits, chips.Crossbar())
		require.Equal(t, crossed, links.Flits, row)
		sent := make([]uint64, 16)
		for _, f := range r.LinkFlow {
			byVC := uint64(0)
			for _, flits := range f.VCs {
				byVC += flits
			}
			require.Equal(t, f.Flits, byVC, row)
			sent[f.Link.From] += f.Flits
		}
		for node, a := range r.Activity {
			require.Equal(t, sent[node], a.Sent)
		}
	}
}

// The counts are of the measurement alone. What goes into a chip comes out of it, but for the flits that its buffers hold at the ends.
func TestActivityIsOfTheMeasurement(t *testing.T) {
	n, l := network(t, "mesh:4x4", 2), load(t, "uniform", "mesh:4x4", 0.3)
	s, err := l.Source(n.Topology, n.Machine.Ticks())
	require.NoError(t, err)
	r := kept(t, n, s, Phases{WarmUp: 500, Measure: 2000, Drain: 10_000})
	chips, links := total(r)
	require.Equal(t, chips.Sent, links.Flits)
	require.Equal(t, chips.Sent, chips.Written)
	require.InDelta(t, r.Accepted*2000*16, float64(chips.Ejected), 0.5)
	most := 0.0
	for node, a := range r.Activity {
		require.Equal(t, a.Read+a.Injected, a.Crossbar())
		room := float64(4 * 2 * (n.Topology.Ports(router.NodeID(node)) + 1))
		require.InDelta(t, float64(a.Written), float64(a.Read), room)
	}
	for _, f := range r.LinkFlow {
		require.LessOrEqual(t, f.Busy+f.Blocked, uint64(2000))
		require.InDelta(t, float64(f.Flits)/8, float64(f.Packets), 2)
		most = max(most, float64(f.Busy)/2000)
	}
	require.InDelta(t, r.Links.Most, most, 1e-12)
}

// A flit that a dead link loses is sent, and never written.
func TestLostFlitsAreNotWritten(t *testing.T) {
	n := faulty(t, "path:3", "link,1-2")
	trace := &Trace{nodes: 3, sources: []router.NodeID{0}, packets: []packet{{source: 0, destination: 2, flits: 4}}}
	r := kept(t, n, trace.Source(1), Phases{})
	require.Equal(t, []Activity{{Injected: 4, Sent: 4}, {Written: 4, Read: 4, Sent: 4}, {}}, r.Activity)
}

// Counting changes no figure.
func TestCountsChangeNothing(t *testing.T) {
	var results [2]*Result
	for i := range results {
		n, l := network(t, "torus:4x4", 2), load(t, "uniform", "torus:4x4", 0.3)
		s, err := l.Source(n.Topology, n.Machine.Ticks())
		require.NoError(t, err)
		results[i], err = Measure(t.Context(), n, s, Phases{WarmUp: AutoWarmUp, Measure: 2000, Drain: 10_000}, Keep{LinkUse: true, Activity: i == 1})
		require.NoError(t, err)
	}
	results[1].Activity = nil
	for i := range results[1].LinkFlow {
		results[1].LinkFlow[i].Packets, results[1].LinkFlow[i].VCs = 0, nil
	}
	require.Equal(t, results[0], results[1])
}
