// SPDX-License-Identifier: Apache-2.0

package alltoall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/alltoall"
	timetables "meshwright/firmware/collective/alltoall/timetable"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
)

// exchangeRun runs the timetable as firmware, every word compared.
func exchangeRun(t *testing.T, spec string, lengths func(n int) int, settings ...string) (*plan.Plan, *collective.Result) {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := timetables.Reference()
	require.NoError(t, err)
	m.Routing = ""
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	j := plan.Job{Topology: topo, Machine: m, Seed: 3}
	for n := range topo.Nodes() {
		j.Lengths = append(j.Lengths, lengths(n))
	}
	p, err := collective.Generate(t.Context(), plan.Exchange, "timetable", j)
	require.NoError(t, err, spec)
	r, err := collective.Execute(t.Context(), p)
	require.NoError(t, err)
	require.NoError(t, r.Failure, "%s %v: %v", spec, settings, r.Collisions)
	require.GreaterOrEqual(t, r.Cycles, p.LowerBound())
	k := slices.IndexFunc(p.Facts, func(f plan.Fact) bool { return f.Key == "timetable_cycles" })
	require.Equal(t, p.Facts[k].Value, r.Cycles, "%s %v", spec, settings)
	return p, r
}

func words(n int) func(int) int { return func(int) int { return n } }

// What is stored runs as firmware in the cycles that the timetable says, with
// and without buffers.
func TestStoredTimetablesRun(t *testing.T) {
	specs := []string{"torus:2x2", "torus:2x4", "torus:3x4", "torus:4x3", "torus:2x2x2", "torus:3x3x3", "torus:2x2x2x2", "hypercube:4", "torus:4x8"}
	for n := 3; n <= 6; n++ {
		specs = append(specs, fmt.Sprintf("torus:%dx%d", n, n), fmt.Sprintf("mesh:%dx%d", n, n))
	}
	for n := 3; n <= 16; n++ {
		specs = append(specs, fmt.Sprintf("ring:%d", n), fmt.Sprintf("path:%d", n))
	}
	for _, spec := range soak.Some(2, specs) {
		for _, length := range []int{1, 3} {
			for _, switching := range []string{"bufferless", "wormhole"} {
				p, _ := exchangeRun(t, spec, words(length), "switching", switching, "buffer", "2")
				nodes := p.Topology.Nodes()
				require.Equal(t, nodes*(nodes-1)*length, p.Flits)
				_, ok := timetables.Stored(p.Topology, length, timetables.MaxMessages)
				require.True(t, ok, spec)
			}
		}
	}
}

// With half duplex the channels of a node send together, and then receive together: all flits leave in cycle 0 and arrive in cycle 1.
func TestHalfDuplexChannelsWorkTogether(t *testing.T) {
	_, r := exchangeRun(t, "complete:4", words(1), "nic.duplex", "half", "nic.channels", "links")
	require.EqualValues(t, 2, r.Cycles)
}

// Other machines, other networks and unequal messages are searched for.
func TestFoundTimetablesRun(t *testing.T) {
	uneven := func(n int) int { return n % 4 }
	for _, row := range soak.Some(2, []struct {
		spec     string
		lengths  func(int) int
		settings []string
	}{
		{"torus:4x4", words(2), []string{"nic.channels", "links"}},
		{"torus:3x3", words(2), []string{"startup", "7"}},
		{"mesh:3x3", words(3), []string{"startup", "2", "hop", "3", "flit", "2"}},
		{"torus:4x4", words(1), []string{"hop", "3", "flit", "1"}},
		{"torus:4x4", words(1), []string{"hop", "3", "switching", "wormhole", "buffer", "4"}},
		{"mesh:3x3", words(2), []string{"hop", "2", "flit", "3", "switching", "wormhole", "buffer", "2"}},
		{"mesh:3x2", words(2), []string{"ports", "single"}},
		{"torus:3x3", words(1), []string{"nic.duplex", "half"}},
		{"mesh:3x2", words(3), []string{"nic.duplex", "half", "nic.channels", "links", "startup", "4"}},
		{"mesh:3x2", uneven, []string{"ports", "single", "nic.channels", "links", "startup", "9", "nic.duplex", "half"}},
		{"mesh:3x3", uneven, nil},
		{"torus:3x4", uneven, []string{"switching", "wormhole", "buffer", "4", "nic.channels", "links"}},
		{"binary:2", words(2), nil},
		{"complete:5", uneven, nil},
		{"random:12,3", words(1), []string{"switching", "wormhole", "buffer", "2"}},
		{"ring:6", words(3), []string{"switching", "wormhole", "buffer", "1", "hop", "2"}},
		{"torus:3x3", words(1), []string{"switching", "wormhole", "buffer", "2", "hop", "4"}},
		{"mesh:3x2", uneven, []string{"switching", "wormhole", "buffer", "1", "ports", "single", "startup", "3"}},
		{"path:1", words(4), nil},
		{"path:3", words(0), nil},
	}) {
		t.Run(row.spec, func(t *testing.T) { exchangeRun(t, row.spec, row.lengths, row.settings...) })
	}
}

// On more than 128 nodes that look the same a search with narrow beams comes near the bound.
func TestTimetablesOfManyNodes(t *testing.T) {
	for _, row := range []struct {
		spec     string
		most     float64 // of the time to the bound
		settings []string
	}{
		{"torus:12x12", 1.01, nil},
		{"torus:12x12", 1.01, []string{"switching", "wormhole", "buffer", "2", "nic.channels", "links"}},
		{"ring:131", 1.01, nil},
		{"hypercube:8", 1.02, []string{"switching", "wormhole", "buffer", "2"}},
		{"torus:5x5x6", 1.03, []string{"hop", "2", "nic.channels", "links"}},
	} {
		if row.most > 1.01 && !soak.On() {
			continue // a search that ends above the bound takes its time
		}
		t.Run(row.spec, func(t *testing.T) {
			p, r := exchangeRun(t, row.spec, words(1), row.settings...)
			require.Greater(t, p.Topology.Nodes(), alltoall.MaxSearched)
			require.LessOrEqual(t, float64(r.Cycles), row.most*float64(p.LowerBound()))
		})
	}
}

// auto searches on many nodes only where a narrow beam can.
func TestWhereASearchIsQuick(t *testing.T) {
	for _, row := range []struct {
		spec     string
		length   int
		settings []string
		want     bool
	}{
		{"torus:8x8x8", 1, nil, true},
		{"torus:8x8x8", 1, []string{"nic.channels", "links"}, true},
		{"torus:8x8x8", 2, nil, false},
		{"torus:8x8x9", 1, nil, false},
		{"mesh:8x8x8", 1, nil, false},
		{"torus:8x8x8", 1, []string{"startup", "1"}, false},
		{"torus:8x8x8", 1, []string{"flit", "2"}, false},
		{"torus:8x8x8", 1, []string{"flit", "2", "hop", "2"}, true},
		{"torus:8x8x8", 1, []string{"nic.channels", "links", "nic.duplex", "half"}, false},
		{"torus:8x8x8", 1, []string{"switching", "store-forward"}, false},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, err := timetables.Reference()
		require.NoError(t, err)
		for i := 0; i < len(row.settings); i += 2 {
			require.NoError(t, m.Set(row.settings[i], row.settings[i+1]))
		}
		task := &plan.Task{Job: plan.Job{Topology: topo, Machine: m, Lengths: slices.Repeat([]int{row.length}, topo.Nodes())}}
		require.Equal(t, row.want, alltoall.SearchIsQuick(task), "%s %v", row.spec, row.settings)
	}
}

func TestTimetableRefusals(t *testing.T) {
	for _, row := range []struct {
		spec, preset string
		length       int
		set          []string
		want         string
	}{
		{"ring:4", "store-forward", 1, nil, "exchange timetable does not run on a store-forward machine (expected switching bufferless or wormhole)"},
		{"ring:1025", "bufferless", 1, nil, "a timetable for 1025 nodes (expected at most 1024)"},
		{"ring:3", "bufferless", 65537, nil, "length 65537 of node 0 (expected 0 to 65536)"},
		{"mesh:20x20", "bufferless", 1, nil, "a timetable for 159600 messages (expected at most 131072)"},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, err := machine.Preset(row.preset)
		require.NoError(t, err)
		for i := 0; i < len(row.set); i += 2 {
			require.NoError(t, m.Set(row.set[i], row.set[i+1]))
		}
		j := plan.Job{Topology: topo, Machine: m}
		for range topo.Nodes() {
			j.Lengths = append(j.Lengths, row.length)
		}
		_, err = collective.Generate(t.Context(), plan.Exchange, "timetable", j)
		require.EqualError(t, err, row.want)
	}
}
