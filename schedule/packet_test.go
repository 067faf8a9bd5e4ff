// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/rational"
	"meshwright/router"
)

// packets runs rows on the preset store-forward.
func packets(t *testing.T, spec string, rows []Row, attach func(*fabric.Network) error, settings ...string) *Result {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	r, err := Execute(t.Context(), &Schedule{File: "s.csv", Rows: rows}, topo, m, attach)
	require.NoError(t, err)
	return r
}

func nothing(*fabric.Network) error { return nil }

// regimes are the settings of the two kinds of chips: a single port, all ports.
var regimes = [][]string{nil, {"ports", "all", "nic.channels", "links"}}

// split returns rows that send m flits in r packets as equal as can be, the larger first.
func split(rows []Row, m, r int, to router.NodeID) []Row {
	for i := range r {
		rows = append(rows, Row{Message: int32(len(rows) + 1), Destination: to, Flits: (m + r - 1 - i) / r})
	}
	return rows
}

// treeFile writes a tree given by the parents of nodes 1, 2, ... and names it.
func treeFile(t testing.TB, parents []int) string {
	var b strings.Builder
	b.WriteString("node,parent\n0,\n")
	for i, p := range parents {
		fmt.Fprintf(&b, "%d,%d\n", i+1, p)
	}
	file := filepath.Join(t.TempDir(), "tree.csv")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	return "tree:" + file
}

// Tsai, evenly split messages: m flits in r packets reach distance l after
// m + r b + (l-1)(b + ceil(m/r)) cycles of set-up b.
func TestStoreForwardTimeOfASplitMessage(t *testing.T) {
	for _, setup := range []string{"0", "1", "3/2", "1/3", "7"} {
		b, err := rational.Parse(setup)
		require.NoError(t, err)
		for _, flit := range []int{1, 2} {
			for _, l := range []int{1, 2, 3, 6} {
				for m := 1; m <= 9; m++ {
					for r := 1; r <= m; r++ {
						run := packets(t, fmt.Sprintf("path:%d", l+1), split(nil, m, r, router.NodeID(l)), nothing, "setup", setup, "flit", fmt.Sprint(flit))
						require.True(t, run.Delivered)
						f := flit * int(b.Den())
						want := m*f + r*int(b.Num()) + (l-1)*(int(b.Num())+(m+r-1)/r*f)
						require.EqualValues(t, want, run.Cycles, "setup %s flit %d distance %d, %d flits in %d packets", setup, flit, l, m, r)
						require.LessOrEqual(t, run.MaxBufferFlits, (m+r-1)/r)
					}
				}
			}
		}
	}
}

// One flit a message and no set-up: with all ports every link of a star's hub takes
// a message in every step, and of a path's node, too; a single port one of them.
func TestAllLinksOfAChipWorkAtOnce(t *testing.T) {
	var rows []Row
	for i := range 20 {
		to := router.NodeID(1 + i%5)
		rows = append(rows, Row{Message: int32(2*i + 1), Destination: to, Flits: 1}, Row{Message: int32(2*i + 2), Source: to, Destination: 1 + to%5, Flits: 1})
	}
	for i, want := range []router.Cycle{40, 5} {
		run := packets(t, "hub:6", rows, nothing, append([]string{"setup", "0"}, regimes[i]...)...)
		require.True(t, run.Delivered)
		require.GreaterOrEqual(t, run.Cycles, want)
		if i == 1 {
			require.LessOrEqual(t, run.Cycles, want+8, "all leaves send and receive all the time")
		}
	}
}

func TestPacketsFollowRoutes(t *testing.T) {
	rows := []Row{{Message: 1, Destination: 1, Flits: 2, Route: []router.NodeID{0, 4, 3, 2, 1}}}
	run := packets(t, "ring:5", rows, nothing)
	require.True(t, run.Delivered)
	require.EqualValues(t, 4*(1+2), run.Cycles)
}

// Cut-through: m flits in one packet over l links take l(b+1) + m - 1.
func TestCutThroughTimeOfAPacket(t *testing.T) {
	for _, setup := range []string{"0", "1", "5/2"} {
		b, err := rational.Parse(setup)
		require.NoError(t, err)
		for l := 1; l <= 6; l++ {
			for m := 1; m <= 6; m++ {
				run := packets(t, fmt.Sprintf("path:%d", l+1), split(nil, m, 1, router.NodeID(l)), nothing, "setup", setup, "switching", "cut-through")
				require.True(t, run.Delivered)
				require.EqualValues(t, l*(int(b.Num())+int(b.Den()))+(m-1)*int(b.Den()), run.Cycles, "setup %s distance %d, %d flits", setup, l, m)
			}
		}
	}
}

// Two branches that share the root only: three flits go to a node at depth 3,
// one to a node at depth 4. With a set-up, whom the root serves first decides:
// the farther one (Tsai's rule), or the nearer one with the longer message.
func TestFurthestFirstIsNotAlwaysBest(t *testing.T) {
	tree := treeFile(t, []int{0, 1, 2, 0, 4, 5, 6})
	const near, far = 3, 7
	for _, setup := range []string{"3/2", "2", "5/2", "1", "3", "4"} {
		b, err := rational.Parse(setup)
		require.NoError(t, err)
		ticks := func(setups, flits int) int { return setups*int(b.Num()) + flits*int(b.Den()) }
		time := func(rows []Row) int {
			run := packets(t, tree, rows, nothing, "setup", setup)
			require.True(t, run.Delivered)
			return int(run.Cycles)
		}
		last := split(nil, 1, 1, far)
		require.Equal(t, ticks(6, 6), time(split(last, 3, 3, near)), setup)
		require.Equal(t, ticks(5, 8), time(split(last, 3, 2, near)), setup)
		require.Equal(t, ticks(4, 10), time(split(last, 3, 1, near)), setup)
		first := time(split(split(nil, 3, 1, near), 1, 1, far))
		require.Equal(t, max(ticks(3, 9), ticks(5, 7)), first, setup)
		if int(b.Num()) > int(b.Den()) && int(b.Num()) < 3*int(b.Den()) {
			require.Less(t, first, min(ticks(6, 6), ticks(5, 8), ticks(4, 10)), setup)
		}
	}
}

// Tsai: from one source no buffer on a tree ever holds more than the largest packet.
func TestScattersFillNoBufferBeyondAPacket(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 60 {
		nodes := 2 + rng.IntN(40)
		parents := make([]int, nodes-1)
		for i := range parents {
			parents[i] = max(rng.IntN(i+1), i-rng.IntN(8))
		}
		var rows []Row
		largest := 0
		for range 1 + rng.IntN(60) {
			m := 1 + rng.IntN(9)
			r := 1 + rng.IntN(m)
			largest = max(largest, (m+r-1)/r)
			rows = split(rows, m, r, router.NodeID(1+rng.IntN(nodes-1)))
		}
		switching := []string{"store-forward", "cut-through"}[trial%2]
		run := packets(t, treeFile(t, parents), rows, nothing, "setup", []string{"0", "1", "3/2", "4"}[trial/2%4], "switching", switching)
		require.True(t, run.Delivered)
		require.LessOrEqual(t, run.MaxBufferFlits, largest)
		require.Equal(t, 2*largest, run.Network.Machine.Buffer)
	}
}

// A ring of buffers that are all full never moves again; the run says so and names the circle.
func TestFullBuffersDeadlockInACircle(t *testing.T) {
	for _, switching := range []string{"store-forward", "cut-through"} {
		var rows []Row
		for i := range 40 {
			rows = append(rows, Row{Message: int32(i + 1), Source: router.NodeID(i % 5), Destination: router.NodeID((i + 2) % 5), Flits: 2})
		}
		for _, regime := range regimes {
			run := packets(t, "ring:5", rows, nothing, append([]string{"buffer", "2", "switching", switching, "setup", "30"}, regime...)...)
			var deadlock *router.Deadlock
			require.ErrorAs(t, run.Failure, &deadlock)
			require.Len(t, deadlock.Chain, 5, "the buffers in the ring's direction")
			require.Less(t, deadlock.Cycle, router.Cycle(1000), "found when it happens")
			require.Contains(t, deadlock.Error(), "waits for room in node")
		}
	}
}

// Where packets for both directions wait in one order, a path can lock too; with
// all ports it cannot.
func TestPacketsWaitForTheirTurnInACircle(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	turns := 0
	for range 40 {
		var rows []Row
		for i := range 80 {
			from := rng.IntN(7)
			rows = append(rows, Row{Message: int32(i + 1), Source: router.NodeID(from), Destination: router.NodeID((from + 1 + rng.IntN(6)) % 7), Flits: 1 + rng.IntN(4)})
		}
		require.True(t, packets(t, "path:7", rows, nothing, append([]string{"buffer", "4"}, regimes[1]...)...).Delivered)
		run := packets(t, "path:7", rows, nothing, "buffer", "4")
		var deadlock *router.Deadlock
		if run.Delivered {
			continue
		}
		require.ErrorAs(t, run.Failure, &deadlock)
		if strings.Contains(deadlock.Error(), "for its turn after node") {
			turns++
		}
	}
	require.Positive(t, turns)
}

// steps counts the cycles that the clock did not skip.
type steps struct{ taken int }

func (s *steps) Evaluate(fabric.Signals) {}
func (s *steps) Update(fabric.Signals)   { s.taken++ }
func (s *steps) Wakes() router.Cycle     { return fabric.Never }

// Set-ups may be long: the clock skips them, and nobody takes them for a deadlock.
func TestLongSetupsAreSkipped(t *testing.T) {
	const setup = 1048575
	rows := split(split(nil, 9, 3, 7), 4, 2, 5)
	clock := &steps{}
	run := packets(t, "path:8", rows, func(n *fabric.Network) error { n.Attach(clock); return nil },
		"setup", fmt.Sprint(setup), "flit", "2", "startup", "3")
	require.True(t, run.Delivered)
	require.Greater(t, run.Cycles, router.Cycle(9*setup))
	require.Positive(t, clock.taken)
	require.Less(t, clock.taken, setup/100)
}

// What is skipped is only what nobody sees.
func TestSkippingChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for trial := range 20 {
		var rows []Row
		for i := range 50 {
			from := rng.IntN(12)
			rows = append(rows, Row{
				Message: int32(i + 1), Source: router.NodeID(from), Destination: router.NodeID((from + 1 + rng.IntN(11)) % 12),
				Flits: 1 + rng.IntN(5), Dispatch: router.Cycle(rng.IntN(2000)),
			})
		}
		settings := []string{"setup", []string{"40", "61/2", "100"}[trial%3], "switching", []string{"store-forward", "cut-through"}[trial%2], "startup", "7"}
		settings = append(settings, regimes[trial/2%2]...)
		fast := packets(t, "mesh:4x3", rows, nothing, settings...)
		slow := packets(t, "mesh:4x3", rows, func(n *fabric.Network) error { n.KeepBlocked(); return nil }, settings...)
		require.True(t, fast.Delivered)
		require.Equal(t, slow.Network.Log(), fast.Network.Log())
		require.Equal(t, slow.Cycles, fast.Cycles)
		require.Equal(t, slow.Network.LinkUse(), fast.Network.LinkUse())
	}
}

func TestExecuteRefusesPacketsThatDoNotFit(t *testing.T) {
	topo, err := topology.Parse("path:3")
	require.NoError(t, err)
	for _, row := range []struct{ key, value, want string }{
		{"packet", "3", "packet 3: the largest packet has 4 flits (expected at least as many, or 0)"},
		{"buffer", "3", "buffer 3: the largest packet has 4 flits (expected room for a packet, or 0)"},
		{"nic.channels", "links", "nic.channels links with ports single on a machine of switching store-forward (expected nic.channels 1)"},
	} {
		m, err := machine.Preset("store-forward")
		require.NoError(t, err)
		require.NoError(t, m.Set(row.key, row.value))
		_, err = Execute(t.Context(), &Schedule{Rows: split(nil, 4, 1, 2)}, topo, m)
		require.EqualError(t, err, row.want)
	}
}
