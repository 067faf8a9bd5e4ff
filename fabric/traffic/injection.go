// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math"
	"math/rand/v2"

	"meshwright/internal/heap"
	"meshwright/internal/input"
	"meshwright/router"
)

// Injection is the process by which each source generates packets, independent of the
// others. The zero value is a Bernoulli process: in every cycle a source generates a
// packet with the same probability. Otherwise a source is on or off, a Markov chain of
// two states; it generates packets only while it is on.
type Injection struct {
	Burst  float64 // mean cycles for which a source stays on, at least 1; 0: Bernoulli
	OnRate float64 // flits per cycle while it is on, above the mean rate, at most 1
}

// Valid checks the process for a mean rate of flits per source and cycle.
func (i Injection) Valid(rate float64) error {
	switch {
	case i.Burst == 0:
		return nil
	case !(i.Burst >= 1) || math.IsInf(i.Burst, 0):
		return input.Errorf("expected at least 1", "bursts of %g cycles", i.Burst)
	case !(i.OnRate > 0 && i.OnRate <= 1):
		return input.Errorf("expected more than 0, at most 1", "a rate of %g flits per cycle in bursts", i.OnRate)
	case rate > i.Highest():
		return input.Errorf("expected a lower rate, longer bursts, or a higher rate in bursts",
			"bursts of %g cycles at %g flits per cycle for a mean rate of %g leave pauses of less than a cycle", i.Burst, i.OnRate, rate)
	}
	return nil
}

// Highest returns the highest mean rate of the process, in flits per source and cycle: with bursts, the rate
// at which a pause takes a cycle.
func (i Injection) Highest() float64 {
	if i.Burst == 0 {
		return 1
	}
	return i.OnRate * i.Burst / (i.Burst + 1)
}

// moment is a packet that a source generates.
type moment struct {
	at     router.Cycle
	source int32 // its index among the sources
}

// Before orders moments for the heap: by time, then by source.
func (m moment) Before(other moment) bool {
	return m.at < other.at || m.at == other.at && m.source < other.source
}

// process returns the moments of an injection process, one after the other in the order of moment.Before.
type process interface {
	next(rng *rand.Rand) moment
}

// geometric draws how many trials fail before the first success.
type geometric float64 // log(1 - probability)

func newGeometric(probability float64) geometric { return geometric(math.Log1p(-probability)) }

// farthest bounds a draw: a time that no run reaches.
const farthest = 1e15

func (g geometric) draw(rng *rand.Rand) int64 {
	return int64(min(farthest, math.Log(1-rng.Float64())/float64(g)))
}

// bernoulli counts trials through the sources of a cycle, then through those of the
// next. The trials between two packets are geometric, whatever cycle and source they
// belong to. So the work and the memory are those of the packets, not of the sources.
//
//	         source 0 1 2 3 4
//	cycle 0         . . x . .
//	cycle 1         . . . . x    6 failures between the packets
type bernoulli struct {
	sources int64
	gap     geometric
	trial   int64 // of the next packet at the earliest
}

func (b *bernoulli) next(rng *rand.Rand) moment {
	at := b.trial + b.gap.draw(rng)
	b.trial = at + 1
	return moment{router.Cycle(at / b.sources), int32(at % b.sources)}
}

// onOff is the process with bursts. A packet of each source waits in a heap.
type onOff struct {
	gap, on, off geometric
	until        []router.Cycle // by source: when the burst ends
	first        heap.Heap[moment]
}

// newOnOff starts each source as the chain is found after a long time.
func newOnOff(sources int, packet, on, off float64, rng *rand.Rand) *onOff {
	o := &onOff{gap: newGeometric(packet), on: newGeometric(1 / on), off: newGeometric(1 / off), until: make([]router.Cycle, sources)}
	o.first = make(heap.Heap[moment], 0, sources)
	for s := range int32(sources) {
		from := router.Cycle(0)
		if rng.Float64() >= on/(on+off) {
			from = o.pause(rng)
		}
		o.until[s] = from + o.burst(rng)
		o.first = append(o.first, moment{o.generate(s, from, rng), s})
	}
	o.first.Init()
	return o
}

func (o *onOff) burst(rng *rand.Rand) router.Cycle { return 1 + router.Cycle(o.on.draw(rng)) }
func (o *onOff) pause(rng *rand.Rand) router.Cycle { return 1 + router.Cycle(o.off.draw(rng)) }

// generate returns when source s generates its next packet, not before cycle from of a burst.
func (o *onOff) generate(s int32, from router.Cycle, rng *rand.Rand) router.Cycle {
	for {
		at := from + router.Cycle(o.gap.draw(rng))
		if at < o.until[s] || at >= farthest {
			return at
		}
		from = o.until[s] + o.pause(rng)
		o.until[s] = from + o.burst(rng)
	}
}

func (o *onOff) next(rng *rand.Rand) moment {
	now := o.first[0]
	o.first[0].at = o.generate(now.source, now.at+1, rng)
	o.first.FixFirst()
	return now
}
