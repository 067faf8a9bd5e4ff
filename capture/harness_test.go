// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

var update = flag.Bool("update", false, "rewrite golden files")

// send is a line of a script: a message, and the first cycle to send it in.
type send struct {
	at      router.Cycle
	message fabric.Message
}

// script sends messages, each source's in the order of their cycles, as soon
// as their cycle has come and their channel is free.
type script struct {
	due    []send // not sent because a channel was busy
	future []send // rising by cycle
}

func newScript(lines []send) *script {
	future := slices.Clone(lines)
	slices.SortStableFunc(future, func(a, b send) int { return int(a.at - b.at) })
	return &script{future: future}
}

func (c *script) Evaluate(s fabric.Signals) {
	for len(c.future) > 0 && c.future[0].at <= s.Now() {
		c.due, c.future = append(c.due, c.future[0]), c.future[1:]
	}
	held := map[router.NodeID]bool{}
	c.due = slices.DeleteFunc(c.due, func(line send) bool {
		from := line.message.Source
		if held[from] || !s.CanSend(from, line.message.Destination, nil) {
			held[from] = true
			return false
		}
		_, err := s.Send(line.message)
		return err == nil
	})
}

func (c *script) Update(fabric.Signals) {}

func (c *script) Finished() bool { return len(c.due)+len(c.future) == 0 }

func (c *script) Wakes() router.Cycle {
	if len(c.future) == 0 {
		return fabric.Never
	}
	return c.future[0].at
}

// data is a message whose words count up from 100 times its name.
func data(at router.Cycle, from, to router.NodeID, tag uint32, flits int) send {
	words := make([]uint32, flits)
	for i := range words {
		words[i] = 100*tag + uint32(i)
	}
	return send{at, fabric.Message{Source: from, Destination: to, Tag: tag, Words: words}}
}

// control is a word of control.
func control(at router.Cycle, kind router.Kind, from, to router.NodeID, value uint32) send {
	return send{at, fabric.Message{Source: from, Destination: to, Kind: kind, Words: []uint32{value}}}
}

// scripts of the papers' figures on a path of six nodes.
var figures = map[string][]send{
	"fig1a": {data(0, 0, 5, 5, 3), data(0, 0, 4, 4, 4)},
	"fig1b": {data(0, 0, 4, 4, 4), data(0, 0, 5, 5, 3)},
	"fig2": {
		control(0, router.Order, 0, 1, 1), control(1, router.Order, 1, 2, 2), control(2, router.Order, 2, 3, 3),
		control(3, router.Order, 3, 4, 1), control(4, router.Order, 4, 5, 2),
		data(2, 1, 0, 1, 2), data(3, 2, 0, 2, 3), data(5, 4, 0, 4, 2), data(6, 5, 0, 5, 1),
	},
	"fig3": {
		control(0, router.Order, 0, 1, 1), control(1, router.Order, 1, 2, 9), control(2, router.Order, 2, 3, 7),
		control(3, router.Order, 3, 4, 6), control(4, router.Order, 4, 5, 4),
		data(2, 1, 0, 1, 9), data(9, 3, 0, 3, 1), data(8, 5, 0, 5, 1),
	},
	"fig4": {
		control(0, router.Token, 0, 1, 0), control(1, router.Token, 1, 2, 0), control(2, router.Token, 2, 3, 0),
		control(3, router.Token, 3, 4, 0), control(4, router.Token, 4, 5, 0),
		control(5, router.Certificate, 5, 4, 1), control(6, router.Certificate, 4, 3, 2), control(7, router.Certificate, 3, 2, 4),
		control(8, router.Certificate, 2, 1, 3), control(9, router.Certificate, 1, 0, 3),
		control(10, router.Order, 0, 1, 3), control(11, router.Order, 1, 2, 3), control(12, router.Order, 2, 3, 4),
		control(13, router.Order, 3, 4, 2), control(14, router.Order, 4, 5, 2),
		data(13, 1, 0, 1, 2), data(14, 2, 0, 2, 3), data(15, 4, 0, 4, 2), data(16, 5, 0, 5, 1),
	},
}

// randomScript is traffic between random nodes, data and control.
func randomScript(nodes, messages, longest int, spread router.Cycle, seed uint64) []send {
	r := rand.New(rand.NewPCG(seed, 1))
	lines := make([]send, messages)
	for i := range lines {
		from := router.NodeID(r.IntN(nodes))
		to := router.NodeID(r.IntN(nodes - 1))
		if to >= from {
			to++
		}
		at := router.Cycle(r.Int64N(int64(spread)))
		if r.IntN(5) == 0 {
			lines[i] = control(at, router.Kind(1+r.IntN(3)), from, to, r.Uint32())
		} else {
			lines[i] = data(at, from, to, uint32(i+1), 1+r.IntN(longest))
		}
	}
	slices.SortStableFunc(lines, func(a, b send) int { return int(a.at - b.at) })
	return lines
}

// network makes the network of a topology and a machine preset; change adapts
// the machine.
func network(t testing.TB, spec, preset string, change func(*machine.Machine), options ...fabric.Option) *fabric.Network {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	if change != nil {
		change(&m)
	}
	net, err := fabric.New(topo, m, options...)
	require.NoError(t, err)
	return net
}

// run attaches a script and runs the network until it is done.
func run(t testing.TB, net *fabric.Network, lines []send) {
	t.Helper()
	net.Attach(newScript(lines))
	require.NoError(t, net.Run(context.Background(), 1<<40))
}

// record is a link crossing as the plain twin of all captures sees it.
type record struct {
	Cycle               router.Cycle
	From, To            router.NodeID
	Worm                router.Worm
	VC                  router.VC
	Head, Tail          bool
	Flit, Value         uint32
	Source, Destination router.NodeID
	Waited              router.Cycle // of a message's first flit on its first link: since it entered the injection register
}

// number is the message's number in the run.
func (r *record) number() int64 { return int64(r.Worm.Message) + 1 }

// recorder is the plain twin: it keeps what Offers says, and sorts by link.
type recorder struct {
	seen   []record
	placed map[int32]router.Cycle // of first flits, by message
}

func (r *recorder) Evaluate(fabric.Signals) {}

func (r *recorder) Wakes() router.Cycle { return fabric.Never }

func (r *recorder) Update(s fabric.Signals) {
	topo := s.Network().Topology
	for _, p := range s.Placed() {
		if p.Flit.Seq == 0 {
			if r.placed == nil {
				r.placed = map[int32]router.Cycle{}
			}
			r.placed[s.Worm(p.Flit).Message] = s.Now()
		}
	}
	for node := range router.NodeID(topo.Nodes()) {
		for port := range router.Port(topo.Ports(node)) {
			for offer := range s.Offers() {
				if offer.Node != node || offer.Port != port || !offer.Fired {
					continue
				}
				w := *s.Worm(offer.Flit)
				waited := router.Cycle(0)
				if offer.Flit.Seq == 0 && node == w.Source {
					waited = s.Now() - r.placed[w.Message]
				}
				r.seen = append(r.seen, record{
					Waited: waited,
					Cycle:  s.Now(), From: node, To: topo.Neighbor(node, port), Worm: w, VC: offer.Flit.VC,
					Head: offer.Flit.Seq == 0, Tail: offer.Flit.Seq == w.Length-1,
					Flit: offer.Flit.Seq + 1, Value: s.Word(offer.Flit)[0], Source: w.Source, Destination: w.Destination,
				})
			}
		}
	}
}

// scenario is a run that captures are tested on.
type scenario struct {
	name, topology, preset string
	change                 func(*machine.Machine)
	lines                  []send
}

// headerFlits makes a flit of each message's header.
func headerFlits(m *machine.Machine) {
	if err := m.Set("header", "flit"); err != nil {
		panic(err)
	}
}

func scenarios() []scenario {
	return []scenario{
		{"scatter on a path", "path:6", "bufferless", nil, figures["fig1a"]},
		{"every kind of flit", "path:6", "bufferless", nil, figures["fig4"]},
		{"torus with datelines", "torus:4x4", "wormhole", nil, randomScript(16, 60, 9, 40, 1)},
		{"slow links", "mesh:3x3x2", "wormhole", func(m *machine.Machine) { m.Hop, m.Flit, m.VCs = 3, 2, 2 }, randomScript(18, 40, 6, 30, 2)},
		{"collisions", "mesh:4x4", "bufferless", nil, randomScript(16, 60, 6, 60, 3)},
		{"header flits", "mesh:3x3", "wormhole", headerFlits, randomScript(9, 20, 4, 30, 5)},
		{"idle for long", "hypercube:4", "paragon", nil, randomScript(16, 10, 6, 1000000, 4)},
	}
}

// golden compares with a file under testdata, or rewrites it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update to make the file")
	require.True(t, bytes.Equal(want, got), "%s differs; got:\n%s", path, got)
}
