// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/internal/soak"
	"meshwright/router"
)

var flights = flag.Int("flights", soak.Number(800, 40000), "random runs that are flown and stepped")

// postman sends messages at given cycles or as soon as their channels are free, answers some that it
// receives, and notes the cycle of everything that it sees. It needs only messages.
type postman struct {
	due      [][]fabric.Message // by cycle
	waiting  []fabric.Message
	answers  int // how many messages are answered
	seen     []string
	answered int
}

func (p *postman) OnlyMessages() {}

func (p *postman) Evaluate(s fabric.Signals) {
	for _, m := range s.Received() {
		p.seen = append(p.seen, fmt.Sprintf("%d: received %d, times %v", s.Now(), m.Serial, m.Times))
		if p.answered < p.answers {
			p.answered++
			p.waiting = append(p.waiting, fabric.Message{Source: m.Destination, Destination: m.Source, Length: 1 + m.Length/2, Kind: router.Order})
		}
	}
	for node, channel := range s.Freed() {
		p.seen = append(p.seen, fmt.Sprintf("%d: freed %d.%d", s.Now(), node, channel))
	}
	for len(p.due) > 0 && p.due[0] != nil {
		if p.due[0][0].Tag > uint32(s.Now()) {
			break
		}
		p.waiting, p.due = append(p.waiting, p.due[0]...), p.due[1:]
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(m fabric.Message) bool {
		_, err := s.Send(m)
		return err == nil
	})
}

func (p *postman) Update(fabric.Signals) {}

func (p *postman) Finished() bool { return len(p.due) == 0 && len(p.waiting) == 0 }

func (p *postman) Wakes() router.Cycle {
	if len(p.due) == 0 {
		return fabric.Never
	}
	return router.Cycle(p.due[0][0].Tag)
}

// pedant is a component for which messages are not enough.
type pedant struct{}

func (pedant) Evaluate(fabric.Signals) {}
func (pedant) Update(fabric.Signals)   {}
func (pedant) Wakes() router.Cycle     { return fabric.Never }

// watcher keeps what the network shows in a cycle.
type watcher struct {
	offers []router.Offer
	flits  []router.Delivery
	placed []fabric.Placement
}

func (w *watcher) Evaluate(s fabric.Signals) {
	w.flits = plainFlits(s, append([]router.Delivery{}, s.Flits()...))
}

func (w *watcher) Update(s fabric.Signals) {
	w.offers = slices.Collect(s.Offers())
	for i := range w.offers {
		w.offers[i].Flit.Worm = uint32(s.Worm(w.offers[i].Flit).Message)
	}
	w.placed = append([]fabric.Placement{}, s.Placed()...)
	for i := range w.placed {
		w.placed[i].Flit.Worm = uint32(s.Worm(w.placed[i].Flit).Message)
	}
}

func plainFlits(s fabric.Signals, flits []router.Delivery) []router.Delivery {
	for i := range flits {
		flits[i].Flit.Worm = uint32(s.Worm(flits[i].Flit).Message)
	}
	return flits
}

// outcome is what can be seen of a network after a run.
type outcome struct {
	Err        string
	Now        router.Cycle
	Seen       []string
	Log        []fabric.Sent
	Links      []fabric.LinkUse
	Delivered  uint64
	Quiet      router.Cycle
	Taken      router.Cycle
	Cycles     router.Cycle
	Buffer     int
	Node       router.NodeID
	Port       router.Port
	Collisions []router.Collision
	Lost       int
	Held       int
	Levels     []int
}

func outcomeOf(n *fabric.Network, p *postman, m *fabric.Meter, err error) outcome {
	list, lost := n.Collisions()
	return outcome{
		fmt.Sprint(err), n.Now(), p.seen, n.Log(), n.LinkUse(), n.Delivered(), n.Quiet(), n.LastTaken(),
		m.Cycles, m.MaxBufferFlits, m.Fullest, m.FullestPort, list, lost, n.Bank().Held(), slices.Collect(n.Bank().Occupancies()),
	}
}

// flightCase is a network with messages.
type flightCase struct {
	spec     string
	settings []string
	due      [][]fabric.Message
	answers  int
}

func (c *flightCase) String() string { return fmt.Sprint(c.spec, " ", c.settings) }

func randomFlights(t *testing.T, random *rand.Rand) *flightCase {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	c := &flightCase{spec: pick("path:9", "mesh:4x4", "mesh:3x3x2", "torus:3x5", "ring:6", "hypercube:3", "torus:2x4", "debruijn:3", "star:4", "twisted-torus:3x4", "mesh:5x7", "torus:4x8", "tree:../examples/trees/binary.csv")}
	c.settings = []string{
		"switching", pick("wormhole", "wormhole", "wormhole", "bufferless"), "ports", pick("all", "all", "single"), "nic.channels", pick("1", "links"),
		"nic.duplex", pick("full", "full", "half"), "hop", pick("1", "1", "3"), "flit", pick("1", "1", "2"), "startup", pick("0", "0", "7", "200"),
		"buffer", pick("4", "4", "2", "1"), "watchdog", pick("10", "64"), "header", pick("wires", "wires", "flit"),
	}
	if c.settings[1] == "wormhole" && random.IntN(2) == 0 {
		c.settings = append(c.settings, "vcs", pick("1", "2", "4"))
	}
	if random.IntN(4) == 0 {
		c.settings = append(c.settings, "routing", "source")
	}
	n := network(t, c.spec, "wormhole", c.settings...)
	c.answers = random.IntN(3) * random.IntN(20)
	nodes, root := n.Topology.Nodes(), router.NodeID(random.IntN(n.Topology.Nodes()))
	longest := 1 + random.IntN(1+random.IntN(40))
	var list []fabric.Message
	add := func(at int, from, to router.NodeID, length int) {
		if from != to {
			list = append(list, fabric.Message{Source: from, Destination: to, Length: length, Tag: uint32(max(0, at)), Kind: router.Kind(random.IntN(12) / 11)})
		}
	}
	at := 0
	switch random.IntN(5) {
	case 0: // a scatter
		for _, v := range random.Perm(nodes) {
			add(at, root, router.NodeID(v), 1+random.IntN(longest))
		}
	case 1: // a gather whose messages arrive one after the other
		at = nodes * n.Machine.Hop
		for _, v := range random.Perm(nodes) {
			length := 1 + random.IntN(longest)
			add(at-n.Distance(router.NodeID(v), root)*n.Machine.Hop, router.NodeID(v), root, length)
			at += length*n.Machine.Flit + random.IntN(2)
		}
	case 2: // neighbours
		for range random.IntN(100) {
			v := router.NodeID(random.IntN(nodes))
			if to := n.Topology.Neighbor(v, router.Port(random.IntN(n.Topology.Ports(v)))); to != router.None {
				add(at, v, to, 1+random.IntN(longest))
			}
			at += random.IntN(4) / 3
		}
	default: // anything
		gap := 1 + random.IntN(1+random.IntN(60))
		for range random.IntN(120) {
			add(at, router.NodeID(random.IntN(nodes)), router.NodeID(random.IntN(nodes)), 1+random.IntN(longest))
			at += random.IntN(gap)
		}
	}
	slices.SortStableFunc(list, func(a, b fabric.Message) int { return int(a.Tag) - int(b.Tag) })
	for len(list) > 0 {
		k := 1
		for k < len(list) && list[k].Tag == list[0].Tag {
			k++
		}
		c.due, list = append(c.due, list[:k]), list[k:]
	}
	return c
}

// Runs in which worms fly and runs that step flit by flit show the same at every cycle at which a
// run may stop, and the same flits in all cycles that follow.
func TestWormsFlyAsFlitsMove(t *testing.T) {
	flew, met, clean := 0, 0, 0
	for seed := range *flights {
		random := rand.New(rand.NewPCG(uint64(seed), 77))
		c := randomFlights(t, random)
		name := fmt.Sprint("seed ", seed, ": ", c)
		var nets [2]*fabric.Network
		var posts [2]*postman
		var meters [2]*fabric.Meter
		var seen [2]*watcher
		for i := range nets {
			nets[i] = network(t, c.spec, "wormhole", c.settings...)
			nets[i].KeepLog()
			if seed%2 == 0 {
				nets[i].KeepTimes()
			}
			posts[i] = &postman{due: c.due, answers: c.answers}
			nets[i].Attach(posts[i])
			meters[i] = fabric.NewMeter(nets[i])
		}
		nets[1].Attach(pedant{})
		run := func(limit router.Cycle) error {
			var outcomes [2]outcome
			var last error
			for i := range nets {
				last = nets[i].Run(context.Background(), limit)
				outcomes[i] = outcomeOf(nets[i], posts[i], meters[i], last)
			}
			require.Equal(t, outcomes[1], outcomes[0], name)
			return last
		}
		stops := random.IntN(3)
		for range stops {
			_ = run(nets[0].Now() + router.Cycle(random.IntN(60)))
		}
		if random.IntN(3) > 0 {
			_ = run(10000)
		}
		landed, meeting := nets[0].Flown()
		if landed > 0 {
			flew++
			if meeting && stops == 0 {
				met++
			}
			if !meeting {
				clean++
			}
		}
		for i := range nets {
			seen[i] = &watcher{}
			nets[i].Attach(seen[i])
		}
		more := random.IntN(2)
		for range 60 * more {
			for i := range nets {
				if v := random.IntN(nets[0].Topology.Nodes()); i == 0 && v > 0 && random.IntN(3) == 0 {
					m := fabric.Message{Source: router.NodeID(v), Destination: router.NodeID(random.IntN(v)), Length: 1 + random.IntN(6)}
					posts[0].waiting, posts[1].waiting = append(posts[0].waiting, m), append(posts[1].waiting, m)
				}
				nets[i].Step()
			}
			require.Equal(t, seen[1], seen[0], "%s, cycle %d", name, nets[0].Now())
		}
		if more > 0 {
			_ = run(10000)
		}
	}
	require.Greater(t, flew, *flights/3, "most runs fly")
	require.Greater(t, met, *flights/20, "worms meet")
	require.Greater(t, clean, *flights/20, "some runs fly to the end")
}

var _ fabric.Messenger = (*postman)(nil)
