// SPDX-License-Identifier: Apache-2.0

package check

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

// randomTopologies are small networks of every kind.
func randomTopologies(t testing.TB) []*topology.Topology {
	specs := []string{
		"path:2", "path:5", "path:9", "ring:3", "ring:4", "ring:7", "mesh:3x3", "mesh:5x2", "mesh:2x3x2",
		"torus:3x3", "torus:4x3", "torus:5x2", "hypercube:3",
	}
	dir := t.TempDir()
	save := func(kind, name, header string, rows ...string) {
		path := filepath.Join(dir, name+".csv")
		require.NoError(t, os.WriteFile(path, []byte(header+"\n"+strings.Join(rows, "\n")+"\n"), 0o644))
		specs = append(specs, kind+":"+path)
	}
	save("tree", "star", "node,parent", "1,0", "2,0", "3,0", "4,0")
	save("tree", "spider", "node,parent", "1,0", "2,1", "3,2", "4,0", "5,4", "6,5", "7,0")
	save("tree", "caterpillar", "node,parent", "0,3", "1,3", "2,4", "4,3", "5,4", "6,5", "7,6", "8,5", "9,6")
	save("tree", "binary", "node,parent", "1,0", "2,0", "3,1", "4,1", "5,2", "6,2", "7,3", "8,3")
	save("graph", "petersen", "node,node", "0,1", "1,2", "2,3", "3,4", "4,0", "0,5", "1,6", "2,7", "3,8", "4,9", "5,7", "7,9", "9,6", "6,8", "8,5")
	save("graph", "lollipop", "node,node", "0,1", "1,2", "2,0", "2,3", "3,4")
	var list []*topology.Topology
	for _, spec := range specs {
		top, err := topology.Parse(spec)
		require.NoError(t, err)
		list = append(list, top)
	}
	return list
}

// randomMachine returns a bufferless machine; every second one has all times 1.
func randomMachine(r *rand.Rand) machine.Machine {
	m, _ := machine.Preset("bufferless")
	m.Ports = []machine.Regime{machine.AllPort, machine.SinglePort}[r.IntN(2)]
	m.Channels = r.IntN(2)
	if r.IntN(4) == 0 {
		m.Duplex = machine.Half
	}
	if r.IntN(2) == 0 {
		m.Hop, m.Flit = 1+r.IntN(3), 1+r.IntN(3)
	}
	if r.IntN(4) == 0 {
		m.Startup = r.IntN(5)
	}
	return sometimesHeaderFlit(r, m)
}

// sometimesHeaderFlit gives every third machine header flits that have room for long routes.
func sometimesHeaderFlit(r *rand.Rand, m machine.Machine) machine.Machine {
	if r.IntN(3) == 0 {
		m.Header, m.Width = machine.HeadFlit, 128
	}
	return m
}

// randomRow returns a message; with routes some take a walk of their own, which
// may come back to a node or turn on its heel.
func randomRow(r *rand.Rand, t *topology.Topology, m machine.Machine, number int, horizon int, routes bool) schedule.Row {
	row := schedule.Row{Message: int32(number), Flits: 1 + r.IntN(1+r.IntN(6)), Dispatch: router.Cycle(m.Startup + r.IntN(horizon))}
	row.Source = router.NodeID(r.IntN(t.Nodes()))
	row.Destination = router.NodeID((int(row.Source) + 1 + r.IntN(t.Nodes()-1)) % t.Nodes())
	if m.Startup > 0 && r.IntN(40) == 0 {
		row.Dispatch = router.Cycle(r.IntN(m.Startup))
	}
	if !routes || r.IntN(2) == 0 {
		return row
	}
	row.Route = []router.NodeID{row.Source}
	at := row.Source
	for steps := 1 + r.IntN(8); steps > 0 || at == row.Source; {
		if to := t.Neighbor(at, router.Port(r.IntN(t.Ports(at)))); to != router.None {
			row.Route, at = append(row.Route, to), to
			steps--
		}
	}
	row.Destination = at
	return row
}

// randomSchedule returns a schedule without collisions when calm, else with.
func randomSchedule(r *rand.Rand, w *twin, calm bool) *schedule.Schedule {
	for {
		if s := draftSchedule(r, w, calm); calm == (len(w.pairs(s)) == 0) {
			return s
		}
	}
}

// draftSchedule returns a schedule; when calm, rows that would collide with
// those before are left out.
func draftSchedule(r *rand.Rand, w *twin, calm bool) *schedule.Schedule {
	s := &schedule.Schedule{File: "random"}
	routes := r.IntN(3) == 0
	horizon := 1 + r.IntN(60)
	for range 1 + r.IntN(14) {
		s.Rows = append(s.Rows, randomRow(r, w.t, w.m, len(s.Rows), horizon, routes))
		if calm && len(w.pairs(s)) > 0 {
			s.Rows = s.Rows[:len(s.Rows)-1]
		}
	}
	if len(s.Rows) == 0 {
		s.Rows = append(s.Rows, schedule.Row{Destination: 1, Flits: 1, Dispatch: router.Cycle(w.m.Startup)})
		s.Rows[0].Destination = w.t.Neighbor(0, w.net.Next(0, 1))
	}
	return s
}

func describe(t *topology.Topology, m machine.Machine, s *schedule.Schedule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t)
	for _, k := range machine.Keys() {
		fmt.Fprintf(&b, "%s=%s ", k.Name, k.Get(&m))
	}
	b.WriteByte('\n')
	s.Write(&b)
	return b.String()
}

var randomRuns = flag.Int("runs", 2000, "random schedules to compare with the slow twin, and to run on the model")

func TestCheckAgreesWithItsTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	topologies := randomTopologies(t)
	colliding := 0
	runs := *randomRuns
	for i := range runs {
		top, m := topologies[r.IntN(len(topologies))], randomMachine(r)
		w := newTwin(top, m)
		s := randomSchedule(r, w, i%2 == 0)
		got, err := Check(s, top, m, withBatch(1+r.IntN(30)), withEarly(1+r.IntN(8)), withApproach(approach(i/2%3), i%5))
		require.NoError(t, err, describe(top, m, s))
		want := w.pairs(s)
		requirePairs(t, want, got, func() string { return describe(top, m, s) })
		if got.OK {
			require.LessOrEqual(t, got.LowerBound, got.Cycles, describe(top, m, s))
			continue
		}
		colliding++
		c := got.First[r.IntN(len(got.First))]
		if c.Rows[0] >= 0 && c.Rows[0] != c.Rows[1] {
			require.Equal(t, w.delay(s, c.Rows[0], c.Rows[1]), c.Delay, "%d and %d\n%s", c.First, c.Second, describe(top, m, s))
		}
	}
	require.Equal(t, runs/2, colliding)
}

// requirePairs compares all pairs and their first cycles.
func requirePairs(t *testing.T, want map[[2]int]router.Cycle, got *Report, describe func() string) {
	t.Helper()
	pairs := map[[2]int]router.Cycle{}
	for _, c := range got.First {
		pairs[[2]int{min(c.Rows[0], c.Rows[1]), max(c.Rows[0], c.Rows[1])}] = c.Cycle
	}
	if len(want) != len(pairs) || got.Collisions != len(want) || got.OK != (len(want) == 0) {
		require.Equal(t, want, pairs, describe())
	}
	for key, cycle := range want {
		if pairs[key] != cycle {
			require.Equal(t, want, pairs, describe())
		}
	}
}
