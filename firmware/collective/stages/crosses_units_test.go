// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

func torus(t *testing.T, spec string) Grid {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return GridOf(topo)
}

func paceOf(t *testing.T, startup int) Pace {
	t.Helper()
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup, m.Channels = startup, machine.Links
	return PaceOf(&m)
}

// Short axes come first; a ring has two arms, of together all its other nodes,
// and an axis of two nodes one.
func TestArmsOfAGrid(t *testing.T) {
	for _, row := range []struct {
		topology string
		want     []int // size, way and longest distance of every arm
	}{
		{"torus:3x3", []int{3, right, 1, 3, left, 1, 3, right, 1, 3, left, 1}},
		{"torus:8x5", []int{5, right, 2, 5, left, 2, 8, right, 4, 8, left, 3}},
		{"torus:2x7", []int{2, right, 1, 7, right, 3, 7, left, 3}},
		{"hypercube:2", []int{2, right, 1, 2, right, 1}},
	} {
		var got []int
		for _, a := range torus(t, row.topology).arms() {
			got = append(got, a.Size, a.way, a.longest())
		}
		require.Equal(t, row.want, got, row.topology)
	}
}

// An arm moves along its axis alone, by its distance, around the end.
func TestMovesOfAnArm(t *testing.T) {
	g := torus(t, "torus:4x5x3")
	for _, a := range g.arms() {
		for node := range g.Nodes() {
			for d := 1; d <= a.longest(); d++ {
				to := node + a.move(node, d)
				direction := 1
				if a.way == left {
					direction = -1
				}
				for _, other := range g {
					at, want := to/other.Stride%other.Size, node/other.Stride%other.Size
					if other.Stride == a.Stride {
						want = (want + direction*d + other.Size) % other.Size
					}
					require.Equal(t, want, at)
				}
				back := arm{a.Axis, left - a.way}
				require.Equal(t, node, to+back.move(to, d))
			}
		}
	}
}

// The longest distance is legal and one more is not; neither is none.
func TestCheckOfCrosses(t *testing.T) {
	g := torus(t, "torus:4x6")
	for _, row := range []struct {
		name    string
		buckets int
		arms    []int
		want    string
	}{
		{"longest", 2, []int{2, 1, 3, 2}, ""},
		{"shortest", 1, []int{1, 1, 1, 1}, ""},
		{"beyond the right arm", 1, []int{3, 1, 1, 1}, "a distance of 3 along 4 nodes (expected 1 to 2)"},
		{"beyond the left arm", 1, []int{2, 2, 1, 1}, "a distance of 2 along 4 nodes (expected 1 to 1)"},
		{"beyond the last arm", 1, []int{2, 1, 3, 3}, "a distance of 3 along 6 nodes (expected 1 to 2)"},
		{"nothing", 1, []int{1, 0, 1, 1}, "a distance of 0 along 4 nodes (expected 1 to 1)"},
		{"an arm too few", 1, []int{1, 1, 1}, "3 distances for a step (expected 4)"},
		{"an arm too many", 1, []int{1, 1, 1, 1, 1}, "5 distances for a step (expected 4)"},
		{"buckets that do not divide", 4, []int{1, 1, 1, 1}, "4 buckets on a side of 6 (expected a number that divides all sides)"},
		{"no bucket", 0, []int{1, 1, 1, 1}, "0 buckets on a side of 4 (expected a number that divides all sides)"},
	} {
		err := Crosses{Buckets: row.buckets, Steps: [][]int{row.arms}}.check(g)
		if row.want == "" {
			require.NoError(t, err, row.name)
			continue
		}
		require.EqualError(t, err, row.want, row.name)
	}
	require.EqualError(t, Crosses{Buckets: 1}.check(torus(t, "mesh:3x3")), "crosses along a path of 3 nodes (expected rings and tori)")
}

// sums are the offsets that distances reach: all sums of an arm of every step, or none of it.
func sums(g Grid, steps [][]int) map[int]bool {
	reached := map[int]bool{0: true}
	for _, distances := range steps {
		next := map[int]bool{}
		for at := range reached {
			next[at] = true
			for k, a := range g.arms() {
				next[at+a.move(at, distances[k])] = true
			}
		}
		reached = next
	}
	return reached
}

// eachStep calls f with all distances that a step may have.
func eachStep(arms []arm, f func([]int)) {
	distances := make([]int, len(arms))
	var fill func(k int)
	fill = func(k int) {
		if k == len(arms) {
			f(distances)
			return
		}
		for distances[k] = 1; distances[k] <= arms[k].longest(); distances[k]++ {
			fill(k + 1)
		}
	}
	fill(0)
}

// What is reached are the sums of the arms, each offset once, told with the arm
// that brings it there; no arm brings many more than another.
func TestOffsetsAreReachedOnce(t *testing.T) {
	for _, spec := range []string{"torus:3x3", "torus:4x3", "torus:5x4", "torus:2x5", "torus:3x3x3"} {
		g := torus(t, spec)
		r := newReacher(g)
		eachStep(r.arms, func(first []int) {
			first = slices.Clone(first)
			steps := [][]int{first, slices.Repeat([]int{1}, len(r.arms)), first}
			r.reset()
			known := map[int]bool{0: true}
			for _, distances := range steps {
				before, counted := r.list[:len(r.list):len(r.list)], make([]int, len(r.arms))
				r.step(distances, func(k int, to int32) {
					require.False(t, known[int(to)], "%s reaches %d twice", spec, to)
					known[int(to)] = true
					counted[k]++
					back := arm{r.arms[k].Axis, left - r.arms[k].way}
					require.Contains(t, before, to+int32(back.move(int(to), distances[k])), "by an arm from where it was")
				})
				require.Equal(t, counted, r.news)
			}
			require.Equal(t, sums(g, steps), known, "%s %v", spec, steps)
			require.Len(t, r.list, len(known))
		})
	}
}

// missedBy says by how much the search misses the fastest crosses: words of one
// block in one of the steps.
var missedBy = map[string]router.Cycle{"torus:4x4": 3, "torus:5x5": 3}

// The search finds the fastest of all crosses of up to three steps, in any
// number of buckets, but for a known gap.
func TestBestCrossesAreThoseOfAll(t *testing.T) {
	for _, spec := range []string{"torus:3x3", "torus:4x3", "torus:4x4", "torus:5x3", "torus:5x5"} {
		g := torus(t, spec)
		for _, startup := range []int{20, 2000} {
			p := paceOf(t, startup)
			r := newReacher(g)
			fastest := router.Cycle(math.MaxInt64)
			for _, buckets := range []int{1, 2, 4} {
				if g[0].Size%buckets == 0 && g[1].Size%buckets == 0 {
					fastest = min(fastest, fastestOf(r, buckets, 3, 3, p))
				}
			}
			x, time, ok := BestCrosses(g, 3, p, math.MaxInt64)
			require.True(t, ok, spec)
			require.Len(t, sums(g, x.Steps), g.Nodes(), "%s %v", spec, x)
			require.Equal(t, fastest+missedBy[spec], time, "%s startup %d: %v", spec, startup, x)
			again, err := x.Time(g, 3, p)
			require.NoError(t, err)
			require.Equal(t, time, again)
			_, _, ok = BestCrosses(g, 3, p, time)
			require.False(t, ok, "nothing is below the best")
			_, _, ok = BestCrosses(g, 3, p, time+1)
			require.True(t, ok, "the best is below one more")
		}
	}
}

// fastestOf tries all crosses of up to so many steps.
func fastestOf(r *reacher, buckets, steps, words int, p Pace) router.Cycle {
	best := router.Cycle(math.MaxInt64)
	var extend func(so [][]int)
	extend = func(so [][]int) {
		if time, missing := (Crosses{Buckets: buckets, Steps: so}).measure(r, words, p); missing == 0 {
			best = min(best, time)
			return // more steps take longer
		}
		if len(so) == steps {
			return
		}
		eachStep(r.arms, func(distances []int) { extend(append(so[:len(so):len(so)], slices.Clone(distances))) })
	}
	extend(nil)
	return best
}

// Crosses that miss nodes have no time, and the error counts what they reach.
func TestCrossesThatMissNodes(t *testing.T) {
	g := torus(t, "torus:5x5")
	_, err := Crosses{Buckets: 1, Steps: [][]int{{1, 1, 1, 1}}}.Time(g, 1, paceOf(t, 9))
	require.EqualError(t, err, "crosses that reach 5 of 25 nodes (expected all of them)")
	_, err = Crosses{Buckets: 1, Steps: [][]int{{1, 1, 1, 1}, {2, 2, 2, 2}, {1, 1, 1, 1}}}.Time(g, 1, paceOf(t, 9))
	require.NoError(t, err)
}

func TestTextOfCrosses(t *testing.T) {
	require.Equal(t, "(1 2,1,2,2)", Crosses{Buckets: 1, Steps: [][]int{{1, 1, 1, 1}, {2, 1, 2, 2}}}.String())
	require.Equal(t, "(3; 2 buckets)", Crosses{Buckets: 2, Steps: [][]int{{3, 3}}}.String())
}
