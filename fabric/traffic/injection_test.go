// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// coins is a Bernoulli process by a coin for each source in each cycle.
func coins(sources int, probability float64, until router.Cycle, rng *rand.Rand) []moment {
	var list []moment
	for at := range until {
		for s := range int32(sources) {
			if rng.Float64() < probability {
				list = append(list, moment{at, s})
			}
		}
	}
	return list
}

// take lists the moments of a process before a cycle.
func take(p process, until router.Cycle, rng *rand.Rand) []moment {
	var list []moment
	for m := p.next(rng); m.at < until; m = p.next(rng) {
		list = append(list, m)
	}
	return list
}

// statistics are the rate of a list of moments, the share of gaps at a source that are a single cycle, and the variance of the
// packets of a cycle divided by their mean.
func statistics(list []moment, sources int, until router.Cycle) (rate, ones, spread float64) {
	last, gaps, single := map[int32]router.Cycle{}, 0, 0
	perCycle := make([]float64, until)
	for _, m := range list {
		if before, ok := last[m.source]; ok {
			gaps++
			if m.at-before == 1 {
				single++
			}
		}
		last[m.source] = m.at
		perCycle[m.at]++
	}
	mean := float64(len(list)) / float64(until)
	variance := 0.0
	for _, n := range perCycle {
		variance += (n - mean) * (n - mean) / float64(until)
	}
	return mean / float64(sources), float64(single) / float64(gaps), variance / mean
}

// One geometric gap for all sources is the same process as a coin for each.
func TestBernoulliIsThatOfCoins(t *testing.T) {
	for _, probability := range []float64{0.01, 0.2, 0.7} {
		const sources, until = 7, 40_000
		fast := take(&bernoulli{sources: sources, gap: newGeometric(probability)}, until, rand.New(rand.NewPCG(3, 4)))
		slow := coins(sources, probability, until, rand.New(rand.NewPCG(5, 6)))
		for i := range fast[1:] {
			require.True(t, fast[i].Before(fast[i+1]))
		}
		for _, list := range [][]moment{fast, slow} {
			rate, ones, spread := statistics(list, sources, until)
			require.InDelta(t, probability, rate, 0.01)
			require.InDelta(t, probability, ones, 0.02)
			require.InDelta(t, 1-probability, spread, 0.04)
		}
	}
}

func TestACertainPacketInEveryCycle(t *testing.T) {
	list := take(&bernoulli{sources: 3, gap: newGeometric(1)}, 2, rand.New(rand.NewPCG(1, 1)))
	require.Equal(t, []moment{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}, list)
}

// chain is the process with bursts by a state for each source in each cycle.
func chain(sources int, packet, on, off float64, until router.Cycle, rng *rand.Rand) []moment {
	var list []moment
	bursts := make([]bool, sources)
	for s := range bursts {
		bursts[s] = rng.Float64() < on/(on+off)
	}
	for at := range until {
		for s := range int32(sources) {
			if bursts[s] && rng.Float64() < packet {
				list = append(list, moment{at, s})
			}
			if change := 1 / map[bool]float64{true: on, false: off}[bursts[s]]; rng.Float64() < change {
				bursts[s] = !bursts[s]
			}
		}
	}
	return list
}

func TestBurstsAreThoseOfTheChain(t *testing.T) {
	const sources, until = 9, 60_000
	packet, on, off := 0.25, 20.0, 60.0
	rng := rand.New(rand.NewPCG(7, 8))
	fast := take(newOnOff(sources, packet, on, off, rng), until, rng)
	slow := chain(sources, packet, on, off, until, rand.New(rand.NewPCG(9, 10)))
	rate, ones, spread := statistics(fast, sources, until)
	slowRate, slowOnes, slowSpread := statistics(slow, sources, until)
	require.InDelta(t, packet*on/(on+off), rate, 0.002)
	require.InDelta(t, slowRate, rate, 0.003)
	require.InDelta(t, slowOnes, ones, 0.01)
	require.InDelta(t, slowSpread, spread, 0.05)
}

func TestBadLoads(t *testing.T) {
	at := parse(t, "mesh:4x4")
	pattern, err := ParsePattern("uniform", at)
	require.NoError(t, err)
	for _, c := range []struct {
		rate      float64
		injection Injection
		want      string
	}{
		{0, Injection{}, "a rate of 0 flits per source and cycle (expected more than 0, at most 1)"},
		{1.5, Injection{}, "a rate of 1.5 flits per source and cycle (expected more than 0, at most 1)"},
		{math.NaN(), Injection{}, "a rate of NaN flits per source and cycle (expected more than 0, at most 1)"},
		{0.1, Injection{Burst: 0.5, OnRate: 1}, "bursts of 0.5 cycles (expected at least 1)"},
		{0.1, Injection{Burst: 5, OnRate: 2}, "a rate of 2 flits per cycle in bursts (expected more than 0, at most 1)"},
		{0.5, Injection{Burst: 5, OnRate: 0.5}, "bursts of 5 cycles at 0.5 flits per cycle for a mean rate of 0.5 leave pauses of less than a cycle (expected a lower rate, longer bursts, or a higher rate in bursts)"},
	} {
		l := Load{Pattern: pattern, Rate: c.rate, Injection: c.injection, Requests: sizes(t, "1")}
		_, err := l.Source(at, 1)
		require.EqualError(t, err, c.want)
	}
}

func TestSizes(t *testing.T) {
	s := sizes(t, "1@3,9@1")
	require.Equal(t, 9, s.Largest())
	require.InDelta(t, 3, s.mean, 1e-12)
	rng, sum := rand.New(rand.NewPCG(1, 1)), 0
	for range 100_000 {
		sum += s.draw(rng)
	}
	require.InDelta(t, 3, float64(sum)/100_000, 0.05)
	none := Sizes{}
	require.Zero(t, none.Largest())
	for text, want := range map[string]string{
		"":        `a packet of "" flits (expected FLITS, or FLITS@WEIGHT,FLITS@WEIGHT.., flits from 1 to 1048576)`,
		"0":       `a packet of "0" flits (expected FLITS, or FLITS@WEIGHT,FLITS@WEIGHT.., flits from 1 to 1048576)`,
		"8@0":     `weight "0" (expected FLITS, or FLITS@WEIGHT,FLITS@WEIGHT.., weights above 0)`,
		"8@x":     `weight "x" (expected FLITS, or FLITS@WEIGHT,FLITS@WEIGHT.., weights above 0)`,
		"8,8@0.5": "packets of 8 flits twice (expected each size once)",
	} {
		_, err := ParseSizes(text)
		require.EqualError(t, err, want)
	}
}
