// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// Scheduling measures over random jobs how near schedules come to their lower bounds.
type Scheduling struct {
	Collectives []string // by name; nil: all
	Jobs        int      // random jobs of each collective
	Nodes       int      // of the largest network, at least 8
	Seed        uint64
	Limit       time.Duration // for each algorithm of a job: a search then has the best plan that it found; what else takes twice as long is not compared
	Effort      float64       // of each search, see plan.Job; 0: 1
}

// ScheduledJob is one random job.
type ScheduledJob struct {
	Command       string       // that runs it
	Bound         router.Cycle // 0: no algorithm takes the job
	BoundBy       bound.Proof  // its argument
	Default, Best router.Cycle // of auto, and of the fastest algorithm; 0: not known within the limit
	Fastest       string       // its name
	Late          []string     // algorithms that took longer than the limit, auto among them; a search has the time of the best plan that it found by then
}

// Ratio returns the time of the best schedule divided by the bound.
func (j *ScheduledJob) Ratio() float64 { return float64(j.Best) / float64(j.Bound) }

// DefaultRatio returns the time of the default divided by that of the best schedule.
func (j *ScheduledJob) DefaultRatio() float64 { return float64(j.Default) / float64(j.Best) }

// ScheduledCollective is what the jobs of a collective came to.
type ScheduledCollective struct {
	Collective string
	Jobs       []ScheduledJob
}

// RatioSummary sums up ratios: the middle one, that which nine of ten do not exceed, and the greatest, with its job.
type RatioSummary struct {
	Median, P90, Worst float64
	Command            string
}

// Compared counts the jobs of which both the best time and the default's are known.
func (c *ScheduledCollective) Compared() int { return len(c.compared()) }

func (c *ScheduledCollective) compared() []ScheduledJob {
	return slices.DeleteFunc(slices.Clone(c.Jobs), func(j ScheduledJob) bool { return j.Bound == 0 || j.Default == 0 || j.Best == 0 })
}

// Refused counts the jobs that no algorithm takes.
func (c *ScheduledCollective) Refused() (count int) {
	for _, j := range c.Jobs {
		if j.Bound == 0 && len(j.Late) == 0 {
			count++
		}
	}
	return count
}

// Summary sums up a ratio of the compared jobs; ok is false if there are none.
func (c *ScheduledCollective) Summary(ratio func(*ScheduledJob) float64) (s RatioSummary, ok bool) {
	jobs := c.compared()
	if len(jobs) == 0 {
		return s, false
	}
	slices.SortStableFunc(jobs, func(a, b ScheduledJob) int { return cmp.Compare(ratio(&a), ratio(&b)) })
	at := func(tenths int) *ScheduledJob { return &jobs[(len(jobs)*tenths+9)/10-1] }
	return RatioSummary{ratio(at(5)), ratio(at(9)), ratio(at(10)), at(10).Command}, true
}

// Run plans and times all jobs. The jobs depend on the seed alone.
func (s *Scheduling) Run(ctx context.Context) ([]ScheduledCollective, error) {
	if err := s.valid(); err != nil {
		return nil, err
	}
	var list []ScheduledCollective
	for _, kind := range plan.Kinds() {
		if len(s.Collectives) == 0 || slices.Contains(s.Collectives, kind.Name) {
			list = append(list, ScheduledCollective{kind.Name, make([]ScheduledJob, s.Jobs)})
		}
	}
	phase := progress.Begin(ctx, "time schedules", len(list)*s.Jobs)
	defer phase.End()
	err := parallel.Each(ctx, phase, parallel.Workers(), len(list)*s.Jobs, func() func(int) error {
		return func(piece int) error {
			c, i := &list[piece/s.Jobs], piece%s.Jobs
			j, err := s.job(ctx, c.Collective, i)
			c.Jobs[i] = j
			return err
		}
	})
	return list, err
}

func (s *Scheduling) valid() error {
	switch {
	case s.Jobs < 1:
		return input.At("--jobs", 0, "expected at least 1", "%d", s.Jobs)
	case s.Nodes < leastNodes || s.Nodes > mostNodes:
		return input.At("--nodes", 0, fmt.Sprintf("expected %d to %d", leastNodes, mostNodes), "%d", s.Nodes)
	case s.Limit <= 0:
		return input.At("--limit", 0, "expected more than 0", "%v", s.Limit)
	case s.Effort != 0 && plan.CheckEffort(s.Effort) != nil:
		return input.At("--effort", 0, plan.EffortWants(), "%g", s.Effort)
	}
	for _, name := range s.Collectives {
		if _, err := plan.KindOf(name); err != nil {
			return err
		}
	}
	return nil
}

// Random networks have no more nodes. Every form has one with the least.
const leastNodes, mostNodes = 8, 256

// job times one random job by all algorithms.
func (s *Scheduling) job(ctx context.Context, kind string, number int) (ScheduledJob, error) {
	j, command, err := randomJob(kind, s.Nodes, rand.New(rand.NewPCG(s.Seed, uint64(number))))
	if j.Effort = s.Effort; s.Effort != 0 && s.Effort != 1 {
		command += fmt.Sprintf(" --effort %g", s.Effort)
	}
	result := ScheduledJob{Command: command}
	if err != nil {
		return result, err
	}
	for _, name := range collective.Algorithms(kind) {
		row, err := s.within(ctx, kind, name, j)
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			result.Late = append(result.Late, name)
			continue
		case err != nil:
			return result, err
		case row.Refused != nil:
			continue
		case row.Stopped:
			result.Late = append(result.Late, name)
		}
		switch {
		case !row.Delivered:
			return result, fmt.Errorf("study: %s --algorithm %s does not deliver", command, name)
		case row.Cycles < row.Bound:
			return result, fmt.Errorf("study: %s --algorithm %s takes %d cycles, less than the bound of %d", command, name, row.Cycles, row.Bound)
		}
		result.Bound, result.BoundBy = row.Bound, row.BoundBy
		if name == collective.Auto {
			result.Default = row.Cycles
		}
		if named := result.Fastest != "" && result.Fastest != collective.Auto; result.Best == 0 || row.Cycles < result.Best || row.Cycles == result.Best && !named {
			result.Best, result.Fastest = row.Cycles, name
		}
	}
	return result, nil
}

// within times an algorithm as the limit allows.
func (s *Scheduling) within(ctx context.Context, kind, algorithm string, j plan.Job) (AlgorithmTime, error) {
	timed, stop := context.WithTimeout(progress.With(ctx, nil), 2*s.Limit)
	defer stop()
	j.Limit = s.Limit
	row, _, err := (&Comparison{Collective: kind}).time(timed, algorithm, j)
	return row, err
}

// randomJob draws a job, and returns the command that runs it.
func randomJob(kind string, nodes int, random *rand.Rand) (j plan.Job, command string, err error) {
	spec := randomNetwork(nodes, random)
	if j.Topology, err = topology.Parse(spec); err != nil {
		return j, "", err
	}
	keys := [][2]string{
		{"ports", string(pick(random, machine.AllPort, machine.SinglePort))}, {"nic.channels", pick(random, "1", "links")},
		{"nic.duplex", string(pick(random, machine.Full, machine.Full, machine.Half))}, {"startup", pick(random, "0", "0", "1", "3", "10", "30", "100", "300", "1000")},
		{"hop", pick(random, "1", "1", "1", "2", "4")}, {"flit", pick(random, "1", "1", "2")}, {"buffer", pick(random, "4", "4", "8", "16")},
	}
	length := pick(random, 1, 1, 2, 4, 8, 16, 32, 64, 128, 256)
	if j.Machine, err = machine.Preset("wormhole"); err != nil {
		return j, "", err
	}
	words := []string{"meshwright", "run", kind, "--topology", spec, "--length", strconv.Itoa(length)}
	for _, k := range keys {
		if err := j.Machine.Set(k[0], k[1]); err != nil {
			return j, "", err
		}
		words = append(words, "--"+k[0], k[1])
	}
	j.Lengths, j.Seed = slices.Repeat([]int{length}, j.Topology.Nodes()), 1
	return j, strings.Join(words, " "), nil
}

// pick returns one of several values.
func pick[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

// torusOf is a torus, or, where the number is even and the sides allow it, a twisted torus. It draws nothing, so that all other jobs of a seed stay the same.
func torusOf(sides []int, number int) string {
	if longer := slices.Max(sides); len(sides) == 2 && longer > 2 && number%2 == 0 {
		return fmt.Sprintf("twisted-torus:%s,%d", bySides(sides), 1+number%(longer-1))
	}
	return "torus:" + bySides(sides)
}

// bySides writes sides as AxB.
func bySides(sides []int) string {
	words := make([]string, len(sides))
	for i, side := range sides {
		words[i] = strconv.Itoa(side)
	}
	return strings.Join(words, "x")
}

// randomNetwork draws one of 14 forms of topology, twisted tori among the tori, and then a network of the form.
func randomNetwork(nodes int, random *rand.Rand) string {
	size := 2 + random.IntN(nodes-1)
	power := 1
	for 2<<power <= size {
		power++
	}
	longest := max(8, int(math.Sqrt(float64(nodes)))) // side
	side := func(least int) int { return least + random.IntN(max(1, min(longest, nodes/least)-least+1)) }
	plane := func() []int {
		a := side(2)
		b := 2 + random.IntN(max(1, min(longest, nodes/a)-1))
		if c := nodes / (a * b); c >= 2 && random.IntN(3) == 0 {
			return []int{a, b, 2 + random.IntN(min(3, c-1))}
		}
		return []int{a, b}
	}
	switch random.IntN(13) {
	case 0:
		return fmt.Sprintf("path:%d", size)
	case 1:
		return fmt.Sprintf("ring:%d", max(3, size))
	case 2:
		return "mesh:" + bySides(plane())
	case 3:
		return torusOf(plane(), size)
	case 4:
		return fmt.Sprintf("hypercube:%d", power)
	case 5:
		if nodes >= 120 && random.IntN(2) == 0 {
			return "star:5"
		}
		if nodes >= 24 && random.IntN(2) == 0 {
			return "star:4"
		}
		return "star:3"
	case 6:
		return fmt.Sprintf("hub:%d", size)
	case 7:
		return fmt.Sprintf("binary:%d", max(1, power-1))
	case 8:
		a := side(2)
		return fmt.Sprintf("comb:%dx%d", a, random.IntN(max(1, nodes/a-1))+1)
	case 9:
		return fmt.Sprintf("random-tree:%d,%d", size, random.IntN(1000))
	case 10:
		return fmt.Sprintf("complete:%d", min(size, 32))
	case 11:
		return fmt.Sprintf("debruijn:%d", max(2, power))
	}
	return fmt.Sprintf("random:%d,%d,%d", max(5, size), 3, random.IntN(1000))
}
