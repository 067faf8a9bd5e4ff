// SPDX-License-Identifier: Apache-2.0

package router_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/router"
)

// noise sends random messages, so many that flits are lost in the middle of worms.
type noise struct {
	rng   *rand.Rand
	nodes int
}

func (c *noise) Evaluate(s fabric.Signals) {
	for v := range router.NodeID(c.nodes) {
		to := router.NodeID(c.rng.IntN(c.nodes))
		if c.rng.IntN(12) == 0 && to != v && s.CanSend(v, to, nil) {
			s.Send(fabric.Message{Source: v, Destination: to, Length: 1 + c.rng.IntN(1+c.rng.IntN(6))})
		}
	}
}
func (c *noise) Update(fabric.Signals) {}

// A flit that takes the route of the flit before it takes its own route: whatever is lost,
// and whichever worm has a slot of the table after another.
func TestFlitsOfAWormAreRoutedAlike(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 21))
		pick := func(list ...string) string { return list[random.IntN(len(list))] }
		n := network(t, pick("path:9", "mesh:4x4", "torus:3x4", "hypercube:4"), "switching", "bufferless", "ports", pick("all", "single"),
			"nic.channels", pick("1", "links"), "nic.duplex", pick("full", "half"), "hop", pick("1", "3"), "flit", pick("1", "3"), "routing", pick("dor", "source"))
		n.Attach(&noise{random, n.Topology.Nodes()})
		alike := 0
		for range 1500 {
			n.Step()
			known, wrong := n.Bank().CheckRoutes()
			require.Zero(t, wrong, fmt.Sprint("seed ", seed))
			alike += known
		}
		_, collisions := n.Collisions()
		require.Positive(t, collisions)
		require.Positive(t, n.Delivered())
		require.Positive(t, alike)
	}
}
