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
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

// The random machines that are always compared, and how far their seeds are behind -seed, where small networks come first.
const (
	fewIcarus      = 3
	fewVerilator   = 1
	icarusSeeds    = 1
	verilatorSeeds = 1010
)

var (
	icarusRuns       = flag.Int("icarus", fewIcarus, "random machines to compare in Icarus Verilog")
	verilatorRuns    = flag.Int("verilator", fewVerilator, "random machines to compare in Verilator")
	packetsIcarus    = flag.Int("packets.icarus", 3, "random packet machines to compare in Icarus Verilog")
	packetsVerilator = flag.Int("packets.verilator", 1, "random packet machines to compare in Verilator")

	collectivesIcarus    = flag.Int("collectives.icarus", 3, "collectives on random packet machines to compare in Icarus Verilog")
	collectivesVerilator = flag.Int("collectives.verilator", 1, "collectives on random packet machines to compare in Verilator")

	firstSeed = flag.Uint64("seed", 1, "seed of the first random machine")
)

// chaos sends random messages: lengths, payloads and kinds vary, and each node
// has several in flight where it has several channels.
type chaos struct {
	rng   *rand.Rand
	nodes int
	rate  float64
	most  int
	mask  uint32
	size  int // elements of a word
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
		words := make([]uint32, (1+c.rng.IntN(c.most))*c.size)
		if c.size > 1 { // the last word need not be whole
			words = words[c.rng.IntN(c.size):]
		}
		for i := range words {
			words[i] = c.rng.Uint32() & c.mask
		}
		s.Send(fabric.Message{Source: n, Destination: to, Kind: router.Kind(c.rng.IntN(4)), Tag: c.rng.Uint32N(50), Words: words})
	}
}
func (c *chaos) Update(fabric.Signals) {}

// picker returns a function that draws one of its arguments.
func picker(rng *rand.Rand) func(list ...string) string {
	return func(list ...string) string { return list[rng.IntN(len(list))] }
}

func randomTopology(t *testing.T, pick func(list ...string) string) *topology.Topology {
	spec := pick("path:2", "path:5", "ring:3", "ring:6", "mesh:3x2", "mesh:3x3", "torus:3x3", "torus:4x3", "mesh:2x2x2", "hypercube:3", "tree:"+sampleTree(t), "graph:"+sampleGraph(t))
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

// randomMachine draws a small network; the settings name it.
func randomMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, 99))
	pick := picker(rng)
	topo := randomTopology(t, pick)
	m, err := machine.Preset(pick("wormhole", "wormhole", "wormhole", "bufferless"))
	require.NoError(t, err)
	set := func(key, value string) { require.NoError(t, m.Set(key, value)) }
	set("ports", pick("all", "all", "single"))
	set("nic.channels", pick("1", "1", "links"))
	set("nic.duplex", pick("full", "full", "half"))
	set("startup", fmt.Sprint(rng.IntN(6)*rng.IntN(2)))
	set("hop", pick("1", "1", "2", "3"))
	set("flit", pick("1", "1", "2", "3"))
	set("width", pick("8", "16", "32", "64", "512"))
	if m.Switching == machine.Wormhole {
		set("buffer", fmt.Sprint(1+rng.IntN(8)))
		set("vcs", pick("1", "2", "4"))
		set("buffer.store", []string{"registers", "ram"}[seed%2])
		set("claim", []string{"0", "1"}[seed/2%2])
		set("vc.choice", []string{"free", "lane"}[seed%2])
	}
	set("routing", randomRouting(topo, m.Switching, pick))
	if m.Switching == machine.Wormhole && seed%3 == 0 {
		collectivetest.RandomLinks(t, rand.New(rand.NewPCG(seed, 4)), topo, &m)
	}
	if m.Width >= 64 { // room for every header
		set("header", pick("wires", "flit"))
	}
	return topo, m, rng
}

func randomRouting(topo *topology.Topology, switching machine.Switching, pick func(list ...string) string) string {
	switch {
	case topo.IsGrid() && switching == machine.Wormhole:
		return pick("dor", "dor", "table", "updown", "source")
	case topo.IsGrid():
		return pick("dor", "dor", "table", "source")
	case switching == machine.Wormhole:
		return pick("table", "updown", "source")
	}
	return pick("table", "source")
}

// packetMachine draws a small network of packet chips, whose buffers hold one
// to three packets and a rest.
func packetMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, 77))
	pick := picker(rng)
	topo := randomTopology(t, pick)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	set := func(key, value string) { require.NoError(t, m.Set(key, value)) }
	set("switching", pick("store-forward", "cut-through"))
	set("setup", pick("0", "0", "0", "1/2", "1", "3/2", "2", "5/2", "1/3", "2/3", "4/3", "5/3", "7/3"))
	set("startup", fmt.Sprint(rng.IntN(6)*rng.IntN(2)))
	set("flit", pick("1", "1", "2", "3"))
	set("width", pick("8", "16", "32", "64", "512"))
	packet := 1 + rng.IntN(6)
	set("packet", fmt.Sprint(packet))
	set("buffer", fmt.Sprint(packet*(1+rng.IntN(3))+rng.IntN(2)*rng.IntN(packet)))
	set("routing", randomRouting(topo, m.Switching, pick))
	if m.Width >= 64 || m.Width >= 16 && m.Routing != machine.Source { // room for the header
		set("header", pick("wires", "flit"))
		m.Buffer += m.HeaderFlits()
	}
	if pick("single", "all") == "all" {
		set("ports", "all")
		set("nic.channels", "links")
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

// traffic puts a random load of messages of up to 9 flits on a machine with buffers.
func traffic(t *testing.T, topo *topology.Topology, m machine.Machine, rng *rand.Rand) *fabric.Network {
	return load(t, topo, m, &chaos{rng: rng, rate: 0.02 + 0.1*rng.Float64(), most: 9, end: router.Cycle(cycles) * 3 / 4})
}

// packets puts a random load of packets on a machine that sends them whole.
func packets(t *testing.T, topo *topology.Topology, m machine.Machine, rng *rand.Rand) *fabric.Network {
	return load(t, topo, m, &chaos{rng: rng, rate: 0.005 + 0.1*rng.Float64()*rng.Float64(), most: m.Packet, end: router.Cycle(packetTicks) * 3 / 4})
}

func load(t *testing.T, topo *topology.Topology, m machine.Machine, c *chaos) *fabric.Network {
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	c.nodes, c.mask, c.size = topo.Nodes(), uint32(1)<<m.Width-1, m.Elements()
	n.Attach(c)
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
	if m.Startup == 0 && m.Hop == 1 && m.Flit == 1 && m.Duplex == machine.Full && m.HeaderFlits() == 0 && m.Width > 8 && rng.IntN(3) > 0 {
		names := []string{"certification", "certification-tight"}
		if m.Ports == machine.AllPort && m.Channels == machine.Links {
			names = append(names, "certification-parallel")
		}
		what, algorithm = "gather", names[rng.IntN(len(names))]
	}
	plan, err := collective.Generate(t.Context(), what, algorithm, job)
	require.NoError(t, err)
	n, _, err := plan.Network(t.Context())
	require.NoError(t, err)
	return n
}

// How long random machines run.
var (
	cycles      = soak.Number(240, 400)
	packetTicks = soak.Number(600, 1000)
)

// loaded builds a machine under a load that suits it and says how long to run.
func loaded(t *testing.T, topo *topology.Topology, m machine.Machine, rng *rand.Rand) (*fabric.Network, int) {
	switch m.Switching {
	case machine.Bufferless:
		return rooted(t, topo, m, rng), cycles
	case machine.StoreForward, machine.CutThrough:
		return packets(t, topo, m, rng), packetTicks
	}
	return traffic(t, topo, m, rng), cycles
}

type draw func(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand)

func compare(t *testing.T, seed uint64, draw draw, simulator sim.Simulator) {
	topo, m, rng := draw(t, seed)
	n, steps := loaded(t, topo, m, rng)
	r := rtl.NewRecorder(n)
	watch := &deliveries{}
	n.Attach(watch)
	for range steps {
		n.Step()
	}
	_, collisions := n.Collisions()
	require.Zero(t, collisions)
	if n.Faults() == nil {
		require.Positive(t, n.Delivered())
	}
	result := agree(t, seed, n, r, simulator)
	if n.Machine.PacketSwitched() { // others may end with flits that a PE has begun to take
		require.Equal(t, uint64(n.ArrivalTime(watch.last)), result.Quiet)
		require.Equal(t, uint64(n.ArrivalTime(watch.lastData)), result.Cycles)
	}
}

// agree exports what a recorder saw of a network and wants the Verilog to do the same.
func agree(t *testing.T, seed uint64, n *fabric.Network, r *rtl.Recorder, simulator sim.Simulator) *sim.Result {
	dir := filepath.Join(t.TempDir(), "export")
	_, err := r.Export(dir)
	require.NoError(t, err)
	result, err := sim.Run(t.Context(), simulator, dir, sim.Options{})
	require.NoError(t, err)
	t.Logf("seed %d: %s, %s, %+v, %+v, %s", seed, n.Topology, n.Machine.Describe(), n.Losses(), n.BufferErrors(), result.Line)
	require.True(t, result.Pass, result.Line)
	require.Equal(t, r.Flits(), result.Flits)
	return result
}

// compareCollective runs a collective's firmware on a random packet machine.
func compareCollective(t *testing.T, seed uint64, simulator sim.Simulator) {
	topo, m, rng := packetMachine(t, seed)
	m.Packet, m.Buffer = 0, 0
	job := collective.Job{Topology: topo, Machine: m, Root: router.NodeID(rng.IntN(topo.Nodes())), Lengths: make([]int, topo.Nodes())}
	for v := range job.Lengths {
		job.Lengths[v] = rng.IntN(8)
	}
	what, algorithm := "gather", "nearest-first"
	switch seed % 4 {
	case 0:
		what, algorithm, job.Split = "scatter", "furthest-first", plan.BestSplit
	case 1:
		job.Split = plan.BestSplit
	case 2:
		algorithm, job.Machine.Switching, job.Machine.Width = "certification-ii", machine.StoreForward, 16
		if m.Header == machine.HeadFlit { // with a route, a header has more than 16 bits
			job.Machine.Width = 32
		}
	case 3:
		algorithm, job.Machine.Switching = "search", machine.StoreForward
	}
	if seed%4 > 1 { // they need a single port
		job.Machine.Ports, job.Machine.Channels = machine.SinglePort, 1
	}
	plan, err := collective.Generate(t.Context(), what, algorithm, job)
	require.NoError(t, err)
	var recorder *rtl.Recorder
	run, err := collective.Execute(t.Context(), plan, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, run.Failure)
	t.Logf("%s %s in %d ticks", what, plan.Algorithm, run.Cycles)
	result := agree(t, seed, run.Network, recorder, simulator)
	require.Equal(t, uint64(run.Cycles), result.Cycles)
	require.Equal(t, uint64(run.Network.Quiet()), result.Quiet)
}

func TestPacketCollectivesAgreeInIcarus(t *testing.T) {
	for i := range *collectivesIcarus {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			compareCollective(t, *firstSeed+uint64(i), sim.Icarus)
		})
	}
}

func TestPacketCollectivesAgreeInVerilator(t *testing.T) {
	for i := range *collectivesVerilator {
		compareCollective(t, *firstSeed+1005+uint64(i), sim.Verilator)
	}
}

// deliveries notes when a PE took a flit last, and one of data.
type deliveries struct{ last, lastData router.Cycle }

func (d *deliveries) Evaluate(s fabric.Signals) {
	for _, f := range s.Flits() {
		d.last = s.Now()
		if s.Worm(f.Flit).Kind == router.Data {
			d.lastData = s.Now()
		}
	}
}
func (d *deliveries) Update(fabric.Signals) {}

func TestRandomMachinesAgreeInIcarus(t *testing.T) {
	compareMany(t, *icarusRuns, *firstSeed+icarusSeeds, randomMachine, sim.Icarus)
}

func TestRandomPacketMachinesAgreeInIcarus(t *testing.T) {
	compareMany(t, *packetsIcarus, *firstSeed+2, packetMachine, sim.Icarus)
}

func TestRandomMachinesAgreeInVerilator(t *testing.T) {
	compareMany(t, *verilatorRuns, *firstSeed+verilatorSeeds, randomMachine, sim.Verilator)
}

func TestRandomPacketMachinesAgreeInVerilator(t *testing.T) {
	compareMany(t, *packetsVerilator, *firstSeed+1002, packetMachine, sim.Verilator)
}

// Some of the random machines that are always compared, in each simulator, have chips in which a claim takes a cycle.
func TestRandomMachinesHaveSlowClaims(t *testing.T) {
	for _, row := range []struct {
		simulator sim.Simulator
		first     uint64
		runs      int
	}{{sim.Icarus, 1 + icarusSeeds, fewIcarus}, {sim.Verilator, 1 + verilatorSeeds, fewVerilator}} {
		slow := 0
		for i := range row.runs {
			_, m, _ := randomMachine(t, row.first+uint64(i))
			slow += m.Claim
		}
		require.Positive(t, slow, row.simulator)
	}
}

// compareMany runs side by side in Icarus; a build of Verilator uses every
// core by itself.
func compareMany(t *testing.T, runs int, first uint64, draw draw, simulator sim.Simulator) {
	for i := range runs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if simulator == sim.Icarus {
				t.Parallel()
			}
			compare(t, first+uint64(i), draw, simulator)
		})
	}
}

// A route that comes through its destination ends there, as its packet's
// destination, and not its route, tells a chip what to keep.
func TestRouteThroughItsDestinationAgrees(t *testing.T) {
	topo, err := topology.Parse("path:3")
	require.NoError(t, err)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	require.NoError(t, m.Set("routing", "source"))
	require.NoError(t, m.Set("packet", "2"))
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	r := rtl.NewRecorder(n)
	n.Attach(&once{fabric.Message{Source: 0, Destination: 1, Words: []uint32{7, 8}, Route: []router.Port{0, 0, 1}}})
	for range 20 {
		n.Step()
	}
	dir := filepath.Join(t.TempDir(), "export")
	_, err = r.Export(dir)
	require.NoError(t, err)
	result, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
	require.NoError(t, err)
	require.Equal(t, "PASS cycles=3 flits=2", result.Line)
}

// once sends one message in cycle 0.
type once struct{ message fabric.Message }

func (o *once) Evaluate(s fabric.Signals) {
	if s.Now() == 0 {
		s.Send(o.message)
	}
}
func (o *once) Update(fabric.Signals) {}
