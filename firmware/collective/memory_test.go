// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/memory"
	"meshwright/internal/proctest"
	"meshwright/internal/soak"
)

// memoryJob is a job whose memory is measured.
type memoryJob struct {
	kind, algorithm, spec, preset string
	words                         int
}

func (j memoryJob) String() string {
	return fmt.Sprintf("%s %s %s %s %d", j.kind, j.algorithm, j.spec, j.preset, j.words)
}

// memoryJobs take some 50 to 500 MB each.
var memoryJobs = []memoryJob{
	{"scatter", "furthest-first", "complete:800", "wormhole", 1},
	{"scatter", "furthest-first", "random-tree:30000", "bufferless", 2},
	{"scatter", "edge-disjoint", "mesh:64x64", "wormhole", 2},
	{"gather", "nearest-first", "random-tree:30000", "bufferless", 2},
	{"gather", "certification-tight", "random-tree:30000", "bufferless", 1},
	{"gather", "certification-ii", "random-tree:3000", "store-forward", 2},
	{"gather", "nearest-first", "hub:50000", "store-forward", 1},
	{"gossip", "approach2", "path:600", "wormhole", 1},
	{"gossip", "highdimgos", "torus:32x32", "wormhole", 32},
	{"gossip", "highdimgos", "hypercube:11", "wormhole", 8},
	{"gossip", "strides", "torus:24x24", "wormhole", 4},
	{"gossip", "circgos", "ring:300", "wormhole", 1},
	{"broadcast", "pipelined", "mesh:100x100", "wormhole", 8},
	{"broadcast", "auto", "mesh:32x32", "wormhole", 200},
	{"reduce", "pipelined", "mesh:64x64", "wormhole", 50},
	{"allreduce", "ring", "ring:300", "wormhole", 300},
	{"allreduce", "scatter-gossip", "hypercube:9", "wormhole", 512},
	{"allreduce", "scatter-gossip", "random:500,4,3", "wormhole", 2000},
	{"gossip", "staggered", "path:400", "wormhole", 4},
	{"reduce-scatter", "staggered", "random:400,4,3", "wormhole", 20000},
	{"gossip", "balanced-trees", "torus:32x32", "wormhole", 1},
	{"allreduce", "staggered", "torus:24x24", "wormhole", 20000},
	{"gossip", "staggered", "random:700,4,3", "wormhole", 2},
	{"allreduce", "staggered", "mesh:22x22", "wormhole", 4000},
	{"allreduce", "staggered", "mesh:20x20", "wormhole", 20000},
	{"reduce-scatter", "balanced-trees", "torus:24x24", "wormhole", 5760},
	{"allreduce", "balanced-trees", "hypercube:9", "wormhole", 2000},
	{"gossip", "symmetric", "hypercube:10", "wormhole", 1},
	{"gossip", "symmetric", "torus:24x24", "wormhole", 8},
	{"allreduce", "symmetric", "ring:600", "wormhole", 2000},
	{"exchange", "direct", "torus:16x16", "wormhole", 2},
	{"exchange", "dimensions", "mesh:16x16", "wormhole", 1},
	{"exchange", "logarithmic", "torus:16x16", "wormhole", 4},
	{"exchange", "timetable", "torus:12x12", "bufferless", 1},
	{"exchange", "greedy", "random:700,3,7", "wormhole", 1},
	{"exchange", "greedy", "random-tree:520,5", "wormhole", 1},
	{"exchange", "greedy", "hypercube:10", "wormhole", 1},
	{"scatter", "auto", "hypercube:15", "wormhole", 1},
	{"gather", "certification", "hypercube:15", "bufferless", 4},
	{"gather", "certification", "mesh:200x200", "bufferless", 4},
	{"scatter", "auto", "torus:30x30x30", "wormhole", 1},
}

// The estimates are not below what whole processes take at their peak, which
// depends on when the collector runs, and not far above it.
func TestMemoryIsPredicted(t *testing.T) {
	for _, j := range soak.Some(10, memoryJobs) {
		t.Run(j.String(), func(t *testing.T) {
			asked, base, peak := measured(t, j)
			t.Logf("asked %v, peak %v of which %v before the job: %.2f", asked, peak, base, float64(asked)/float64(peak-base))
			require.GreaterOrEqual(t, asked, peak-base)
			const small = 150 * memory.MB // below, the collector's own steps are most of it
			took := peak - base
			for looks := 1; looks < 4 && asked > max(small, 3*took); looks++ { // on a loaded computer the collector runs at other times
				_, base, peak = measured(t, j)
				took = max(took, peak-base)
			}
			require.GreaterOrEqual(t, asked, took)
			require.LessOrEqual(t, asked, max(small, 3*took))
		})
	}
}

// memoryChild tells the test's own program which job to run.
const memoryChild = "MEMORY_JOB"

// measured runs a job in a process of its own.
func measured(t *testing.T, j memoryJob) (asked, base, peak memory.Bytes) {
	t.Helper()
	cmd := proctest.Command(t, os.Args[0], "-test.run=^TestMemoryChild$", "-test.v")
	cmd.Env = append(os.Environ(), memoryChild+"="+j.String(), "GOGC=") // users have none
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	_, line, ok := strings.Cut(string(out), "measured ")
	require.True(t, ok, string(out))
	_, err = fmt.Sscan(line, &asked, &base, &peak)
	require.NoError(t, err)
	return asked, base, peak
}

// TestMemoryChild is the other side of measured.
func TestMemoryChild(t *testing.T) {
	var j memoryJob
	if _, err := fmt.Sscan(os.Getenv(memoryChild), &j.kind, &j.algorithm, &j.spec, &j.preset, &j.words); err != nil {
		return // run as a test among others
	}
	base := highWater(t)
	ctx := memory.With(t.Context(), memory.Most)
	topo, err := topology.ParseWithin(ctx, j.spec)
	require.NoError(t, err)
	p, err := collective.Generate(ctx, j.kind, j.algorithm, j.job(t, topo))
	require.NoError(t, err)
	r, err := collective.Execute(ctx, p)
	require.NoError(t, err)
	require.True(t, r.Delivered)
	fmt.Println("measured", int64(memory.Asked(ctx)), int64(base), int64(highWater(t)))
}

func (j memoryJob) job(t *testing.T, topo *topology.Topology) collective.Job {
	t.Helper()
	m, err := machine.Preset(j.preset)
	require.NoError(t, err)
	job := collective.Job{Topology: topo, Machine: m, Root: topo.Root, Lengths: make([]int, topo.Nodes())}
	for n := range job.Lengths {
		job.Lengths[n] = j.words
	}
	return job
}

// highWater is the most memory that the process has had.
func highWater(t *testing.T) memory.Bytes {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(t, err)
			return memory.Bytes(n) << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// Users of the package set a limit, too, and get the bytes back.
func TestTooLargeIsAnError(t *testing.T) {
	topo, err := topology.Parse("torus:64x64")
	require.NoError(t, err)
	j := memoryJob{kind: "gossip", preset: "wormhole", words: 16}
	ctx := memory.With(context.Background(), memory.GB)
	_, err = collective.Generate(ctx, j.kind, "", j.job(t, topo))
	var large *memory.TooLarge
	require.True(t, errors.As(err, &large), err)
	require.Equal(t, memory.GB, large.Available)
	require.Greater(t, large.Needed, memory.GB)

	j.words = 1
	p, err := collective.Generate(context.Background(), j.kind, "highdimgos", j.job(t, topo))
	require.NoError(t, err)
	_, err = collective.Execute(memory.With(context.Background(), 50*memory.MB), p)
	require.True(t, errors.As(err, &large), err)
}
