// SPDX-License-Identifier: Apache-2.0

package packets_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/router"
	"meshwright/schedule/packet"
)

// starts returns what the leaves of a gather's plan are to send, and when;
// shift changes the ticks.
func starts(plan *collective.Plan, shift func(tick uint32) uint32) []packet.Dispatch {
	const count, list, words, start, entry = 3, 4, 0, 1, 2
	var dispatch []packet.Dispatch
	for n := range plan.PEs {
		own := plan.PEs[n].Parameters
		if n == int(plan.Root) || own == nil {
			continue
		}
		for i := range own[count] {
			e := own[own[list]+i*entry:]
			e[start] = shift(e[start])
			dispatch = append(dispatch, packet.Dispatch{Packet: packet.Packet{Node: n, Flits: int(e[words])}, At: packet.Ticks(e[start])})
		}
	}
	return dispatch
}

// TestGathersTakeTheSimulatorsTime: chips and package packet agree on every
// arrival and on the buffers whenever packets are dispatched, well timed or
// not; and a run whose buffers hold more than the largest packet is a failure.
func TestGathersTakeTheSimulatorsTime(t *testing.T) {
	crowded := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 24))
		j := collectivetest.RandomPacketJob(t, random)
		j.Machine.Buffer = 100
		plan, err := collective.Generate(t.Context(), "gather", "nearest-first", j)
		require.NoError(t, err)
		if collectivetest.Facts(plan)["relays"] > 0 {
			continue
		}
		haste := uint32(random.IntN(4))
		dispatch := starts(plan, func(tick uint32) uint32 { return tick * haste / 3 })
		o, err := packet.Gather(treeOf(t, j.Topology, j.Root), dispatch, j.Machine.Setup)
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), plan)
		require.NoError(t, err)
		require.EqualValues(t, o.Completion, r.Cycles, "seed %d", seed)
		require.Equal(t, o.Buffer, r.MaxBufferFlits, "seed %d", seed)
		if o.Buffer <= plan.Machine.Packet {
			require.NoError(t, r.Failure)
			continue
		}
		crowded++
		require.Less(t, haste, uint32(3), "as planned")
		var failure *collective.Crowded
		require.ErrorAs(t, r.Failure, &failure)
		require.Equal(t, o.Buffer, failure.Flits)
		require.Equal(t, plan.Machine.Packet, failure.Packet)
	}
	require.Positive(t, crowded)
}

// TestGathersAreScattersBackwards: nearest first takes the time of furthest
// first, and a gather of packets in any order that of the scatter in the opposite
// order. Where chips, which pass packets on at once, would need more than a packet
// of buffer, PEs relay them.
func TestGathersAreScattersBackwards(t *testing.T) {
	relayed := 0
	for seed := range uint64(600) {
		random := rand.New(rand.NewPCG(seed, 23))
		j := collectivetest.RandomPacketJob(t, random)
		order := randomOrder(random, j)

		best := j
		best.Packets, best.Split = nil, plan.BestSplit
		require.Equal(t, collectivetest.Run(t, "scatter", "furthest-first", best).Cycles, collectivetest.Run(t, "gather", "nearest-first", best).Cycles, "seed %d", seed)

		back := inOrder(j, order)
		slices.Reverse(back)
		o, err := packet.Scatter(treeOf(t, j.Topology, j.Root), back, j.Machine.Setup)
		require.NoError(t, err)
		j.Order = order
		j.Machine.Buffer = 0
		if random.IntN(8) == 0 { // too little for chips to keep the schedule, enough for relays
			j.Machine.Packet, j.Machine.Buffer = 12, 12
		}
		r := collectivetest.Run(t, "gather", "nearest-first", j)
		require.LessOrEqual(t, r.Cycles, router.Cycle(o.Completion), "seed %d", seed)
		require.GreaterOrEqual(t, r.Cycles, r.Plan.UncombinedBound())
		require.LessOrEqual(t, r.MaxBufferFlits, r.Plan.Machine.Packet)
		collectivetest.RequireLog(t, r)
		if collectivetest.Facts(r.Plan)["relays"] > 0 {
			require.Zero(t, r.MaxBufferFlits)
			relayed++
		}
	}
	require.Positive(t, relayed)
}

// TestCutThroughGather: nearest first meets the bound, whatever the sizes.
func TestCutThroughGather(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 25))
		j := collectivetest.RandomPacketJob(t, random)
		j.Packets = nil
		require.NoError(t, j.Machine.Set("switching", "cut-through"))
		r := collectivetest.Run(t, "gather", "", j)
		require.Equal(t, "nearest-first", r.Plan.Algorithm)
		require.Equal(t, r.Plan.UncombinedBound(), r.Cycles, "seed %d", seed)
	}
}

// TestPacketGathersOnAnyMachine: startups that do not fit between packets,
// flits of several cycles, buffers of one packet, any network and routing.
func TestPacketGathersOnAnyMachine(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 26))
		j := collectivetest.RandomJob(t, random)
		j.Lengths[j.Root] = 0
		m := collectivetest.PacketJob(t, "path:2", collectivetest.Setups[random.IntN(len(collectivetest.Setups))], 0, 0).Machine
		m.Startup, m.Flit, m.Width, m.Routing = j.Machine.Startup, j.Machine.Flit, j.Machine.Width, j.Machine.Routing
		if random.IntN(3) == 0 {
			m.Packet, m.Buffer = 40, 40+random.IntN(41)
		}
		if random.IntN(3) == 0 {
			require.NoError(t, m.Set("switching", "cut-through"))
		}
		j.Machine = m
		switch random.IntN(3) {
		case 0:
			j.Packets = collectivetest.RandomPackets(random, j.Lengths)
		case 1:
			j.Split = plan.BestSplit
		}
		for kind, algorithm := range collectivetest.OnTrees {
			r := collectivetest.Run(t, kind, algorithm, j)
			require.GreaterOrEqual(t, r.Cycles, r.Plan.UncombinedBound(), "seed %d %s: %s", seed, kind, collectivetest.Describe(j))
			collectivetest.RequireLog(t, r)
		}
	}
}

// TestSmallBuffersDoNotFill: with room for one packet and a rest, gathers are
// slower at most, and no buffer holds more than the largest packet.
func TestSmallBuffersDoNotFill(t *testing.T) {
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 33))
		j := collectivetest.RandomPacketJob(t, random)
		j.Machine.Packet = 1
		for _, sizes := range j.Packets {
			for _, size := range sizes {
				j.Machine.Packet = max(j.Machine.Packet, size)
			}
		}
		j.Machine.Buffer = j.Machine.Packet + random.IntN(j.Machine.Packet)
		j.Machine.Startup = random.IntN(5)
		if random.IntN(2) == 0 {
			require.NoError(t, j.Machine.Set("switching", "cut-through"))
		}
		if random.IntN(2) == 0 {
			j.Order = randomOrder(random, j)
		}
		for kind, algorithm := range collectivetest.OnTrees {
			r := collectivetest.Run(t, kind, algorithm, j)
			require.GreaterOrEqual(t, r.Cycles, r.Plan.UncombinedBound(), "seed %d %s", seed, kind)
		}
	}
}
