// SPDX-License-Identifier: Apache-2.0

package router

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/snapshot"
)

// The state of every engine can be kept in a checkpoint: a field that is no state has the tag snapshot.
func TestStatesCanBeKept(t *testing.T) {
	path := func(c *Config) { // of 40 chips: a small grid
		c.PortBase, c.Peer = nil, nil
		for n := range int32(40) {
			c.PortBase = append(c.PortBase, 2*n)
			c.Peer = append(c.Peer, 2*n+3, 2*n-2)
		}
		c.PortBase, c.Peer[1], c.Peer[78] = append(c.PortBase, 80), -1, -1
		c.Routing = NewDimensionOrder([]int{40}, []bool{false})
	}
	for _, change := range []func(*Config){
		func(*Config) {},
		path,
		func(c *Config) { path(c); c.VCs = 2 },
		func(c *Config) { c.VCs = 2 },
		func(c *Config) {
			c.VCs, c.SinglePort, c.HalfDuplex, c.Hop, c.Flit, c.Faulty = 3, true, true, 2, 2, true
		},
		func(c *Config) { c.Bufferless, c.Hop, c.SinglePort = true, 2, true },
		func(c *Config) { c.Packet, c.Setup, c.PerLink = 3, 2, true },
	} {
		cfg := Config{
			PortBase: []int32{0, 1, 2}, Peer: []int32{1, 0}, Routing: NewDimensionOrder([]int{2}, []bool{false}), VCs: 1, Buffer: 4, Hop: 1, Flit: 1,
		}
		change(&cfg)
		b := NewBank(cfg)
		_, err := snapshot.Of(b)
		require.NoError(t, err, "%T", b.engine)
	}
}
