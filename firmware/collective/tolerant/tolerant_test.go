// SPDX-License-Identifier: Apache-2.0

package tolerant_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/pe"
	"meshwright/firmware/plan"
	"meshwright/internal/rational"
	"meshwright/internal/soak"
	"meshwright/router"
)

var specs = []string{"path:5", "ring:6", "mesh:3x4", "torus:4x3", "torus:3x2x4", "hypercube:3", "hypercube:4", "star:3", "star:4", "star:5", "complete:5", "random:9,3", "debruijn:3"}

// allPorts picks a machine whose links all work at once.
func allPorts(t *testing.T, random *rand.Rand) machine.Machine {
	pick := func(n ...int) int { return n[random.IntN(len(n))] }
	m := machine.Machine{
		Switching: []machine.Switching{machine.Bufferless, machine.Wormhole, machine.StoreForward, machine.CutThrough}[random.IntN(4)],
		Ports:     machine.AllPort, Channels: machine.Links, Duplex: machine.Full,
		Startup: pick(0, 0, 1, 7), Flit: pick(1, 1, 2, 3), Hop: 1, Width: pick(8, 16, 32), Watchdog: 1000,
	}
	if m.PacketSwitched() {
		setup, err := rational.New(random.Int64N(7), 1+random.Int64N(3))
		require.NoError(t, err)
		m.Setup = setup
		return m
	}
	m.Hop, m.Buffer = pick(1, 1, 2, 4), pick(5, 8)
	return m
}

func jobOf(t *testing.T, random *rand.Rand) collective.Job {
	j := collectivetest.Equal(t, specs[random.IntN(len(specs))], "bufferless", 0, 1)
	j.Machine, j.Seed = allPorts(t, random), random.Uint64()
	j.Root = router.NodeID(random.IntN(j.Topology.Nodes()))
	j.Copies = random.IntN(1 + j.Topology.Degree(j.Root))
	if random.IntN(2) == 0 {
		j.Checksum = "sum"
	}
	for n := range j.Lengths {
		j.Lengths[n] = random.IntN(5)
	}
	return j
}

// Random jobs arrive in every copy, in the time that was predicted.
func TestRandomJobs(t *testing.T) {
	runs := map[string]int{}
	for seed := range soak.Number[uint64](60, 240) {
		random := rand.New(rand.NewPCG(seed, 11))
		j := jobOf(t, random)
		j.Lengths[j.Root] = random.IntN(40)
		kind := []string{plan.Broadcast, plan.Gossip, plan.Scatter, plan.Exchange}[seed%4]
		if seed/4%2 == 0 && (kind == plan.Gossip || kind == plan.Exchange) { // equal blocks: a translated schedule
			j.Lengths[j.Root] %= 6
			for n := range j.Lengths {
				j.Lengths[n] = j.Lengths[j.Root]
			}
		}
		if random.IntN(4) == 0 && j.Lengths[j.Root] > 0 {
			j.Parts = 1 + random.IntN(j.Lengths[j.Root])
		}
		p, err := collective.Generate(t.Context(), kind, "edst", j)
		if err != nil {
			require.Regexp(t, "^[0-9]+ (copies|parts) ", err.Error(), "seed %d %s", seed, collectivetest.Describe(j))
			continue
		}
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		name := fmt.Sprintf("seed %d "+kind+" copies %d %s", seed, j.Copies, collectivetest.Describe(j))
		require.NoError(t, r.Failure, name)
		require.Zero(t, r.CollisionCount, name)
		require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), name)
		collectivetest.RequirePrediction(t, r, name)
		collectivetest.RequireLog(t, r)
		runs[kind+" "+string(j.Machine.Switching)]++
	}
	require.Len(t, runs, 16)
}

// broadcast plans a broadcast of words from node 0 with copies.
func broadcast(t *testing.T, spec string, words, copies int, checksum string) *plan.Plan {
	t.Helper()
	j := collectivetest.Equal(t, spec, "bufferless", 0, words)
	j.Machine.Ports, j.Machine.Channels = machine.AllPort, machine.Links
	j.Copies, j.Checksum, j.Parts = copies, checksum, words
	p, err := collective.Generate(t.Context(), plan.Broadcast, "edst", j)
	require.NoError(t, err)
	return p
}

// run runs a plan with components behind its PEs, and returns the PEs.
func run(t *testing.T, p *plan.Plan, more func(*pe.Array) fabric.Component) *pe.Array {
	t.Helper()
	network, array, err := p.Network(t.Context())
	require.NoError(t, err)
	if more != nil {
		network.Attach(more(array))
	}
	require.NoError(t, network.Run(t.Context(), 10_000))
	require.NoError(t, array.Err())
	return array
}

// results splits the block of a PE into the words and the marks of the messages.
func results(p *plan.Plan, array *pe.Array, n router.NodeID, words int) (data, marks []uint32) {
	e := &p.PEs[n]
	block := array.Memory(n)[len(e.Parameters):][:len(e.Block.Words)]
	return block[:words], block[words:]
}

// A PE that does not run is a dead node: the PEs that run end in time, and have every word
// as long as fewer PEs are dead than there are copies.
func TestDeadPEs(t *testing.T) {
	const words = 5
	for _, spec := range []string{"star:4", "hypercube:3"} {
		for copies := 1; copies <= 3; copies++ {
			for seed := range uint64(40) {
				random := rand.New(rand.NewPCG(seed, 3))
				p := broadcast(t, spec, words, copies, "none")
				want := slices.Clone(p.PEs[0].Block.Words)
				order := random.Perm(len(p.PEs) - 1)
				dead := map[int]bool{}
				for _, k := range order[:random.IntN(copies+1)] {
					dead[k+1] = true
					p.PEs[k+1].Role = pe.Nothing
				}
				array := run(t, p, nil)
				for n := 1; n < len(p.PEs); n++ {
					if dead[n] {
						continue
					}
					require.True(t, array.Halted(router.NodeID(n)))
					data, marks := results(p, array, router.NodeID(n), words)
					if len(dead) < copies {
						require.Equal(t, want, data, "%s, dead %v: node %d", spec, dead, n)
						require.NotContains(t, marks, uint32(0))
					}
					for _, mark := range marks {
						require.LessOrEqual(t, mark, uint32(copies))
					}
					if len(dead) == 0 {
						require.Equal(t, slices.Repeat([]uint32{uint32(copies)}, len(marks)), marks)
					}
				}
			}
		}
	}
}

// A message of which no copy comes is marked, and its words stay as they were.
func TestMessagesThatDoNotComeAreMarked(t *testing.T) {
	p := broadcast(t, "path:3", 4, 1, "none")
	p.PEs[1].Role = pe.Nothing
	start := slices.Clone(p.Start(2)[len(p.PEs[2].Parameters):][:4])
	data, marks := results(p, run(t, p, nil), 2, 4)
	require.Equal(t, start, data)
	require.Equal(t, []uint32{0, 0, 0, 0}, marks)
}

// damage flips a bit of the first copy that a PE holds, in the cycle after it came.
type damage struct {
	array *pe.Array
	node  router.NodeID
	slot  int // address
	done  bool
}

func (d *damage) Evaluate(fabric.Signals) {}

func (d *damage) Update(fabric.Signals) {
	if memory := d.array.Memory(d.node); !d.done && memory[d.slot] != 0 {
		memory[d.slot+1] ^= 1 << 7
		d.done = true
	}
}

func (d *damage) Wakes() router.Cycle { return 0 }

func TestDamagedCopies(t *testing.T) {
	const words = 5
	for _, row := range []struct {
		name     string
		copies   int
		checksum string
		wrong    int    // words
		mark     uint32 // of the message with the damaged copy
	}{
		{"one copy is not judged", 1, "none", 1, 1},
		{"of two copies the first is taken", 2, "none", 1, 2},
		{"three copies vote", 3, "none", 0, 3},
		{"a checksum finds the damage", 1, "sum", 1, 0},
		{"with a checksum the second copy is taken", 2, "sum", 0, 1},
		{"with a checksum three copies do not vote", 3, "sum", 0, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			for n := router.NodeID(1); n < 8; n++ {
				p := broadcast(t, "hypercube:3", words, row.copies, row.checksum)
				e := &p.PEs[n]
				d := &damage{node: n, slot: len(e.Parameters) + len(e.Block.Words)}
				data, marks := results(p, run(t, p, func(a *pe.Array) fabric.Component { d.array = a; return d }), n, words)
				require.True(t, d.done)
				wrong := 0
				for i, word := range data {
					if word != e.Block.Words[i] {
						wrong++
					}
				}
				require.Equal(t, row.wrong, wrong, "node %d", n)
				slices.Sort(marks)
				want := append([]uint32{row.mark}, slices.Repeat([]uint32{uint32(row.copies)}, words-1)...)
				require.Equal(t, want, marks, "node %d", n)
			}
		})
	}
}

// onStar plans a broadcast on the machine of the paper: in a step every link carries one flit.
func onStar(t testing.TB, spec string, words, copies int, checksum string) *plan.Plan {
	t.Helper()
	j := collectivetest.Equal(t, spec, "store-forward", 0, words)
	j.Machine.Ports, j.Machine.Channels, j.Machine.Setup = machine.AllPort, machine.Links, rational.Rational{}
	j.Copies, j.Checksum, j.Parts = copies, checksum, words
	p, err := collective.Generate(t.Context(), plan.Broadcast, "edst", j)
	require.NoError(t, err)
	return p
}

// requireComplete runs a plan with faults and demands every word at every live PE.
func requireComplete(t *testing.T, p *plan.Plan, live int, faults ...fault.Fault) *collective.Arrivals {
	t.Helper()
	p.Machine.Faults = &fault.List{Faults: faults}
	r, err := collective.Execute(t.Context(), p)
	require.NoError(t, err)
	require.NoError(t, r.Failure, "%v", faults)
	require.NotNil(t, r.Arrivals)
	require.Equal(t, live, r.Arrivals.Live)
	return r.Arrivals
}

// Three copies survive any two dead nodes of star:4, whenever they die.
func TestStar4SurvivesAllPairsOfDeadNodes(t *testing.T) {
	p := onStar(t, "star:4", 4, 3, "none")
	for a := router.NodeID(1); a < 24; a++ {
		for b := a + 1; b < 24; b++ {
			start := router.Cycle(a+b) % 5
			requireComplete(t, p, 21, deadNode(a, start), deadNode(b, 0))
		}
	}
}

func deadNode(n router.NodeID, from router.Cycle) fault.Fault {
	return fault.Fault{Kind: fault.Node, From: n, To: n, Start: from, End: fault.Never}
}

// Four copies survive three dead links or nodes of star:5, and all but one dead links of the root.
func TestStar5SurvivesThreeFaults(t *testing.T) {
	p := onStar(t, "star:5", 3, 4, "none")
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 21))
		var faults []fault.Fault
		dead := map[router.NodeID]bool{}
		for range 3 {
			n := router.NodeID(1 + random.IntN(119))
			if random.IntN(2) == 0 && !dead[n] {
				dead[n] = true
				faults = append(faults, deadNode(n, 0))
				continue
			}
			to := p.Topology.Neighbor(n, router.Port(random.IntN(4)))
			faults = append(faults, fault.Fault{Kind: fault.Link, From: n, To: to, End: fault.Never})
		}
		requireComplete(t, p, 119-len(dead), faults...)
	}
	var faults []fault.Fault
	for port := range router.Port(3) {
		faults = append(faults, fault.Fault{Kind: fault.Link, From: 0, To: p.Topology.Neighbor(0, port), End: fault.Never})
	}
	require.Equal(t, 1, requireComplete(t, p, 119, faults...).Fewest)
}

// Any flipped bit is outvoted by two other copies, or found by the checksum.
func TestFlippedBits(t *testing.T) {
	for _, row := range []struct {
		copies   int
		checksum string
		fewest   int
	}{{3, "none", 3}, {2, "sum", 1}, {3, "sum", 2}} {
		p := onStar(t, "star:4", 4, row.copies, row.checksum)
		fewest := row.copies
		for seed := range uint64(80) {
			random := rand.New(rand.NewPCG(seed, 22))
			from := router.NodeID(random.IntN(24))
			flip := fault.Fault{
				Kind: fault.Flip, From: from, To: p.Topology.Neighbor(from, router.Port(random.IntN(3))),
				Start: router.Cycle(random.IntN(12)), Bit: random.IntN(32),
			}
			flip.End = flip.Start + 1
			fewest = min(fewest, requireComplete(t, p, 23, flip).Fewest)
		}
		require.Equal(t, row.fewest, fewest)
	}
}

// Two copies survive a dead node in every collective, three two of them: whatever two live nodes send
// each other arrives.
func TestAllCollectivesSurviveDeadNodes(t *testing.T) {
	for _, kind := range []string{plan.Scatter, plan.Gossip, plan.Exchange} {
		for seed := range uint64(12) {
			random := rand.New(rand.NewPCG(seed, 23))
			j := collectivetest.Equal(t, "star:4", "store-forward", 0, 1)
			j.Machine.Ports, j.Machine.Channels, j.Machine.Setup = machine.AllPort, machine.Links, rational.Rational{}
			j.Copies = 3
			p, err := collective.Generate(t.Context(), kind, "edst", j)
			require.NoError(t, err)
			a, b := router.NodeID(1+random.IntN(11)), router.NodeID(12+random.IntN(12))
			p.Machine.Faults = &fault.List{Faults: []fault.Fault{deadNode(a, 0), deadNode(b, 0)}}
			r, err := collective.Execute(t.Context(), p)
			require.NoError(t, err)
			if kind == plan.Scatter {
				require.NoError(t, r.Failure)
				continue
			}
			for _, at := range r.Arrivals.Incomplete {
				require.Equal(t, 2, at.Missing, "%s, dead %d and %d: node %d", kind, a, b, at.Node) // those of the dead
			}
			require.Len(t, r.Arrivals.Incomplete, 22)
		}
	}
}

// With fewer copies than faults some PE has less than every word, and the run says so.
func TestTooManyFaultsAreTold(t *testing.T) {
	p := onStar(t, "star:4", 2, 1, "none")
	p.Machine.Faults = &fault.List{Faults: []fault.Fault{deadNode(p.Topology.Neighbor(0, 0), 0), deadNode(p.Topology.Neighbor(0, 1), 0), deadNode(p.Topology.Neighbor(0, 2), 0)}}
	r, err := collective.Execute(t.Context(), p)
	require.NoError(t, err)
	require.EqualError(t, r.Failure, "20 of 20 live PEs do not have every word; the first is PE 1: 2 messages missing, 2 words wrong")
	require.False(t, r.Delivered)
}
