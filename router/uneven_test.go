// SPDX-License-Identifier: Apache-2.0

package router_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/traffic"
	"meshwright/internal/soak"
	"meshwright/router"
)

// Links that all get the times of a key by themselves work as those that have them from the key, in every cycle.
func TestLinksWithTheTimesOfTheKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 71))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for k := range soak.Number(40, 1500) {
		spec, hop, flit := pick("mesh:4x3", "torus:4x4", "path:6", "ring:5", "hypercube:3", "random-tree:12,4"), 1+random.IntN(6), 1+random.IntN(4)
		settings := []string{
			"buffer", strconv.Itoa(1 + random.IntN(9)), "nic.channels", pick("1", "links"), "nic.duplex", pick("full", "half"), "vcs", pick("2", "4"),
			"ports", pick("all", "single"), "claim", pick("0", "1"), "flit", strconv.Itoa(flit),
		}
		if spec == "mesh:4x3" || spec == "torus:4x4" {
			settings = append(settings, "routing", pick("dor", "yx"))
		}
		nets := [2]*fabric.Network{
			network(t, spec, append(settings, "hop", strconv.Itoa(hop))...),
			network(t, spec, append(settings, "links", fmt.Sprintf("all,hop=%d,flit=%d", hop, flit))...),
		}
		name := fmt.Sprint(k, " ", spec, " ", nets[0].Machine.Describe())
		var seen [2]*recorder
		var meters [2]*fabric.Meter
		for i, n := range nets {
			n.KeepBlocked()
			uniform, err := traffic.NewUniform(n.Topology.Nodes(), 1+int(uint(k)%5), 0.05, uint64(k))
			require.NoError(t, err)
			n.Attach(uniform)
			seen[i], meters[i] = &recorder{}, fabric.NewMeter(n)
			n.Attach(seen[i])
		}
		for cycle := range 600 {
			nets[0].Step()
			nets[1].Step()
			if !slices.Equal(seen[0].offers, seen[1].offers) {
				require.Equal(t, seen[0].offers, seen[1].offers, "%s, cycle %d", name, cycle)
			}
		}
		require.Positive(t, nets[0].Delivered(), name)
		require.Equal(t, slices.Collect(nets[0].Bank().Occupancies()), slices.Collect(nets[1].Bank().Occupancies()), name)
		require.Equal(t, nets[0].LinkUse(), nets[1].LinkUse(), name)
		require.Equal(t, nets[0].Quiet(), nets[1].Quiet(), name)
		require.Equal(t, meters[0].MaxBufferFlits, meters[1].MaxBufferFlits, name)
	}
}

// lone sends one message at once.
type lone struct {
	message fabric.Message
	sent    bool
}

func (o *lone) Evaluate(s fabric.Signals) {
	if !o.sent {
		_, err := s.Send(o.message)
		o.sent = err == nil
	}
}
func (o *lone) Update(fabric.Signals) {}
func (o *lone) Finished() bool        { return o.sent }

// A message that is alone takes the startup, the hops of its route, for each flit but the last the time of the slowest link of the route, and for the last the
// machine's. Buffers are large enough for the full rate of each link.
func TestOneMessageOverUnevenLinks(t *testing.T) {
	for seed := range uint64(soak.Number(150, 5000)) {
		g := rand.New(rand.NewPCG(seed, 0x6c696e6b))
		startup, hop, flit := g.IntN(9), 1+g.IntN(3), 1+g.IntN(3)
		topo := network(t, []string{"path:7", "mesh:4x4", "torus:4x5", "hypercube:4", "random-tree:15,3"}[g.IntN(5)]).Topology
		var specs []string
		for link := range topo.EachLink() {
			if g.IntN(2) == 0 {
				specs = append(specs, fmt.Sprintf("%d>%d,hop=%d,flit=%d", link.From, link.To, hop+g.IntN(9), flit+g.IntN(4)))
			}
		}
		n := network(t, topo.String(), "startup", strconv.Itoa(startup), "hop", strconv.Itoa(hop), "flit", strconv.Itoa(flit), "buffer", "16",
			"ports", []string{"all", "single"}[g.IntN(2)], "nic.duplex", []string{"full", "half"}[g.IntN(2)], "nic.channels", []string{"1", "links"}[g.IntN(2)],
			"links", cmp.Or(strings.Join(specs, " "), "even"))
		m := fabric.Message{Source: router.NodeID(g.IntN(topo.Nodes())), Length: 1 + g.IntN(30)}
		m.Destination = (m.Source + 1 + router.NodeID(g.IntN(topo.Nodes()-1))) % router.NodeID(topo.Nodes())
		n.KeepLog()
		n.Attach(&lone{message: m})
		require.NoError(t, n.Run(context.Background(), 1<<20))
		want, slowest := router.Cycle(startup+flit), router.Cycle(flit)
		for at := m.Source; at != m.Destination; {
			p := n.Next(at, m.Destination)
			want, slowest = want+router.Cycle(n.Hop(at, p)), max(slowest, n.FlitTime(at, p))
			at = topo.Neighbor(at, p)
		}
		require.Equal(t, want+router.Cycle(m.Length-1)*slowest-router.Cycle(startup), n.Transfer(&n.Log()[0]))
		require.Equal(t, want+router.Cycle(m.Length-1)*slowest, n.Log()[0].Arrival, "seed %d: %s, %s", seed, topo, n.Machine.Describe())
	}
}
