// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"math"

	"meshwright/internal/input"
)

// SeedBorder is where the load of one seed saturates the network, found by a search of its own: all its measured rates up to Stable are stable, and
// the one at Unstable is not. 0: there is no such rate.
type SeedBorder struct {
	Seed             uint64
	Stable, Unstable float64
}

// Border estimates the highest stable rate from those of the seeds. The search does not see less than its resolution, so that Half is at least that.
func (c *LoadCurve) Border() Estimate {
	rates := make([]float64, len(c.Seeds))
	for i := range c.Seeds {
		rates[i] = c.Seeds[i].Stable
	}
	e := NewEstimate(rates)
	e.Half = max(e.Half, c.Resolution) // NaN stays NaN
	return e
}

// Saturation searches for the highest stable rate, among the multiples of a resolution. In each round it measures
// some rates between the highest stable one and the lowest one that is not. A rate is stable if the runs of all seeds are; with several seeds the
// search goes on for each of them alone. Errors are those of Curve and of CheckResolution, and an *input.Error for a
// trace, which has no rate.
func (s *LoadStudy) Saturation(ctx context.Context, resolution float64) (*LoadCurve, error) {
	if s.Trace != nil {
		return nil, input.Errorf("expected a load", "the saturation of a trace")
	}
	if err := CheckResolution(resolution); err != nil {
		return nil, input.Locate(err, "resolution", 0)
	}
	if err := s.Load.Injection.Valid(resolution); err != nil {
		return nil, err
	}
	c := &LoadCurve{Resolution: resolution}
	for b := s.bracket(resolution); b.open(); b.close(c) {
		points, err := s.points(ctx, b.rates())
		if err != nil {
			return nil, err
		}
		c.add(points)
	}
	if s.Seeds == 1 {
		return c, nil
	}
	return c, s.searchSeeds(ctx, c)
}

// searchSeeds goes on from the runs of a curve until the border of each seed is known.
func (s *LoadStudy) searchSeeds(ctx context.Context, c *LoadCurve) error {
	workers, err := s.workers(ctx)
	if err != nil {
		return err
	}
	curves := make([]LoadCurve, s.Seeds)
	brackets := make([]bracket, s.Seeds)
	for k := range curves {
		for i := range c.Points {
			curves[k].add([]LoadPoint{{c.Points[i].Rate, c.Points[i].Runs[k : k+1]}})
		}
		brackets[k] = s.bracket(c.Resolution)
		brackets[k].close(&curves[k])
	}
	for {
		var jobs []loadJob
		for k := range brackets {
			for _, rate := range brackets[k].rates() {
				jobs = append(jobs, loadJob{rate, k})
			}
		}
		if jobs == nil {
			break
		}
		runs, err := s.measure(ctx, workers, jobs)
		if err != nil {
			return err
		}
		for i, job := range jobs {
			curves[job.seed].add([]LoadPoint{{job.rate, runs[i : i+1]}})
		}
		for k := range brackets {
			brackets[k].close(&curves[k])
		}
	}
	for k := range curves {
		c.Seeds = append(c.Seeds, SeedBorder{s.Load.Seed + uint64(k), curves[k].Stable, curves[k].Unstable})
	}
	return nil
}

// bracket is the steps between which a search looks: low is stable, high is not.
type bracket struct {
	low, high  int
	resolution float64
}

// bracket returns all steps; high would be too much for the sources.
func (s *LoadStudy) bracket(resolution float64) bracket {
	return bracket{0, int(s.Load.Injection.Highest()/resolution+1e-9) + 1, resolution}
}

func (b *bracket) open() bool { return b.high-b.low > 1 }

// probes is the rates of a round of a search. It is fixed, so that the result does not depend on the cores.
const probes = 4

// rates returns those of the next round; none if the search has ended.
func (b *bracket) rates() []float64 {
	if !b.open() {
		return nil
	}
	var rates []float64
	for i := 1; i <= probes; i++ {
		step := b.low + (b.high-b.low)*i/(probes+1)
		if step > b.low && (len(rates) == 0 || rates[len(rates)-1] != rateAt(0, step, b.resolution)) {
			rates = append(rates, rateAt(0, step, b.resolution))
		}
	}
	if rates == nil {
		return []float64{rateAt(0, b.low+1, b.resolution)}
	}
	return rates
}

// close moves the ends to what a curve has found.
func (b *bracket) close(c *LoadCurve) {
	b.low = int(math.Round(c.Stable / b.resolution))
	if c.Unstable > 0 {
		b.high = int(math.Round(c.Unstable / b.resolution))
	}
}
