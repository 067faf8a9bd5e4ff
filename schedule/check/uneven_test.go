// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
)

// crossing is a flit of a message that crosses a link or is taken by a PE.
type crossing struct {
	cycle   router.Cycle
	node    router.NodeID
	port    router.Port
	message int32
}

// watch notes all crossings of a run.
type watch struct {
	net    *fabric.Network
	player *schedule.Player
	seen   map[crossing]bool
}

func (c *watch) Evaluate(fabric.Signals) {}

func (c *watch) Update(s fabric.Signals) {
	for o := range s.Offers() {
		if o.Fired {
			message, _ := c.player.Message(c.net.Bank().Worm(o.Flit.Worm).Message)
			c.seen[crossing{s.Now(), o.Node, o.Port, message}] = true
		}
	}
}

// runCrossings returns the crossings of a run of the cycle model, and when the last flit had been taken.
func runCrossings(t *testing.T, rows []schedule.Row, top *topology.Topology, m machine.Machine) (*fabric.Network, map[crossing]bool) {
	net, err := fabric.New(top, m)
	require.NoError(t, err)
	player, err := schedule.NewPlayer(net, &schedule.Schedule{Rows: rows})
	require.NoError(t, err)
	net.KeepLog()
	net.Attach(player)
	c := &watch{net, player, map[crossing]bool{}}
	net.Attach(c)
	_ = net.Run(context.Background(), 1<<20) // messages that wait for one another may do so for ever
	return net, c.seen
}

// unevenMachine is a wormhole machine with links that are slower than others.
func unevenMachine(r *rand.Rand, t *topology.Topology) machine.Machine {
	m, _ := machine.Preset("wormhole")
	m.Ports = []machine.Regime{machine.AllPort, machine.SinglePort}[r.IntN(2)]
	m.Channels, m.Buffer, m.VCs = r.IntN(2), 1+r.IntN(1+r.IntN(9)), []int{0, 0, 2, 4}[r.IntN(4)]
	if r.IntN(4) == 0 {
		m.Duplex = machine.Half
	}
	if r.IntN(2) == 0 {
		m.Hop, m.Flit = 1+r.IntN(3), 1+r.IntN(3)
	}
	if r.IntN(4) == 0 {
		m.Startup = r.IntN(5)
	}
	if t.IsGrid() && r.IntN(4) == 0 {
		m.Routing = machine.ReverseOrder
	}
	if r.IntN(8) == 0 {
		m.Routing = machine.UpDown
	}
	var specs []string
	for link := range t.EachLink() {
		if r.IntN(3) == 0 {
			specs = append(specs, fmt.Sprintf("%d>%d,hop=%d,flit=%d", link.From, link.To, m.Hop+r.IntN(5), m.Flit+r.IntN(5)))
		}
	}
	if len(specs) == 0 {
		specs = []string{fmt.Sprintf("all,hop=%d", m.Hop)}
	}
	if err := m.Set("links", strings.Join(specs, " ")); err != nil {
		panic(err)
	}
	return sometimesHeaderFlit(r, m)
}

// The checker of links that are not alike says of random schedules what the model shows: every flit crosses every link in the cycle in which it does so
// when its message is alone, or else the first collision is in the first cycle in which one does not.
func TestUnevenLinksAgreeWithTheModel(t *testing.T) {
	topologies := randomTopologies(t)
	free := 0
	runs := soak.Number(2000, 40000)
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 0x6c696e6b73))
		top := topologies[r.IntN(len(topologies))]
		m := unevenMachine(r, top)
		if _, err := m.Resolve(top); err != nil {
			continue // a lane of a ring is a pair of virtual channels
		}
		s := &schedule.Schedule{File: "random"}
		routes, horizon := r.IntN(3) == 0, 1+r.IntN(200)
		if routes {
			m.Routing = machine.Source
		}
		alone := map[crossing]bool{}
		for range 1 + r.IntN(1+r.IntN(8)) {
			row := randomRow(r, top, m, len(s.Rows), horizon, routes)
			row.Flits += r.IntN(1 + r.IntN(12))
			s.Rows = append(s.Rows, row)
			_, seen := runCrossings(t, []schedule.Row{row}, top, m)
			for c := range seen {
				alone[c] = true
			}
		}
		got, err := Check(s, top, m, KeepArrivals())
		require.NoError(t, err)
		if requireUnevenRun(t, top, m, s, got, alone) {
			free++
		}
	}
	require.Greater(t, free, runs/8)
	require.Less(t, free, runs*7/8)
}

// requireUnevenRun compares a report with the run of all messages together. It returns whether there are no collisions.
func requireUnevenRun(t *testing.T, top *topology.Topology, m machine.Machine, s *schedule.Schedule, got *Report, alone map[crossing]bool) bool {
	for _, c := range got.First {
		if c.Rows[0] == c.Rows[1] || c.Rows[0] < 0 { // a walk that meets itself, or a startup before cycle 0
			return false
		}
	}
	net, seen := runCrossings(t, s.Rows, top, m)
	first := router.Cycle(-1)
	for c := range alone {
		if !seen[c] && (first < 0 || c.cycle < first) {
			first = c.cycle
		}
	}
	fail := func(text string, args ...any) {
		t.Fatalf("%s\nchecker %v\n%s", fmt.Sprintf(text, args...), got.First, describe(top, m, s))
	}
	if got.OK != (first < 0) {
		fail("a flit is late in cycle %d", first)
	}
	if !got.OK {
		if got.First[0].Cycle != first {
			fail("the first flit is late in cycle %d", first)
		}
		for _, c := range got.First[:1] { // the delay clears the pair, and none before it does
			pair := &schedule.Schedule{Rows: []schedule.Row{s.Rows[c.Rows[0]], s.Rows[c.Rows[1]]}}
			for d := router.Cycle(1); d <= c.Delay; d++ {
				pair.Rows[1].Dispatch = s.Rows[c.Rows[1]].Dispatch + d
				r, err := Check(pair, top, m)
				require.NoError(t, err)
				if r.OK != (d == c.Delay) {
					fail("delay %d: %v", d, r.First)
				}
			}
		}
		return false
	}
	for _, sent := range net.Log() {
		row := sent.Tag
		if sent.Arrival != got.Arrivals[row] {
			fail("message %d arrives in %d, not in %d", row, sent.Arrival, got.Arrivals[row])
		}
	}
	require.Equal(t, net.Quiet(), got.Quiet)
	for i, use := range net.LinkUse() {
		if (LinkUse{Flits: use.Flits, Busy: use.Busy}) != got.Links[i] {
			fail("link %d: %v, not %v", i, use, got.Links[i])
		}
	}
	require.LessOrEqual(t, got.LowerBound, got.Cycles)
	return true
}
