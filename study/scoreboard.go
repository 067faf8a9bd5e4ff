// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/published"
	"meshwright/firmware/plan"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Scoreboard compares schedules with published times, each in the cost model of its source.
type Scoreboard struct {
	Groups []string // of ScoreGroups; nil: all
	Side   int      // of the square torus on which published algorithms are compared; in Swing's paper it is 64
	Bytes  []int    // of their vectors, or in an all-gather of each block, at least 1; nil: from 32 bytes to 512 MiB, or as long as the memory allows
}

// Score is one comparison.
type Score struct {
	Group  string
	Case   string
	Unit   string  // of the times
	Theirs float64 // published, or the fastest of the published algorithms among ours
	By     string  // whose that is
	Ours   float64 // of the algorithm
	Bound  float64 // no schedule is faster

	Algorithm string
	Command   string // that gives our time in cycles
}

// ScoreGroups are the groups of a scoreboard.
func ScoreGroups() []string {
	groups := []string{"tacos", "te-ccl"}
	for _, c := range contests() {
		groups = append(groups, c.kind)
	}
	return append(groups, plan.Exchange)
}

// linkwise is a machine on which every link carries a chunk in every slot: a chunk is a flit, and a slot, the
// time of a chunk on a link, latency included, is a cycle. A schedule of n slots takes n+1 cycles, since the last
// chunk is there in the cycle behind the last slot.
var linkwise = [][2]string{{"ports", "all"}, {"nic.channels", "links"}}

// publishedGather is an all-gather whose time was published.
type publishedGather struct {
	group, name, source, unit string
	topology                  string
	chunks                    int     // of each node
	slot                      float64 // the time of a chunk on a link
	time                      float64
}

// slotOf is the time of one of so many chunks of a collective of mebibytes on a link.
func slotOf(latency, gibibytesPerSecond, mebibytes float64, chunks int) float64 {
	return latency + mebibytes/float64(chunks)/1024/gibibytesPerSecond*1e6
}

// gathers are the cases with equal links in the tests of astra-sim/tacos (its Hypercube3D is a mesh), and the
// examples of microsoft/TE-CCL.
func gathers() []publishedGather {
	tacos := func(name, topology string, nodes, chunks int, latency, bandwidth, mebibytes, time float64) publishedGather {
		return publishedGather{"tacos", name, "TACOS", "us", topology, chunks, slotOf(latency, bandwidth, mebibytes, nodes*chunks), time}
	}
	return []publishedGather{
		tacos("Hypercube3x3x3", "mesh:3x3x3", 27, 1, 0.5, 50, 1024, 6671.17),
		tacos("Hypercube3x4x5", "mesh:3x4x5", 60, 2, 0.5, 50, 2048, 13353.33),
		tacos("Hypercube4x2x3", "mesh:4x2x3", 24, 3, 0.5, 50, 3072, 19178.17),
		tacos("Mesh5x5", "mesh:5x5", 25, 1, 0.5, 50, 1024, 9606),
		tacos("Mesh10x10", "mesh:10x10", 100, 2, 1, 100, 1024, 5049),
		tacos("Mesh7x12", "mesh:7x12", 84, 3, 1, 100, 4096, 19966.27),
		tacos("Torus3x3x3", "torus:3x3x3", 27, 1, 0.5, 50, 1024, 3706.20),
		tacos("Torus3x4x5", "torus:3x4x5", 60, 2, 0.5, 50, 2048, 6676.67),
		tacos("Torus4x2x3", "torus:4x2x3", 24, 3, 0.5, 50, 3072, 11673.67),
		{"te-ccl", "mesh_4", "TE-CCL (its links join the ends of rows)", "epochs", "mesh:4x4", 1, 1, 8},
		{"te-ccl", "mesh_6", "TE-CCL (its links join the ends of rows)", "epochs", "mesh:6x6", 1, 1, 18},
	}
}

// Run measures all cases of the groups.
func (s *Scoreboard) Run(ctx context.Context) ([]Score, error) {
	asked := func(group string) bool { return len(s.Groups) == 0 || slices.Contains(s.Groups, group) }
	var list []Score
	for _, c := range gathers() {
		if !asked(c.group) {
			continue
		}
		score, err := c.score(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, score)
	}
	for _, c := range contests() {
		if !asked(c.kind) {
			continue
		}
		scores, err := s.against(ctx, c)
		if err != nil {
			return nil, err
		}
		list = append(list, scores...)
	}
	if asked(plan.Exchange) {
		b, err := newBoardJob(plan.Exchange, "torus:8x8x8", "bufferless", 1, linkwise)
		if err != nil {
			return nil, err
		}
		p, cycles, err := b.fastest(ctx, "")
		if err != nil {
			return nil, err
		}
		list = append(list, Score{
			Group: plan.Exchange, Case: "torus:8x8x8, 1 flit", Unit: "cycles", Theirs: float64(p.LowerBound()), By: "the lower bound",
			Ours: float64(cycles), Bound: float64(p.LowerBound()), Algorithm: p.Algorithm, Command: b.command(""),
		})
	}
	return list, nil
}

// score takes the faster of the default and greedy, which the default leaves out on large networks.
func (c *publishedGather) score(ctx context.Context) (Score, error) {
	b, err := newBoardJob(plan.Gossip, c.topology, "bufferless", c.chunks, linkwise)
	if err != nil {
		return Score{}, err
	}
	best, least, named := (*plan.Plan)(nil), router.Cycle(0), ""
	for _, algorithm := range []string{"", "greedy"} {
		p, cycles, err := b.fastest(ctx, algorithm)
		if err != nil {
			return Score{}, err
		}
		if best == nil || cycles < least {
			best, least, named = p, cycles, algorithm
		}
		if cycles == p.LowerBound() {
			break
		}
	}
	return Score{
		Group: c.group, Case: c.name, Unit: c.unit, Theirs: c.time, By: c.source,
		Ours: float64(least-1) * c.slot, Bound: float64(best.LowerBound()-1) * c.slot, Algorithm: best.Algorithm, Command: b.command(named),
	}, nil
}

// publishedContest is a collective of which the default is compared with the published algorithms among ours.
type publishedContest struct {
	kind       string
	algorithms []string
	bytes      []int // of a vector or a block, unless others are asked for
	withWords  bool  // it is not planned without words
}

func contests() []publishedContest {
	return []publishedContest{
		{plan.Allreduce, []string{published.Swing, published.Bine, published.RecursiveHalving, published.Bucket}, swingVectors(), false},
		{plan.ReduceScatter, []string{published.Swing, published.Bine, published.RecursiveHalving, published.Bucket}, swingVectors(), false},
		{plan.Broadcast, []string{published.Bine}, swingVectors(), false},
		{plan.Gossip, []string{published.Swing, published.Bine, published.RecursiveDoubling, published.Bucket}, []int{32, 2 << 10, 8000}, true},
	}
}

// The machine of these contests is that of Swing's paper. A flit of 500 bytes takes 10 ns on a link of 400 Gb/s, a cycle. The
// 400 ns of a hop, 100 of the link and 300 of the chip, are 40 cycles. (A hop has at most 64 cycles, so that flits cannot be as short
// as the shortest vectors.)
const (
	flitBytes   = 500
	microsecond = 100 // in cycles
	hopCycles   = "40"
	hopBuffer   = "48" // flits, for the full rate
)

// publishedSwing is the time of an allreduce of 32 bytes on a torus of 64x64, in microseconds, in Swing's paper (De Sensi, Bonato, Saam, Hoefler, NSDI 2024).
const publishedSwing = 40

// swingVectors are the lengths of vectors in bytes, from 32 bytes to 512 MiB as in Swing's paper. Shorter ones than a flit take a flit.
func swingVectors() []int {
	return []int{32, 2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20, 128 << 20, 512 << 20}
}

// MaxVector bounds the lengths.
const MaxVector = flitBytes * plan.MaxWords

// bytesOf prints a number of bytes in the largest unit of which it is a multiple.
func bytesOf(n int) string {
	unit := "B"
	for _, larger := range []string{"KiB", "MiB", "GiB"} {
		if n%1024 != 0 {
			break
		}
		n, unit = n/1024, larger
	}
	return fmt.Sprint(n, " ", unit)
}

// against compares the default with the fastest of the published algorithms.
func (s *Scoreboard) against(ctx context.Context, c publishedContest) (list []Score, err error) {
	spec := fmt.Sprintf("torus:%dx%d", s.Side, s.Side)
	settings := append(slices.Clone(linkwise), [2]string{"hop", hopCycles}, [2]string{"buffer", hopBuffer})
	vectors := s.Bytes
	if vectors == nil {
		vectors = c.bytes
	}
	for _, bytes := range vectors {
		b, err := newBoardJob(c.kind, spec, "wormhole", (bytes+flitBytes-1)/flitBytes, settings)
		if err != nil {
			return nil, err
		}
		b.job.TimeOnly = !c.withWords
		theirs := *b
		theirs.job.Among = c.algorithms
		other, most, err := theirs.fastest(ctx, "")
		if err != nil {
			return nil, err
		}
		p, cycles, err := b.fastest(ctx, "")
		if err != nil {
			return nil, err
		}
		score := Score{
			Group: c.kind, Case: spec + ", " + bytesOf(bytes), Unit: "us", Theirs: float64(most) / microsecond, By: other.Algorithm + ", our row",
			Ours: float64(cycles) / microsecond, Bound: float64(p.LowerBound()) / microsecond, Algorithm: p.Algorithm, Command: b.command(p.Algorithm),
		}
		if c.kind == plan.Allreduce && bytes == 32 && s.Side == 64 {
			paper := score
			paper.Theirs, paper.By = publishedSwing, "swing, published"
			list = append(list, paper)
		}
		list = append(list, score)
	}
	return list, nil
}

// boardJob is a job of a scoreboard.
type boardJob struct {
	job                collective.Job
	kind, spec, preset string
	length             int
	settings           [][2]string
}

func newBoardJob(kind, spec, preset string, length int, settings [][2]string) (*boardJob, error) {
	t, err := topology.Parse(spec)
	if err != nil {
		return nil, err
	}
	m, err := machine.Preset(preset)
	if err != nil {
		return nil, err
	}
	for _, s := range settings {
		if err := m.Set(s[0], s[1]); err != nil {
			return nil, err
		}
	}
	j := collective.Job{Topology: t, Machine: m, Lengths: slices.Repeat([]int{length}, t.Nodes()), Seed: 1}
	return &boardJob{j, kind, spec, preset, length, settings}, nil
}

// fastest plans by an algorithm and returns its time: the prediction if that is exact, else that of a run.
func (b *boardJob) fastest(ctx context.Context, algorithm string) (*plan.Plan, router.Cycle, error) {
	defer progress.Begin(ctx, b.kind+" on "+b.spec, 0).End()
	p, err := collective.Generate(ctx, b.kind, algorithm, b.job)
	if err != nil {
		return nil, 0, err
	}
	if p.Predicted.Exact {
		return p, p.Predicted.Least, nil
	}
	r, err := collective.Execute(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	return p, r.Cycles, r.Failure
}

// command is the command line of the job.
func (b *boardJob) command(algorithm string) string {
	verb := "run"
	if kind, err := plan.KindOf(b.kind); err == nil && b.job.TooLong(kind) {
		verb = "plan"
	}
	text := fmt.Sprintf("%s %s --topology %s --machine %s", verb, b.kind, b.spec, b.preset)
	for _, s := range b.settings {
		text += " --" + s[0] + " " + s[1]
	}
	text += fmt.Sprintf(" --length %d", b.length)
	if algorithm != "" {
		text += " --algorithm " + algorithm
	}
	return text
}
