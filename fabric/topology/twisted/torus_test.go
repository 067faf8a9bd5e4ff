// SPDX-License-Identifier: Apache-2.0

package twisted_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/fabric/topology/twisted"
	"meshwright/router"
)

// shapes are sides and twists: long and wide, equal sides, every rest of the long side by the twist.
var shapes = [][3]int{
	{4, 8, 4}, {8, 4, 4}, {3, 6, 3}, {6, 3, 3}, {2, 3, 1}, {3, 2, 2}, {2, 7, 4}, {4, 4, 1}, {4, 4, 2}, {5, 5, 3}, {3, 8, 6}, {9, 6, 2}, {6, 4, 5}, {12, 2, 8},
}

func torus(t testing.TB, shape [3]int) *twisted.Torus {
	g, err := twisted.New(shape[0], shape[1], shape[2])
	require.NoError(t, err)
	return g
}

// neighbours lists the neighbours of a node by the definition: +x, -x, +y, -y.
func neighbours(shape [3]int, n router.NodeID) [4]router.NodeID {
	a, b, twist := shape[0], shape[1], shape[2]
	x, y := int(n)%a, int(n)/a
	at := func(x, y int) router.NodeID { return router.NodeID((x+a)%a + a*((y+b)%b)) }
	if a > b { // columns are shifted along x
		up, down := 0, 0
		if y == b-1 {
			up = twist
		}
		if y == 0 {
			down = a - twist
		}
		return [4]router.NodeID{at(x+1, y), at(x-1, y), at((x+up)%a, y+1), at((x+down)%a, y-1)}
	}
	right, left := 0, 0
	if x == a-1 {
		right = twist
	}
	if x == 0 {
		left = b - twist
	}
	return [4]router.NodeID{at(x+1, (y+right)%b), at(x-1, (y+left)%b), at(x, y+1), at(x, y-1)}
}

// search returns the distances from a node, by breadth-first search over neighbours.
func search(shape [3]int, from router.NodeID) []int {
	distance := make([]int, shape[0]*shape[1])
	for n := range distance {
		distance[n] = -1
	}
	distance[from] = 0
	for queue := []router.NodeID{from}; len(queue) > 0; queue = queue[1:] {
		for _, n := range neighbours(shape, queue[0]) {
			if distance[n] < 0 {
				distance[n] = distance[queue[0]] + 1
				queue = append(queue, n)
			}
		}
	}
	return distance
}

func TestNeighboursAreThoseOfTheDefinition(t *testing.T) {
	for _, shape := range shapes {
		g := torus(t, shape)
		for n := range router.NodeID(g.Nodes()) {
			for p, want := range neighbours(shape, n) {
				require.Equal(t, want, g.Neighbor(n, router.Port(p)), "%v node %d port %d", shape, n, p)
				require.Equal(t, n, g.Neighbor(want, router.Port(p)^1), "%v node %d port %d", shape, n, p)
			}
		}
	}
}

// Every route is as short as a search finds, goes along x before y, never turns back, and crosses
// at most one dateline in each dimension.
func TestRoutesAreShortestAndCrossOneDateline(t *testing.T) {
	for _, shape := range shapes {
		g := torus(t, shape)
		for from := range router.NodeID(g.Nodes()) {
			for to, distance := range search(shape, from) {
				at, links, last, closed := from, 0, router.NoPort, [2]int{}
				for p := g.Next(at, router.NodeID(to)); p != router.Here; p = g.Next(at, router.NodeID(to)) {
					require.True(t, last == router.NoPort || p == last || last < 2 && p >= 2, "%v %d>%d turns from port %d to %d", shape, from, to, last, p)
					if g.Closes(at, p) {
						closed[p/2]++
					}
					at, last = g.Neighbor(at, p), p
					links++
					require.LessOrEqual(t, links, distance, "%v %d>%d", shape, from, to)
				}
				require.Equal(t, router.NodeID(to), at, "%v %d>%d", shape, from, to)
				require.Equal(t, distance, links, "%v %d>%d", shape, from, to)
				require.True(t, closed[0] <= 1 && closed[1] <= 1, "%v %d>%d", shape, from, to)
			}
		}
	}
}

// Going on by one port comes back to the start, over one dateline.
func TestEveryRingHasOneDateline(t *testing.T) {
	for _, shape := range shapes {
		g := torus(t, shape)
		for from := range router.NodeID(g.Nodes()) {
			for p := range router.Port(twisted.Ports) {
				closed, at := 0, from
				for {
					if g.Closes(at, p) {
						closed++
						require.True(t, g.Closes(g.Neighbor(at, p), p^1), "%v: one direction only", shape)
					}
					if at = g.Neighbor(at, p); at == from {
						break
					}
				}
				require.Equal(t, 1, closed, "%v: ring of node %d along port %d", shape, from, p)
			}
		}
	}
}

// The rectangular twisted torus of k x 2k nodes has 4d nodes at each distance d below k, and the other
// 2k-1 at distance k, its diameter. The torus of equal size has the diameter k + floor(k/2), and
// a larger average distance. (Cámara et al., 2010.)
func TestTwistedToriAreNarrowerThanTori(t *testing.T) {
	for k := 2; k <= 12; k++ {
		wantSum, plainSum, plainMost := 0, 0, 0
		for _, shape := range [][3]int{{k, 2 * k, k}, {2 * k, k, k}} {
			counts := make([]int, k+1)
			for _, d := range search(shape, 0) {
				require.LessOrEqual(t, d, k)
				counts[d]++
			}
			want := []int{1}
			for d := 1; d < k; d++ {
				want = append(want, 4*d)
			}
			require.Equal(t, append(want, 2*k-1), counts, "%v", shape)
		}
		for d := 1; d < k; d++ {
			wantSum += 4 * d * d
		}
		wantSum += k * (2*k - 1)
		plain, err := topology.Parse(fmt.Sprintf("torus:%dx%d", k, 2*k))
		require.NoError(t, err)
		for _, d := range topology.BreadthFirst(plain, 0).Depth {
			plainSum, plainMost = plainSum+int(d), max(plainMost, int(d))
		}
		require.Equal(t, k+k/2, plainMost)
		require.Less(t, wantSum, plainSum, "k = %d", k)
	}
}

func TestWhatIsNoTwistedTorus(t *testing.T) {
	for _, row := range []struct {
		shape [3]int
		want  string
	}{
		{[3]int{1, 5, 1}, "a twisted torus of 1 x 5 nodes (expected sides of at least 2 and 3)"},
		{[3]int{2, 2, 1}, "a twisted torus of 2 x 2 nodes (expected sides of at least 2 and 3)"},
		{[3]int{4, 8, 0}, "a twisted torus of 4 x 8 nodes with twist 0 (expected 1 to 7)"},
		{[3]int{8, 4, 8}, "a twisted torus of 8 x 4 nodes with twist 8 (expected 1 to 7)"},
	} {
		_, err := twisted.New(row.shape[0], row.shape[1], row.shape[2])
		require.EqualError(t, err, row.want)
	}
	g := torus(t, [3]int{4, 8, 4})
	for _, n := range []router.NodeID{-1, 32} {
		require.Equal(t, router.None, g.Neighbor(n, 0))
		require.Equal(t, router.None, g.Translate(n, 0))
		require.Equal(t, router.None, g.Translate(0, n))
		require.Equal(t, router.NoPort, g.Next(n, 0))
		require.Equal(t, router.NoPort, g.Next(0, n))
		require.False(t, g.Closes(n, 0))
		require.Zero(t, g.Coordinates(n))
	}
	require.Equal(t, router.None, g.Neighbor(0, 4))
	require.False(t, g.Closes(3, -1))
}

// Of 6 x 3 nodes, node 15 is behind the shifted link down from node 0, and the route to node 10 goes along x first.
func ExampleTorus_Next() {
	g, _ := twisted.New(6, 3, 3)
	for _, to := range []router.NodeID{15, 10} {
		fmt.Print(0)
		for at := router.NodeID(0); at != to; {
			at = g.Neighbor(at, g.Next(at, to))
			fmt.Print(">", at)
		}
		fmt.Println()
	}
	// Output:
	// 0>15
	// 0>1>16>10
}
