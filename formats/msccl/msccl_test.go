// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

var update = flag.Bool("update", false, "write the examples again")

// The generators in generate_test.go write these example files.
var examples = []struct {
	file, text, topology string
}{
	{"ring-allgather-8.xml", ringAllgather(8), "ring:8"},
	{"ring-allreduce-8.xml", ringAllreduce(8), "ring:8"},
	{"direct-alltoall-9.xml", directAlltoall(9), "torus:3x3"},
	{"hierarchical-allreduce-16.xml", hierarchicalAllreduce(4, 4), "torus:4x4"},
}

// execute runs an algorithm on a machine and compares every word.
func execute(t *testing.T, a *Algorithm, spec, preset string, length int) *collective.Result {
	t.Helper()
	network, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	return executeOn(t, a, network, m, length)
}

func TestExamplesDoWhatTheyPromise(t *testing.T) {
	for _, row := range examples {
		t.Run(row.file, func(t *testing.T) {
			path := filepath.Join("../../examples/imports", row.file)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(row.text), 0o644))
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, row.text, string(text), "go test ./formats/msccl -update")
			a, err := Read(path)
			require.NoError(t, err)
			f, err := a.Flow(0)
			require.NoError(t, err)
			require.NoError(t, f.Failure)
			require.Zero(t, f.Races)
			for _, preset := range []string{"wormhole", "paragon", "store-forward"} {
				spec := row.topology
				if preset != "wormhole" {
					spec = strings.Replace(strings.Replace(spec, "torus", "mesh", 1), "ring:8", "mesh:4x2", 1)
				}
				r := execute(t, a, spec, preset, 3)
				require.NoError(t, r.Failure)
			}
		})
	}
}

// Rings of all sizes take the time that their steps do: every message one hop.
func TestRingsTakeTheTimeOfTheirSteps(t *testing.T) {
	for n := 3; n < 9; n++ {
		for length := 1; length < 4; length++ {
			a, err := Parse("a.xml", strings.NewReader(ringAllgather(n)))
			require.NoError(t, err)
			r := execute(t, a, fmt.Sprintf("ring:%d", n), "wormhole", length)
			require.NoError(t, r.Failure)
			require.EqualValues(t, (n-1)*length+1, r.Cycles)
			a, err = Parse("a.xml", strings.NewReader(ringAllreduce(n)))
			require.NoError(t, err)
			r = execute(t, a, fmt.Sprintf("ring:%d", n), "wormhole", length)
			require.NoError(t, r.Failure)
			require.EqualValues(t, 2*(n-1)*length+1, r.Cycles)
		}
	}
}

// On machines without buffers a timetable keeps the messages apart.
func TestBufferlessByTimetable(t *testing.T) {
	a, err := Parse("a.xml", strings.NewReader(hierarchicalAllreduce(2, 3)))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure)
	l, sizes := f.List(2)
	require.NoError(t, l.Check(func(n router.NodeID) int { return sizes[n] }))
	network, err := topology.Parse("mesh:3x2")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	require.NoError(t, transfer.Timetable(network, m, l))
	timing, err := transfer.Predict(network, m, l)
	require.NoError(t, err)
	require.GreaterOrEqual(t, timing.Cycles, f.LowerBound(network, m, 2, nil))
}

// two is an algorithm of two ranks with one threadblock each, whose steps are
// written kind source target; rank 1's stand behind a /.
func two(collective string, chunks int, inPlace int, steps string) string {
	var w writer
	w.algo("two", collective, 2, chunks, 1, inPlace)
	for r, list := range strings.Split(steps, "/") {
		w.gpu(r, chunks, chunks, 4)
		w.tb(1-r, 1-r, 0)
		for step := range strings.SplitSeq(list, ";") {
			var kind, source, target string
			fmt.Sscan(step, &kind, &source, &target)
			w.do(kind, source, target, 1, "", false)
		}
		w.endBlock()
		w.endGPU()
	}
	return w.end()
}

func TestWrongAlgorithms(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"right", two("allreduce", 1, 0, "s i0 s0; cpy i0 o0; rrc o0 o0/s i0 s0; rrc i0 o0"), ""},
		{"nothing from rank 1", two("allreduce", 1, 0, "s i0 s0; cpy i0 o0/rrc i0 o0"), "rank 0: o[0] lacks i[0] of rank 1; rank 0 tb 0 step 1 (line 5) wrote it"},
		{"added twice", two("allreduce", 1, 0, "s i0 s0; rrc i0 o0/s i0 s0; r i0 s0; cpy i0 o0; re s0 o0; re s0 o0"), "rank 1: o[0] holds more than once i[0] of rank 0 (2 times); rank 1 tb 0 step 4 (line 14) wrote it"},
		{"not there yet", two("allreduce", 1, 0, "s o0 s0; rrc i0 o0/s i0 s0; rrc i0 o0"), "rank 0 tb 0 step 0 (line 4) reads o[0] of rank 0, in which there is nothing yet"},
		{"never written", two("allreduce", 1, 0, "s i0 s0/rrc i0 o0"), "rank 0: o[0] is empty, expected i[0] of rank 0, i[0] of rank 1"},
		{"another's block", two("alltoall", 2, 0, "s i0 o0; cpy i0 o0; r i0 o1/s i0 o0; cpy i1 o1; r i0 o0"), "rank 1: o[0] lacks i[1] of rank 0, holds wrongly i[0] of rank 0; rank 1 tb 0 step 2 (line 13) wrote it"},
		{"several", two("broadcast", 3, 0, "cpy i1 o0; nop i-1 o-1/nop i-1 o-1"), "rank 0: o[0] lacks i[0] of rank 0, holds wrongly i[1] of rank 0; rank 0 tb 0 step 0 (line 4) wrote it; 5 other chunks wrong"},
		{"custom promises nothing", two("custom", 1, 0, "s i0 s0/r i0 s0"), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, err := Parse("a.xml", strings.NewReader(strings.Replace(row.text, `nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="1"`, `nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0"`, -1)))
			require.NoError(t, err)
			f, err := a.Flow(0)
			require.NoError(t, err)
			if row.want == "" {
				require.NoError(t, f.Failure)
				require.NoError(t, execute(t, a, "path:2", "wormhole", 2).Failure)
				return
			}
			require.EqualError(t, f.Failure, row.want)
		})
	}
}

// Each collective, with root 1 where there is one, between two ranks.
func TestCollectivesOfTwo(t *testing.T) {
	for _, row := range []struct {
		collective      string
		chunks, inPlace int
		in, out         int
		steps           string
	}{
		{"allgather", 4, 0, 2, 4, "s i0 o0; s i1 o1; cpy i0 o0; cpy i1 o1; r o2 o2; r o3 o3/s i0 o2; s i1 o3; cpy i0 o2; cpy i1 o3; r o0 o0; r o1 o1"},
		{"allgather", 2, 1, 1, 2, "s o0 o0; r o1 o1/s i0 o1; r o0 o0"},
		{"allreduce", 1, 1, 1, 1, "s i0 s0; rrc i0 o0/s o0 s0; rrc o0 i0"},
		{"reduce_scatter", 2, 0, 2, 1, "s i1 s0; rrc i0 o0/s i0 s0; rrc i1 o0"},
		{"reduce_scatter", 2, 1, 2, 1, "s i1 s0; rrc o0 o0/s i0 s0; rrc i1 i1"},
		{"alltoall", 2, 0, 2, 2, "s i1 o0; cpy i0 o0; r o1 o1/s i0 o1; cpy i1 o1; r o0 o0"},
		{"alltoall", 2, 1, 2, 2, "s i1 o0; r o1 o1/s i0 o1; r o0 o0"},
		{"broadcast", 2, 0, 2, 2, "r o0 o0; r o1 o1/s i0 o0; s i1 o1; cpy i0 o0; cpy i1 o1"},
		{"reduce", 1, 0, 1, 1, "s i0 s0/rrc i0 o0"},
		{"gather", 2, 0, 1, 2, "s i0 o0/r o0 o0; cpy i0 o1"},
		{"scatter", 2, 0, 2, 1, "r o0 o0/s i0 o0; cpy i1 o0"},
		{"scatter", 2, 1, 2, 1, "r o0 o0/s i0 o0"},
	} {
		t.Run(fmt.Sprint(row.collective, row.inPlace), func(t *testing.T) {
			text := two(row.collective, row.chunks, row.inPlace, row.steps)
			text = strings.ReplaceAll(text, fmt.Sprintf(`i_chunks="%d" o_chunks="%d"`, row.chunks, row.chunks), fmt.Sprintf(`i_chunks="%d" o_chunks="%d"`, row.in, row.out))
			a, err := Parse("a.xml", strings.NewReader(text))
			require.NoError(t, err)
			f, err := a.Flow(1)
			require.NoError(t, err)
			require.NoError(t, f.Failure)
			l, sizes := f.List(3)
			_, err = f.Words(l, sizes, 3, 32, 7)
			require.NoError(t, err)
			if a.Rooted() {
				f, err = a.Flow(0)
				require.NoError(t, err)
				require.Error(t, f.Failure)
				_, err = a.Flow(2)
				require.EqualError(t, err, "--root: 2 is not a rank of two (expected 0 to 1)")
			}
		})
	}
}

// A ring on a mesh, rank after rank along neighbours, takes the time of a ring.
func TestPlacedRanks(t *testing.T) {
	a, err := Parse("a.xml", strings.NewReader(ringAllgather(8)))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	network, err := topology.Parse("mesh:4x2")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	l, _ := f.List(5)
	straight, err := transfer.Predict(network, m, l)
	require.NoError(t, err)
	nodes := []router.NodeID{0, 1, 2, 3, 7, 6, 5, 4}
	Renumber(l, nodes)
	placed, err := transfer.Predict(network, m, l)
	require.NoError(t, err)
	require.EqualValues(t, 7*5+1, placed.Cycles)
	require.Greater(t, straight.Cycles, placed.Cycles)
	require.EqualValues(t, (35+1)/2+1, f.LowerBound(network, m, 5, nodes)) // a corner takes all through two links
}

// Two messages for every peer over two channels, all links at once: no send
// waits for another rank's, so the time is that of two messages.
func TestRanksTakeTurns(t *testing.T) {
	const n, length = 5, 4
	var w writer
	w.algo("twice", "alltoall", n, 2*n, 2, 0)
	for r := range n {
		w.gpu(r, 2*n, 2*n, 0)
		for channel := range 2 {
			for k := 1; k < n; k++ {
				to, from := (r+k)%n, (r-k+n)%n
				w.tb(to, from, channel)
				w.do("s", at('i', 2*to+channel), at('o', 2*r+channel), 1, "", false)
				w.do("r", at('o', 2*from+channel), at('o', 2*from+channel), 1, "", false)
				w.endBlock()
			}
		}
		w.tb(-1, -1, 0)
		w.do("cpy", at('i', 2*r), at('o', 2*r), 2, "", false)
		w.endBlock()
		w.endGPU()
	}
	a, err := Parse("a.xml", strings.NewReader(w.end()))
	require.NoError(t, err)
	r := execute(t, a, "complete:5", "wormhole", length)
	require.NoError(t, r.Failure)
	require.EqualValues(t, 2*length+1, r.Cycles)
}

// The root of a scatter has all words to send, one link to send them by, and is at
// the bound.
func TestScatterAtItsBound(t *testing.T) {
	const n, length = 4, 6
	var w writer
	w.algo("chain", "scatter", n, n, 1, 0)
	for r := range n {
		w.gpu(r, n, 1, 0)
		next, last := r+1, r-1
		if next == n {
			next = -1
		}
		w.tb(next, last, 0)
		for k := n - 1; k > r; k-- {
			if r == 0 {
				w.do("s", at('i', k), "o0", 1, "", false)
			} else {
				w.do("rcs", "o0", "o0", 1, "", false)
			}
		}
		if r > 0 {
			w.do("r", "o0", "o0", 1, "", false)
		} else {
			w.do("cpy", "i0", "o0", 1, "", false)
		}
		w.endBlock()
		w.endGPU()
	}
	a, err := Parse("a.xml", strings.NewReader(w.end()))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure)
	network, err := topology.Parse("path:4")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	require.EqualValues(t, (n-1)*length+1, f.LowerBound(network, m, length, nil))
	r := execute(t, a, "path:4", "wormhole", length)
	require.NoError(t, r.Failure)
	require.EqualValues(t, (n-1)*length+1, r.Cycles)
}

// What a custom algorithm adds up before it sends, or copies after it has taken
// it, passes the link once: the bound must not count it for every chunk.
func TestBoundOfCustomSums(t *testing.T) {
	const length = 6
	step := func(s int, kind string, src, dst string) string {
		return fmt.Sprintf(`<step s="%d" type="%s" %s %s cnt="1" depid="-1" deps="-1" hasdep="0"/>`, s, kind, src, dst)
	}
	for _, row := range []struct {
		name, sends, takes string
		chunks             int // that pass the link
	}{
		{
			"added before", step(0, "re", `srcbuf="i" srcoff="1"`, `dstbuf="i" dstoff="0"`) + step(1, "s", `srcbuf="i" srcoff="0"`, `dstbuf="o" dstoff="0"`),
			step(0, "r", `srcbuf="i" srcoff="0"`, `dstbuf="o" dstoff="0"`), 1,
		},
		{
			"copied behind", step(0, "s", `srcbuf="i" srcoff="0"`, `dstbuf="o" dstoff="0"`),
			step(0, "r", `srcbuf="i" srcoff="0"`, `dstbuf="o" dstoff="0"`) + step(1, "cpy", `srcbuf="o" srcoff="0"`, `dstbuf="o" dstoff="1"`), 1,
		},
		{
			"both", step(0, "s", `srcbuf="i" srcoff="0"`, `dstbuf="o" dstoff="0"`) + step(1, "s", `srcbuf="i" srcoff="1"`, `dstbuf="o" dstoff="1"`),
			step(0, "r", `srcbuf="i" srcoff="0"`, `dstbuf="o" dstoff="0"`) + step(1, "r", `srcbuf="i" srcoff="1"`, `dstbuf="o" dstoff="1"`), 2,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, err := Parse("a.xml", strings.NewReader(`<algo name="a" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="custom" inplace="0">
				<gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0"><tb id="0" send="1" recv="-1" chan="0">`+row.sends+`</tb></gpu>
				<gpu id="1" i_chunks="0" o_chunks="2" s_chunks="0"><tb id="0" send="-1" recv="0" chan="0">`+row.takes+`</tb></gpu></algo>`))
			require.NoError(t, err)
			f, err := a.Flow(0)
			require.NoError(t, err)
			network, err := topology.Parse("path:2")
			require.NoError(t, err)
			m, err := machine.Preset("wormhole")
			require.NoError(t, err)
			r := execute(t, a, "path:2", "wormhole", length)
			require.NoError(t, r.Failure)
			require.EqualValues(t, row.chunks*length+1, r.Cycles)
			require.Equal(t, r.Cycles, f.LowerBound(network, m, length, nil))
		})
	}
}
