// SPDX-License-Identifier: Apache-2.0

package router_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/soak"
	"meshwright/router"
)

func network(t testing.TB, spec string, settings ...string) *fabric.Network {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return n
}

// recorder keeps the offers of the last cycle, sorted.
type recorder struct{ offers []router.Offer }

func (r *recorder) Evaluate(fabric.Signals) {}
func (r *recorder) Update(s fabric.Signals) {
	r.offers = slices.SortedFunc(s.Offers(), func(a, b router.Offer) int {
		if a.Node != b.Node {
			return int(a.Node - b.Node)
		}
		return int(a.Port - b.Port)
	})
}

func TestStreamingAndReferenceAgree(t *testing.T) {
	for _, row := range []struct {
		name, topology, buffer, channels, vcs string
		rate                                  float64
		flits                                 int
	}{
		{"mesh, one flit of buffer", "mesh:4x4", "1", "1", "1", 0.03, 5},
		{"mesh, deep buffers", "mesh:4x4", "8", "links", "1", 0.05, 5},
		{"mesh, packets of one flit", "mesh:4x4", "2", "1", "1", 0.3, 1},
		{"mesh, long packets", "mesh:4x4", "4", "1", "1", 0.01, 19},
		{"long path", "path:17", "2", "1", "1", 0.01, 5},
		{"hypercube", "hypercube:4", "3", "links", "1", 0.06, 5},
		{"three dimensions", "mesh:3x2x3", "4", "1", "1", 0.05, 5},
		{"more than a word of everything", "mesh:9x9", "4", "1", "1", 0.02, 5},
		{"ports numbered by lines", "mesh:8x8", "4", "1", "1", 0.03, 5},
		{"ports numbered by lines, a channel per link", "mesh:16x8", "2", "links", "2", 0.05, 5},
		{"small grid, one flit of buffer", "mesh:6x6", "1", "1", "1", 0.03, 5},
		{"small grid, packets of one flit", "mesh:9x15", "2", "1", "1", 0.3, 1},
		{"small grid, long packets", "mesh:8x8", "4", "1", "1", 0.01, 19},
		{"small grid, packets of one flit more than a countdown counts", "mesh:7x9", "6", "1", "1", 0.02, 9},
		{"small grid, two virtual channels", "mesh:8x8", "4", "1", "2", 0.06, 5},
		{"small grid, two virtual channels, packets of one flit", "mesh:5x4x6", "1", "1", "2", 0.4, 1},
		{"small grid with datelines", "torus:6x8", "3", "1", "2", 0.08, 5},
		{"small grid of three dimensions with datelines", "torus:3x5x4", "2", "1", "2", 0.1, 12},
		{"ring of more than a word", "ring:70", "4", "1", "2", 0.01, 8},
		{"small grid with rings of two chips", "torus:2x20", "1", "1", "2", 0.08, 9},
		{"small grid with lines of one chip", "mesh:1x40", "3", "1", "2", 0.02, 17},
		{"small grid, few packets", "mesh:16x16", "4", "1", "1", 0.0005, 6},
		{"small grid of three dimensions", "mesh:5x4x8", "8", "1", "1", 0.05, 5},
		{"path of more than a word", "path:130", "3", "1", "1", 0.005, 5},
		{"tree", "tree:../examples/trees/binary.csv", "2", "links", "1", 0.03, 5},
		{"mesh, two virtual channels", "mesh:4x4", "2", "1", "2", 0.06, 5},
		{"mesh, four virtual channels", "mesh:4x3", "1", "links", "4", 0.1, 5},
		{"mesh, sixteen virtual channels", "mesh:3x3", "1", "1", "16", 0.1, 5},
		{"ring with a dateline", "ring:7", "2", "1", "2", 0.06, 5},
		{"torus with a dateline", "torus:4x5", "3", "links", "2", 0.08, 5},
		{"torus with two pairs", "torus:5x3", "2", "1", "4", 0.1, 3},
		{"several shards", "mesh:64x24", "4", "1", "1", 0.01, 5},
		{"several shards, a channel per link", "torus:32x64", "2", "links", "2", 0.01, 5},
	} {
		t.Run(row.name, func(t *testing.T) {
			var nets [2]*fabric.Network
			var seen [2]*recorder
			for i := range nets {
				nets[i] = network(t, row.topology, "buffer", row.buffer, "nic.channels", row.channels, "vcs", row.vcs)
				nets[i].KeepBlocked()
				uniform, err := traffic.NewUniform(nets[i].Topology.Nodes(), row.flits, row.rate, 7)
				require.NoError(t, err)
				nets[i].Attach(uniform)
				seen[i] = &recorder{}
				nets[i].Attach(seen[i])
			}
			require.True(t, nets[0].Bank().Streams())
			nets[1].Bank().UseReference()
			require.Equal(t, strings.HasPrefix(row.name, "several shards"), nets[0].Bank().Parts() > 1)
			defer nets[0].Employ(2)()
			unseen := network(t, row.topology, "buffer", row.buffer, "nic.channels", row.channels, "vcs", row.vcs)
			uniform, err := traffic.NewUniform(unseen.Topology.Nodes(), row.flits, row.rate, 7)
			require.NoError(t, err)
			unseen.Attach(uniform)
			defer unseen.Employ(3)()
			for cycle := range 60000 / nets[0].Topology.Nodes() {
				nets[0].Step()
				nets[1].Step()
				unseen.Step()
				if !slices.Equal(seen[0].offers, seen[1].offers) {
					require.Equal(t, seen[1].offers, seen[0].offers, "cycle %d", cycle)
				}
			}
			require.Positive(t, nets[0].Delivered())
			require.Equal(t, nets[1].LinkUse(), unseen.LinkUse(), "the chips decide and carry out at once")
			require.Equal(t, slices.Collect(nets[1].Bank().Occupancies()), slices.Collect(unseen.Bank().Occupancies()))
			for v := range router.NodeID(nets[0].Topology.Nodes()) {
				for p := range router.Port(nets[0].Topology.Ports(v)) {
					require.Equal(t, nets[1].Bank().BlockedCycles(v, p), nets[0].Bank().BlockedCycles(v, p), "node %d port %d", v, p)
					require.Equal(t, nets[1].Bank().Carried(v, p), nets[0].Bank().Carried(v, p), "node %d port %d", v, p)
				}
			}
		})
	}
}

// The routings beyond dimension order that stream do so as the reference engine does.
func TestRoutingsOfBothEngines(t *testing.T) {
	for _, row := range []struct{ routing, topology, vcs string }{
		{"yx", "mesh:4x4", "1"}, {"yx", "torus:4x5", "2"},
		{"yx", "torus:9x7", "2"}, {"yx", "mesh:6x7", "2"},
		{"o1turn", "mesh:4x4", "2"}, {"o1turn", "torus:4x3", "8"},
		{"valiant", "mesh:4x3", "4"}, {"valiant", "torus:4x4", "4"},
	} {
		t.Run(row.routing+" "+row.topology, func(t *testing.T) {
			var nets [2]*fabric.Network
			var seen [2]*recorder
			for i := range nets {
				nets[i] = network(t, row.topology, "routing", row.routing, "vcs", row.vcs, "buffer", "2", "nic.channels", "1")
				nets[i].KeepBlocked()
				uniform, err := traffic.NewUniform(nets[i].Topology.Nodes(), 4, 0.1, 7)
				require.NoError(t, err)
				nets[i].Attach(uniform)
				seen[i] = &recorder{}
				nets[i].Attach(seen[i])
			}
			require.True(t, nets[0].Bank().Streams())
			nets[1].Bank().UseReference()
			for cycle := range 1000 {
				nets[0].Step()
				nets[1].Step()
				require.True(t, slices.Equal(seen[0].offers, seen[1].offers), "cycle %d", cycle)
			}
			require.Greater(t, nets[0].Delivered(), uint64(1000))
		})
	}
}

// With three virtual channels the outputs of some ports lie in two words of a
// set. Such a port still sends at most one flit in a cycle.
func TestAPortSendsOneFlitPerCycle(t *testing.T) {
	n := network(t, "mesh:8x8", "vcs", "3", "nic.channels", "1")
	n.KeepBlocked()
	uniform, err := traffic.NewUniform(64, 5, 0.1, 7)
	require.NoError(t, err)
	n.Attach(uniform)
	seen := &recorder{}
	n.Attach(seen)
	for cycle := range 2000 {
		n.Step()
		for i := 1; i < len(seen.offers); i++ {
			a, b := seen.offers[i-1], seen.offers[i]
			require.False(t, a.Node == b.Node && a.Port == b.Port, "cycle %d: %+v %+v", cycle, a, b)
		}
	}
	require.Positive(t, n.Delivered())
}

// Random networks with random loads, long and short worms in the same run, from nearly idle to saturated.
func TestStreamingAndReferenceAgreeOnRandomNetworks(t *testing.T) {
	specs := []string{"mesh:5x4", "torus:4x5", "path:9", "ring:6", "hypercube:4", "mesh:3x3x3", "mesh:8x16", "mesh:7x9", "mesh:5x6x7", "torus:6x7", "ring:40", "torus:8x4x3", "torus:3x4x3", "torus:2x20", "mesh:1x40", "random-tree:30,4", "random:20,3,5", "mesh:32x32"}
	random := rand.New(rand.NewPCG(17, 4))
	for k := range soak.Number(12, 600) {
		spec := specs[random.IntN(len(specs))]
		channels := []string{"1", "links"}[random.IntN(2)]
		vcs := []string{"2", "4", "8"}[random.IntN(3)]
		if ring := strings.HasPrefix(spec, "torus") || strings.HasPrefix(spec, "ring"); !ring && random.IntN(2) == 0 {
			vcs = "1"
		}
		buffer, sizes := strconv.Itoa(1+random.IntN(9)), []int{1 + random.IntN(40), 1 + random.IntN(10)}
		load := []float64{0.002, 0.05, 0.2, 0.6}[random.IntN(4)]
		name := fmt.Sprintf("%d: %s, vcs %s, buffer %s, channels %s, packets %d, load %g", k, spec, vcs, buffer, channels, sizes, load)
		var nets [2]*fabric.Network
		var seen [2]*recorder
		for i := range nets {
			nets[i] = network(t, spec, "buffer", buffer, "nic.channels", channels, "vcs", vcs)
			nets[i].KeepBlocked()
			for _, flits := range sizes {
				uniform, err := traffic.NewUniform(nets[i].Topology.Nodes(), flits, load/2/float64(flits), uint64(k))
				require.NoError(t, err)
				nets[i].Attach(uniform)
			}
			seen[i] = &recorder{}
			nets[i].Attach(seen[i])
		}
		require.True(t, nets[0].Bank().Streams(), name)
		nets[1].Bank().UseReference()
		dismiss := nets[0].Employ(2)
		for cycle := range 20000 / nets[0].Topology.Nodes() {
			nets[0].Step()
			nets[1].Step()
			if !slices.Equal(seen[0].offers, seen[1].offers) {
				require.Equal(t, seen[1].offers, seen[0].offers, "%s, cycle %d", name, cycle)
			}
		}
		dismiss()
		require.Equal(t, slices.Collect(nets[1].Bank().Occupancies()), slices.Collect(nets[0].Bank().Occupancies()), name)
		require.Equal(t, nets[1].LinkUse(), nets[0].LinkUse(), name)
	}
}
