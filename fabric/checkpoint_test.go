// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/snapshot"
	"meshwright/router"
)

var restored = flag.Int("restored", 12, "random machines whose runs are restored")

// rain is a component that sends random messages for some cycles and notes what arrives.
type rain struct {
	rng      *rand.Rand
	nodes    int
	longest  int
	until    router.Cycle
	received []string
	shown    []string `snapshot:"-"` // offers and strikes of the cycle

	interrupt func()       `snapshot:"-"` // called in cycle at; nil: not
	at        router.Cycle `snapshot:"-"`
}

func (r *rain) Evaluate(s fabric.Signals) {
	if r.interrupt != nil && s.Now() >= r.at {
		r.interrupt()
	}
	for _, m := range s.Received() {
		r.received = append(r.received, fmt.Sprint(s.Now(), m.Serial, m.Source, m.Destination, m.Words))
	}
	for node := range r.nodes {
		if s.Now() >= r.until || r.rng.IntN(5) > 0 {
			continue
		}
		m := fabric.Message{Source: router.NodeID(node), Destination: router.NodeID(r.rng.IntN(r.nodes)), Tag: r.rng.Uint32N(9)}
		for range 1 + r.rng.IntN(r.longest) {
			m.Words = append(m.Words, r.rng.Uint32N(256))
		}
		if m.Source != m.Destination && s.CanSend(m.Source, m.Destination, nil) {
			s.Send(m)
		}
	}
}

func (r *rain) Update(s fabric.Signals) {
	r.shown = r.shown[:0]
	for o := range s.Offers() {
		r.shown = append(r.shown, fmt.Sprint(o, s.Word(o.Flit)))
	}
	slices.Sort(r.shown)
	r.shown = append(r.shown, fmt.Sprint(s.Strikes(), s.Placed(), s.Decoded()))
}

func (r *rain) Finished() bool { return r.received != nil && r.until < 1 }

// randomMachine returns a machine that the topology can have, and its settings.
func randomMachine(t *testing.T, rng *rand.Rand) (*topology.Topology, machine.Machine, string) {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	for {
		topo, err := topology.Parse(pick("mesh:3x3", "torus:3x3", "ring:5", "path:4", "star:4", "hypercube:3", "binary:3", "twisted-torus:3x4"))
		require.NoError(t, err)
		preset := pick("wormhole", "wormhole", "bufferless", "store-forward", "wormhole")
		m, err := machine.Preset(preset)
		require.NoError(t, err)
		settings := topo.String() + " " + preset
		set := func(key string, values ...string) {
			if value := pick(values...); value != "" && m.Set(key, value) == nil {
				settings += " " + key + "=" + value
			}
		}
		switch preset {
		case "wormhole":
			set("buffer", "1", "2", "3", "8")
			set("vcs", "", "1", "2", "3", "4")
			set("vc.choice", "", "free")
			set("hop", "", "", "2", "3")
			set("claim", "", "", "1")
			set("flit", "", "", "2")
			set("nic.duplex", "", "", "half")
			set("links", "even", "even", "all,hop=4,flit=3 0-1,hop=5")
		case "store-forward":
			set("switching", "store-forward", "cut-through")
			set("packet", "6")
			set("setup", "0", "2", "3/2")
		}
		set("ports", "", "single", "all")
		set("header", "", "flit")
		set("nic.channels", "", "1", "links")
		set("routing", "", "source", "table", "adaptive", "odd-even", "negative-first")
		set("startup", "", "0", "3", "20")
		set("code", "", "", "secded", "parity")
		if specs := pick("", "", "", "drop:0.1", "corrupt:0.2", "upset:0.2", "random:1", "drop:0.05 upset:0.1 corrupt:0.1"); specs != "" {
			m.Faults, err = fault.Parse(strings.Fields(specs), 7)
			require.NoError(t, err)
			settings += " faults " + specs
		}
		if _, err := fabric.New(topo, m); err == nil {
			return topo, m, settings
		}
	}
}

// rained is a network in the rain, with a meter.
func rained(t *testing.T, topo *topology.Topology, m machine.Machine, seed uint64) (*fabric.Network, *rain) {
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	n.KeepLog()
	if seed%2 == 0 {
		n.KeepBlocked()
	}
	r := &rain{rng: rand.New(rand.NewPCG(seed, 1)), nodes: topo.Nodes(), longest: 6, until: 60}
	n.Attach(r)
	fabric.NewMeter(n)
	return n, r
}

// step runs a cycle and returns what can be seen of it.
func step(n *fabric.Network, r *rain) string {
	n.Step()
	_, collisions := n.Collisions()
	occupied := slices.Collect(n.Bank().Occupancies())
	return fmt.Sprint(n.Now(), len(r.received), n.Delivered(), n.Losses(), n.BufferErrors(), collisions, occupied, n.Bank().Held(), r.shown)
}

func saved(t *testing.T, n *fabric.Network) []byte {
	var b bytes.Buffer
	a := snapshot.NewWriter(&b)
	require.NoError(t, a.Keep(n))
	require.NoError(t, a.Flush())
	return b.Bytes()
}

// A run that goes on from any of its states cannot be told from the run that was not
// interrupted: in every later cycle, and in its whole state at the end.
func TestRestoredRunsAreTheSameRuns(t *testing.T) {
	for seed := range uint64(*restored) {
		topo, m, settings := randomMachine(t, rand.New(rand.NewPCG(seed, 2)))
		restore(t, topo, m, settings, seed, 9)
	}
	for seed, spec := range []string{"mesh:5x7", "torus:4x8"} { // small grids have an engine of their own
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		require.NoError(t, m.Set("nic.channels", "1"))
		restore(t, topo, m, spec, uint64(seed), 29)
	}
}

// restore runs a network, and again from its state in some of the cycles.
func restore(t *testing.T, topo *topology.Topology, m machine.Machine, settings string, seed uint64, every int) {
	const cycles = 130
	n, r := rained(t, topo, m, seed)
	var want []string
	states := map[int][]byte{}
	for c := range cycles {
		if c%every == 0 {
			states[c] = saved(t, n)
		}
		want = append(want, step(n, r))
	}
	end := saved(t, n)
	for c, state := range states {
		again, rain := rained(t, topo, m, seed)
		require.NoError(t, snapshot.NewReader(bytes.NewReader(state), int64(len(state))).Keep(again), settings)
		require.Equal(t, state, saved(t, again), "seed %d, %s, restored in cycle %d", seed, settings, c)
		for k := c; k < cycles; k++ {
			require.Equal(t, want[k], step(again, rain), "seed %d, %s, restored in cycle %d, cycle %d", seed, settings, c, k)
		}
		require.Equal(t, end, saved(t, again), "seed %d, %s, restored in cycle %d", seed, settings, c)
		require.Equal(t, n.Log(), again.Log())
		require.Equal(t, n.LinkUse(), again.LinkUse())
		require.Equal(t, r.received, rain.received)
	}
}

// A run that is interrupted again and again, and goes on from its checkpoint each time, ends as
// the run that is not.
func TestInterruptedRunsGoOn(t *testing.T) {
	topo, err := topology.Parse("torus:4x4")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "state")
	begin := func() (*fabric.Network, *rain, *fabric.Checkpoints) {
		n, r := rained(t, topo, m, 3)
		r.until = 100_000
		c, err := fabric.NewCheckpoints(n, "1", fabric.Fact{Name: "--seed", Value: "3"})
		require.NoError(t, err)
		return n, r, c
	}
	const limit = 4000
	n, r, _ := begin()
	require.ErrorIs(t, n.Run(t.Context(), limit), fabric.ErrLimit)
	var again *fabric.Network
	var rain *rain
	for k := 0; ; k++ {
		ctx, cancel := context.WithCancel(t.Context())
		var c *fabric.Checkpoints
		if again, rain, c = begin(); k > 0 {
			require.NoError(t, c.Restore(path))
		}
		require.Greater(t, again.Now()+1, router.Cycle(k))
		c.Keep(path, 0)
		rain.interrupt, rain.at = cancel, again.Now()+900
		err := again.Run(ctx, limit)
		cancel()
		if err != context.Canceled {
			require.ErrorIs(t, err, fabric.ErrLimit)
			require.NoError(t, again.Stopped(t.Context()))
			require.Greater(t, k, 0)
			break
		}
		require.ErrorIs(t, again.Stopped(ctx), context.Canceled)
	}
	require.Equal(t, r.received, rain.received)
	require.Equal(t, n.Log(), again.Log())
	require.Equal(t, n.LinkUse(), again.LinkUse())
}

func TestCheckpointsThatCannotBeWritten(t *testing.T) {
	topo, err := topology.Parse("path:4")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	n, r := rained(t, topo, m, 1)
	r.until = 1000
	c, err := fabric.NewCheckpoints(n, "1")
	require.NoError(t, err)
	c.Keep(filepath.Join(t.TempDir(), "none", "state"), 10)
	err = n.Run(t.Context(), 100)
	require.ErrorAs(t, err, new(*fabric.Unsaved))
	require.ErrorContains(t, err, "no such file or directory")
	require.Equal(t, err, n.Stopped(t.Context()))
	require.EqualValues(t, 10, n.Now())
}

// closure is a component whose state cannot be kept.
type closure struct{ act func() }

func (c *closure) Evaluate(fabric.Signals) {}
func (c *closure) Update(fabric.Signals)   {}

func TestComponentsWithoutAStateAreNamed(t *testing.T) {
	topo, err := topology.Parse("path:4")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	n, _ := rained(t, topo, m, 1)
	n.Attach(&closure{act: func() {}})
	_, err = fabric.NewCheckpoints(n, "1")
	require.EqualError(t, err, "the state of fabric_test.closure.act cannot be kept: it is a func (expected a component of plain fields, or the tag snapshot)")
}
