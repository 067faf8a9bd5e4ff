// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

// requireShares demands that no link is busy for longer than the time.
func requireShares(t *testing.T, links []LinkUse, time router.Cycle, describe func() string) {
	t.Helper()
	for _, use := range links {
		if share := fabric.Share(use.Busy, time); share < 0 || share > 1 {
			t.Fatalf("busy %d of %d\n%s", use.Busy, time, describe())
		}
	}
}

// busyCycles counts the cycles in which rows want each link.
func (w *twin) busyCycles(s *schedule.Schedule) []LinkUse {
	w.pairs(s)
	use := make([]LinkUse, len(w.t.Links()))
	for i, link := range w.t.Links() {
		for what, rows := range w.uses {
			if what.rule == router.LinkConflict && what.id == 1000*int(link.From)+int(link.FromPort) {
				use[i].Busy++
				use[i].Flits += uint64(len(rows))
			}
		}
		use[i].Flits /= uint64(w.m.Flit)
	}
	return use
}

// Of worms, colliding or not, a link is busy in the cycles in which any wants it.
func TestLinksAreBusyOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	topologies := randomTopologies(t)
	colliding := 0
	for range 1500 {
		top, m := topologies[r.IntN(len(topologies))], randomMachine(r)
		w := newTwin(top, m)
		s := draftSchedule(r, w, false)
		text := func() string { return describe(top, m, s) }
		got, err := Check(s, top, m, withStripe(1+r.IntN(3)))
		require.NoError(t, err, text())
		require.Equal(t, w.busyCycles(s), got.Links, text())
		requireShares(t, got.Links, got.Cycles, text)
		if !got.OK {
			colliding++
		}
	}
	require.Greater(t, colliding, 300)
}

// Ten worms on one link at once: it is busy for as long as one.
func TestACrowdedLinkIsBusyAllTheTime(t *testing.T) {
	path, err := topology.Parse("path:2")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	s := &schedule.Schedule{}
	for i := range 10 {
		s.Rows = append(s.Rows, schedule.Row{Message: int32(i), Source: 0, Destination: 1, Flits: 5})
	}
	r, err := Check(s, path, m)
	require.NoError(t, err)
	require.Equal(t, LinkUse{Flits: 50, Busy: 5}, r.Links[r.Hottest])
	require.EqualValues(t, 6, r.Cycles)
}

// The slow link 1>2 has fewer flits than 0>1, and is busy for longer.
func TestTheHottestLinkIsBusyForLongest(t *testing.T) {
	top, s := parse(t, "path:3", "1,0,1,6,20 2,0,2,3,0")
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	require.NoError(t, m.Set("links", "1-2,flit=4"))
	m.Buffer = 16
	r, err := Check(s, top, m)
	require.NoError(t, err)
	require.True(t, r.OK, r.First)
	require.Equal(t, router.NodeID(1), top.Links()[r.Hottest].From)
	require.Equal(t, uint64(3), r.Links[r.Hottest].Flits)
}
