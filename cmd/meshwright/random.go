// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule"
)

// randomMessages is the name of what runs when no collective and no file does.
const randomMessages = "random"

// randomFlags describe random messages.
type randomFlags struct {
	count   int
	pattern string
	load    float64
}

// mostMessages bounds --number.
const mostMessages = 1_000_000

// add adds the flags of random messages.
func (f *randomFlags) add(cmd *cobra.Command) {
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVar(&f.count, "number", 120, "random: number of messages; each has 1 to --length flits")
		flags.StringVar(&f.pattern, "pattern", "", "random: destinations, a `pattern` of traffic such as uniform or hotspot:4@0.3 (default: 3 of 10 messages to the node in the middle)")
		flags.Float64Var(&f.load, "rate", 0.5, "random: flits per node and cycle, above 0, at most 1; a lower rate takes longer")
	})
}

// ofRandom are these flags.
var ofRandom = []string{"number", "pattern", "rate"}

// randomSchedule draws the messages. Every node may send at any time, so that heads contend and buffers fill.
func (f *jobFlags) randomSchedule(cmd *cobra.Command) (*schedule.Schedule, *topology.Topology, machine.Machine, error) {
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return nil, t, m, err
	}
	switch {
	case m.Switching == machine.Bufferless:
		return nil, t, m, input.At("--machine", 0, "expected a machine with buffers: wormhole, cut-through or store-forward", "random messages collide on machine %s", m.Title())
	case f.random.count < 1 || f.random.count > mostMessages:
		return nil, t, m, input.At("--number", 0, "expected 1 to "+itoa(mostMessages), "%d", f.random.count)
	case f.length < 1 || f.length > 1<<16:
		return nil, t, m, input.At("--length", 0, "expected 1 to "+itoa(1<<16), "%d", f.length)
	case !(f.random.load > 0 && f.random.load <= 1):
		return nil, t, m, input.At("--rate", 0, "expected more than 0, at most 1", "%g", f.random.load)
	}
	around, err := fabric.NewAround(t, m)
	if err != nil {
		return nil, t, m, input.Locate(err, "--faults", 0)
	}
	pattern, err := traffic.ParsePattern(cmp.Or(f.random.pattern, "hotspot:"+itoa(int(middle(t, around)))+"@0.3"), t)
	if err != nil {
		return nil, t, m, input.Locate(err, "--pattern", 0)
	}
	if around != nil { // without messages from and to nodes that are known to be dead
		if pattern, err = traffic.Among(pattern, t, around.Live); err != nil {
			return nil, t, m, input.Locate(err, "--faults", 0)
		}
	}
	rng := rand.New(rand.NewPCG(f.seed, 0x72616e64))
	sources := pattern.Sources()
	full := float64(f.random.count) * float64(1+f.length) / 2 / float64(t.Nodes()) * float64(m.Ticks()*m.Flit) // ticks at rate 1
	span := full / f.random.load
	if span > float64(schedule.MaxDispatch) {
		return nil, t, m, input.At("--rate", 0, "expected at least "+strconv.FormatFloat(1.05*full/float64(schedule.MaxDispatch), 'g', 2, 64), "%g: %s would be spread over more than %d cycles", f.random.load, input.Count(f.random.count, "message"), int64(schedule.MaxDispatch)/int64(m.Ticks())) // 1.05: rounded to two digits, it is large enough
	}
	s := &schedule.Schedule{File: randomMessages, Rows: make([]schedule.Row, f.random.count)}
	for i := range s.Rows {
		from := router.NodeID(rng.IntN(t.Nodes()))
		if sources != nil {
			from = sources[rng.IntN(len(sources))]
		}
		s.Rows[i] = schedule.Row{
			Message: int32(i), Source: from, Destination: pattern.Destination(from, rng),
			Flits: 1 + rng.IntN(f.length), Dispatch: router.Cycle(rng.Float64() * span),
		}
	}
	slices.SortStableFunc(s.Rows, func(a, b schedule.Row) int { return cmp.Compare(a.Dispatch, b.Dispatch) })
	return s, t, m, nil
}

// middle is the node in the middle, or the live one whose number is nearest to it.
func middle(t *topology.Topology, around *fabric.Around) router.NodeID {
	at := router.NodeID(t.Nodes() / 2)
	for far := range router.NodeID(t.Nodes()) {
		for _, n := range []router.NodeID{at - far, at + far} {
			if t.Has(n) && (around == nil || around.Live(n)) {
				return n
			}
		}
	}
	return at
}

// executeRandom runs random messages.
func (f *jobFlags) executeRandom(cmd *cobra.Command, attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "random messages have none", "given with random messages", slices.Concat(ofCollectives(), ofImported, []string{"bytes", "root"})); err != nil {
		return nil, err
	}
	s, t, m, err := f.randomSchedule(cmd)
	if err != nil {
		return nil, err
	}
	return play(cmd, "messages", s, t, m, attach...)
}
