// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/internal/soak"
	"meshwright/router"
)

// ledger writes down which ticks of which link are busy and blocked: the slow
// twin of LinkUse and Quiet.
type ledger struct {
	net           *fabric.Network
	busy, blocked map[string]map[router.Cycle]int // by link
	end           router.Cycle
}

func newLedger(n *fabric.Network) *ledger {
	n.KeepBlocked()
	l := &ledger{n, map[string]map[router.Cycle]int{}, map[string]map[router.Cycle]int{}, 0}
	n.Attach(l)
	return l
}

func (l *ledger) Evaluate(s fabric.Signals) {
	if s.Taking() {
		l.end = max(l.end, l.net.ArrivalTime(s.Now()))
	}
}

func (l *ledger) Update(s fabric.Signals) {
	for o := range s.Offers() {
		if int(o.Port) >= l.net.Topology.Ports(o.Node) {
			continue
		}
		link := linkKey(o.Node, o.Port)
		if !o.Fired {
			mark(l.blocked, link, s.Now())
			continue
		}
		from, until := l.net.Holds(s.Now(), o.Node, o.Port, o.Flit)
		for ; from < until; from++ {
			mark(l.busy, link, from)
		}
		if !l.net.Even() { // a slow link may be busy when the network is quiet
			until = s.Now() + router.Cycle(l.net.Machine.Flit)
		}
		l.end = max(l.end, until)
	}
}

func linkKey(node router.NodeID, port router.Port) string { return fmt.Sprintf("%d.%d", node, port) }

func mark(ticks map[string]map[router.Cycle]int, link string, tick router.Cycle) {
	if ticks[link] == nil {
		ticks[link] = map[router.Cycle]int{}
	}
	ticks[link][tick]++
}

// randomNetwork is a machine of any kind on a small network, and its name.
func randomNetwork(t *testing.T, r *rand.Rand) (*fabric.Network, string) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	spec := pick("path:5", "ring:6", "mesh:3x3", "torus:3x4", "hypercube:3", "hub:5", "binary:2")
	preset := pick("wormhole", "bufferless", "store-forward", "cut-through", "paragon")
	settings := []string{"startup", pick("0", "0", "3", "11"), "flit", pick("1", "1", "2", "3")}
	switch preset {
	case "paragon":
		spec, preset = "mesh:3x3", "wormhole"
		settings = append(settings, "nic.duplex", "half")
	case "cut-through":
		preset = "store-forward"
		settings = append(settings, "switching", "cut-through")
	}
	if preset == "store-forward" {
		settings = append(settings, "packet", "6", "setup", pick("0", "1", "4", "3/2", "7/3"))
		if pick("single", "all") == "all" {
			settings = append(settings, "ports", "all", "nic.channels", "links")
		}
	} else {
		settings = append(settings, "hop", pick("1", "1", "2", "4"), "ports", pick("all", "single"))
	}
	if preset == "wormhole" {
		settings = append(settings, "vcs", pick("1", "2", "4"), "buffer", pick("1", "2", "8"), "links", pick("even", "0-1,hop=7,flit=6 1>2,flit=4"))
		if spec == "hub:5" || spec == "binary:2" || spec == "hypercube:3" {
			settings[len(settings)-1] = pick("even", "0-1,hop=7,flit=6 1>0,flit=4")
		}
	}
	return network(t, spec, preset, settings...), fmt.Sprint(spec, " ", preset, " ", settings)
}

// In every run, whatever the machine, a link's busy ticks are those that the flits
// on it keep it; they, the blocked and the idle ones are the time until the network
// is quiet; and a busy share is at most 1.
func TestBusyIsAShareOfTheTime(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	stuck, lost := 0, 0
	for range soak.Number(500, 1500) {
		n, name := randomNetwork(t, r)
		l := newLedger(n)
		s := &script{}
		for range 1 + r.IntN(40) {
			from := r.IntN(n.Topology.Nodes())
			to := (from + 1 + r.IntN(n.Topology.Nodes()-1)) % n.Topology.Nodes()
			s.add(router.Cycle(r.IntN(30)), router.NodeID(from), router.NodeID(to), 1+r.IntN(6))
		}
		n.Attach(s)
		err := n.Run(context.Background(), 1<<20)
		var locked *router.Deadlock
		if errors.As(err, &locked) {
			stuck++
		} else {
			require.NoError(t, err, name)
		}
		if _, count := n.Collisions(); count > 0 {
			lost++
		}
		requireLedger(t, n, l, name, err == nil)
	}
	t.Log(stuck, lost)
	require.Greater(t, lost, 30)
	require.Greater(t, stuck, 3)
}

func requireLedger(t *testing.T, n *fabric.Network, l *ledger, name string, ended bool) {
	t.Helper()
	require.Equal(t, l.end, n.Quiet(), name)
	_, hottest, _ := n.Hottest()
	links := n.Topology.Links()
	for _, u := range n.LinkUse() {
		key := linkKey(links[u.Link].From, links[u.Link].FromPort)
		if !n.Even() && ended {
			maps.DeleteFunc(l.busy[key], func(tick router.Cycle, _ int) bool { return tick >= l.end })
		}
		require.Len(t, l.busy[key], int(u.Busy), name)
		require.LessOrEqual(t, u.Busy, hottest.Busy, name)
		for tick, flits := range l.busy[key] {
			require.Equal(t, 1, flits, name)
			require.True(t, tick < l.end || !n.Even() && !ended, name)
			require.GreaterOrEqual(t, tick, router.Cycle(0), name)
		}
		share := n.BusyShare(u)
		require.GreaterOrEqual(t, share, 0.0, name)
		require.LessOrEqual(t, share, 1.0, name)
		if ended {
			require.Len(t, l.blocked[key], int(u.Blocked), name)
			require.EqualValues(t, n.Quiet(), u.Busy+u.Blocked+u.Idle, name)
			for tick := range l.blocked[key] {
				require.Zero(t, l.busy[key][tick], name)
			}
		}
	}
}

// A slow link is hotter than a fast one with more flits.
func TestTheHottestLinkIsBusyForLongest(t *testing.T) {
	n := network(t, "path:3", "wormhole", "links", "1-2,flit=4")
	s := &script{}
	s.add(0, 0, 1, 6)
	s.add(0, 0, 2, 4)
	n.Attach(s)
	require.NoError(t, n.Run(context.Background(), 1<<20))
	link, use, ok := n.Hottest()
	require.True(t, ok)
	require.Equal(t, []router.NodeID{1, 2}, []router.NodeID{link.From, link.To})
	require.EqualValues(t, 4, use.Flits)
}
