// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

var (
	icarusRuns    = flag.Int("icarus", 40, "random machines to compare in Icarus Verilog")
	verilatorRuns = flag.Int("verilator", 6, "random machines to compare in Verilator")
	firstSeed     = flag.Uint64("seed", 1, "seed of the first random machine")
)

// chaos sends random messages: lengths, payloads and kinds vary, and each node
// has several under way where it has several channels.
type chaos struct {
	rng   *rand.Rand
	nodes int
	rate  float64
	most  int
	mask  uint32
	end   router.Cycle
}

func (c *chaos) Evaluate(s fabric.Signals) {
	if s.Now() >= c.end {
		return
	}
	for n := range router.NodeID(c.nodes) {
		if c.rng.Float64() >= c.rate {
			continue
		}
		to := router.NodeID(c.rng.IntN(c.nodes - 1))
		if to >= n {
			to++
		}
		if !s.CanSend(n, to, nil) {
			continue
		}
		words := make([]uint32, 1+c.rng.IntN(c.most))
		for i := range words {
			words[i] = c.rng.Uint32() & c.mask
		}
		s.Send(fabric.Message{Source: n, Destination: to, Kind: router.Kind(c.rng.IntN(4)), Tag: c.rng.Uint32N(50), Words: words})
	}
}
func (c *chaos) Update(fabric.Signals) {}

// randomMachine draws a small network; the settings name it.
func randomMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, 99))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	spec := pick("path:2", "path:5", "ring:3", "ring:6", "mesh:3x2", "mesh:3x3", "torus:3x3", "torus:4x3", "mesh:2x2x2", "hypercube:3", "tree:"+sampleTree(t), "graph:"+sampleGraph(t))
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(pick("wormhole", "wormhole", "wormhole", "bufferless"))
	require.NoError(t, err)
	set := func(key, value string) { require.NoError(t, m.Set(key, value)) }
	set("ports", pick("all", "all", "single"))
	set("nic.channels", pick("1", "1", "links"))
	set("nic.duplex", pick("full", "full", "half"))
	set("startup", fmt.Sprint(rng.IntN(6)*rng.IntN(2)))
	set("hop", pick("1", "1", "2", "3"))
	set("flit", pick("1", "1", "2", "3"))
	set("width", pick("8", "16", "32"))
	if m.Switching == machine.Wormhole {
		set("buffer", fmt.Sprint(1+rng.IntN(8)))
		set("vcs", pick("1", "2", "4"))
	}
	set("routing", pick("table", "source"))
	if topo.IsGrid() {
		set("routing", pick("dor", "dor", "table", "source"))
	}
	return topo, m, rng
}

func sampleTree(t *testing.T) string {
	return sample(t, "tree.csv", "0,\n1,0\n2,0\n3,0\n4,1\n5,4\n6,4\n7,2\n")
}

func sampleGraph(t *testing.T) string {
	return sample(t, "graph.csv", "0,1\n1,2\n2,3\n3,0\n0,4\n4,5\n5,2\n")
}

func sample(t *testing.T, name, text string) string {
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// traffic puts a random load on a machine with buffers.
func traffic(t *testing.T, topo *topology.Topology, m machine.Machine, rng *rand.Rand) *fabric.Network {
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	n.Attach(&chaos{
		rng: rng, nodes: topo.Nodes(), rate: 0.02 + 0.1*rng.Float64(), most: 9, mask: 1<<m.Width - 1, end: cycles * 3 / 4,
	})
	return n
}

// rooted puts a collision-free load on a machine without buffers: a gather or
// a scatter.
func rooted(t *testing.T, topo *topology.Topology, m machine.Machine, rng *rand.Rand) *fabric.Network {
	job := collective.Job{Topology: topo, Machine: m, Root: router.NodeID(rng.IntN(topo.Nodes())), Lengths: make([]int, topo.Nodes())}
	for v := range job.Lengths {
		job.Lengths[v] = 1 + rng.IntN(12)
	}
	what, algorithm := "gather", "nearest-first"
	if rng.IntN(2) == 0 {
		what, algorithm = "scatter", "furthest-first"
	}
	if m.Startup == 0 && m.Hop == 1 && m.Flit == 1 && m.Duplex == machine.Full && m.Width > 8 && rng.IntN(3) > 0 {
		names := []string{"certification", "certification-tight"}
		if m.Ports == machine.AllPort && m.Channels == machine.Links {
			names = append(names, "certification-parallel")
		}
		what, algorithm = "gather", names[rng.IntN(len(names))]
	}
	plan, err := collective.Generate(what, algorithm, job)
	require.NoError(t, err)
	n, _, err := plan.Network()
	require.NoError(t, err)
	return n
}

// cycles is how long a random machine runs.
const cycles = 400

func compare(t *testing.T, seed uint64, simulator sim.Simulator) {
	topo, m, rng := randomMachine(t, seed)
	load := traffic
	if m.Switching == machine.Bufferless {
		load = rooted
	}
	n := load(t, topo, m, rng)
	r := rtl.NewRecorder(n)
	for range cycles {
		n.Step()
	}
	_, collisions := n.Collisions()
	require.Zero(t, collisions)
	require.Positive(t, n.Delivered())
	t.Logf("seed %d: %s, %s, %d flits", seed, n.Topology, n.Machine.Describe(), n.Delivered())
	dir := filepath.Join(t.TempDir(), "export")
	_, err := r.Export(dir)
	require.NoError(t, err)
	result, err := sim.Run(t.Context(), simulator, dir, sim.Options{})
	require.NoError(t, err)
	require.True(t, result.Pass, result.Line)
	require.Equal(t, r.Flits(), result.Flits)
}

func TestRandomMachinesAgreeInIcarus(t *testing.T) {
	for i := range *icarusRuns {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			compare(t, *firstSeed+uint64(i), sim.Icarus)
		})
	}
}

func TestRandomMachinesAgreeInVerilator(t *testing.T) {
	for i := range *verilatorRuns {
		t.Run(fmt.Sprint(i), func(t *testing.T) { compare(t, *firstSeed+1000+uint64(i), sim.Verilator) })
	}
}
