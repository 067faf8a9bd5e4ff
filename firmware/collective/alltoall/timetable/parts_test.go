// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
)

func parse(t testing.TB, spec string) *topology.Topology {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

func TestLatticesAreThoseThatLookTheSame(t *testing.T) {
	for spec, want := range map[string]int{
		"ring:5": 2, "path:2": 1, "torus:4x4": 4, "torus:2x5": 3, "hypercube:4": 4, "torus:3x4x5": 6, "mesh:2x2": 2, "torus:1x4": 2,
		"path:3": 0, "mesh:2x3": 0, "path:1": 0, "binary:2": 0, "complete:4": 0,
	} {
		l := newLattice(parse(t, spec))
		if want == 0 {
			require.Nil(t, l, spec)
			continue
		}
		require.Len(t, l.directions, want, spec)
	}
}

// From any node a step in a direction leads to a neighbour, and what is left of
// an offset is one less; the offset is where the steps end.
func TestDirectionsLeadToOffsets(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, spec := range []string{"ring:6", "ring:7", "torus:4x3", "torus:2x5", "hypercube:3", "torus:3x4x2"} {
		topo := parse(t, spec)
		l := newLattice(topo)
		from0 := topology.BreadthFirst(topo, 0).Depth
		for v := range l.nodes {
			require.Equal(t, from0[v], l.hops[v], spec)
			share := int32(0)
			for _, s := range l.share[v] {
				share += s
			}
			require.Equal(t, 2*l.hops[v], share)
			path, left := []router.Port(nil), int32(v)
			for left != 0 {
				d := random.IntN(len(l.directions))
				if next := l.ahead[left][d]; next >= 0 {
					require.Equal(t, l.hops[left]-1, l.hops[next])
					path, left = append(path, router.Port(d)), next
				}
			}
			end, _ := l.walk(topo, 0, path)
			require.Equal(t, router.NodeID(v), end, spec)
			start := router.NodeID(random.IntN(l.nodes))
			end, _ = l.walk(topo, start, path)
			require.Equal(t, l.hops[v], topology.BreadthFirst(topo, start).Depth[end])
		}
	}
}

func TestBlockedAgainstOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for range 3000 {
		var set []uint64
		bits := map[int]bool{}
		for range random.IntN(8) {
			from := random.IntN(300)
			to := from + random.IntN(1+random.IntN(90))
			if random.IntN(4) == 0 {
				unmark(mark(set, 0, 0), from, min(to, 64*len(set)))
				for b := from; b < to; b++ {
					delete(bits, b)
				}
				continue
			}
			set = mark(set, from, to)
			for b := from; b < to; b++ {
				bits[b] = true
			}
		}
		require.Equal(t, len(bits), count(set))
		x, width := random.IntN(350), 1+random.IntN(1+random.IntN(200))
		got := blocked(set, x, width)
		for i := range 64 {
			want := false
			for b := x + i; b < x+i+width; b++ {
				want = want || bits[b]
			}
			require.Equal(t, want, got>>i&1 != 0, "start %d of %d, width %d", x, i, width)
		}
	}
}

// The period is the first number of cycles for which the checker finds no
// collision between rounds, whatever their number. With a startup the channel of
// the first link is held for longer than the link.
func TestPeriodIsTheLeast(t *testing.T) {
	for _, startup := range []int{0, 1, 4} {
		m, err := Reference()
		require.NoError(t, err)
		m.Startup = startup
		for _, spec := range []string{"torus:3x3", "ring:6", "mesh:3x3", "path:5", "path:2"} {
			table, err := Find(t.Context(), parse(t, spec), m, 1, Options{Seed: 1})
			require.NoError(t, err)
			for rounds := 2; rounds <= 5; rounds++ {
				period := newSpace(table.Topology, m, table.lattice).period(table, rounds)
				for p := period; p >= max(1, period-3); p-- {
					more := *table
					more.Lengths, more.Rounds, more.Period = slices.Repeat([]int{rounds}, table.Topology.Nodes()), rounds, p
					more.Cycles += router.Cycle(rounds-1) * p
					require.Equal(t, p == period, more.Verify(m) == nil, "%s, startup %d, %d rounds every %d", spec, startup, rounds, p)
				}
			}
		}
	}
}

// A message is placed where it arrives first, on any shortest route: no earlier
// start is free on any of them.
func TestInsertTakesTheFirstStart(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	m, err := Reference()
	require.NoError(t, err)
	for _, spec := range []string{"mesh:3x4", "ring:6", "binary:2", "torus:3x3"} {
		topo := parse(t, spec)
		for range 20 {
			c := newCalendars(newSpace(topo, m, nil), []int{3}, 1)
			for range 60 {
				e := errand{from: router.NodeID(random.IntN(topo.Nodes())), to: router.NodeID(random.IntN(topo.Nodes())), flits: 1 + random.IntN(3)}
				if e.from == e.to {
					continue
				}
				e.hops = int32(c.distance[e.from][e.to])
				want := 0
				for ; !freeAnyWay(c, &e, want, e.from, nil); want++ {
				}
				c.insert(&e)
				require.Equal(t, want, e.start)
				require.Len(t, e.links, int(e.hops))
			}
		}
	}
}

// The prices of all starts at once are those of each start and route by itself: the weights of the messages that hold one of its uses. Both ways to add them up agree, with rounds and without.
func TestPricesAgainstOneByOne(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(7, 7))
	for _, spec := range []string{"mesh:3x3", "torus:3x3", "binary:2"} {
		topo := parse(t, spec)
		for _, every := range []int{0, 25} {
			c := newCalendars(newSpace(topo, m, nil), []int{3}, 1)
			var errands []errand
			for range 30 {
				e := errand{from: router.NodeID(random.IntN(topo.Nodes())), to: router.NodeID(random.IntN(topo.Nodes())), flits: 1 + random.IntN(3)}
				if e.from != e.to {
					e.hops = int32(c.distance[e.from][e.to])
					c.insert(&e)
					errands = append(errands, e)
				}
			}
			r := newRepair(newGeneral(c, errands), 1, Options{Effort: 1})
			if r.every = every; every > 0 {
				clear(r.owner)
				for i := range r.errands {
					r.own(int32(i), int32(i))
				}
			}
			for i := range r.weight {
				r.weight[i] = 1 + random.Int32N(9)
			}
			latest := 20
			r.prices.starts = []int32{3, 0, 20, 11, 7}
			for i := range r.errands {
				e := &r.errands[i]
				r.survey(e)
				r.priceLinks(e, latest)
				r.pricePlaces()
				n := len(r.prices.starts)
				sums, each := make([]int32, n), make([]int32, n)
				r.usesOf(e, r.ways[0].link, r.ways[0].hop, func(k int32, at, width int) {
					r.addBySums(sums, k, at, width, latest)
					r.addEach(each, k, at, width)
				})
				require.Equal(t, each, sums, "%s, every %d", spec, every)
				r.leave()
				for j, start := range r.prices.starts {
					require.Equal(t, cheapestWay(r, e, int(start), e.from, nil), r.prices.place[len(r.prices.place)-n+j], "%s, every %d, start %d", spec, every, start)
				}
			}
		}
	}
}

// cheapestWay tries all shortest routes.
func cheapestWay(r *repair, e *errand, start int, at router.NodeID, links []int32) int32 {
	if at == e.to {
		price := int32(0)
		for hop, link := range links {
			r.usesOf(e, link, int32(hop), func(k int32, at, width int) {
				met := map[int32]bool{}
				for q := start + at; q < start+at+width; q++ {
					if o := *r.ownerAt(k, q); o >= 0 && !met[o] {
						met[o] = true
						price += r.weight[o]
					}
				}
			})
		}
		return price
	}
	best := int32(1 << 30)
	for i := r.base[at]; i < r.base[at+1]; i++ {
		if to := r.links[i].To; int(r.distance[to][e.to]) == int(e.hops)-len(links)-1 {
			best = min(best, cheapestWay(r, e, start, to, append(links[:len(links):len(links)], i)))
		}
	}
	return best
}

// freeAnyWay tries all shortest routes.
func freeAnyWay(c *calendars, e *errand, start int, at router.NodeID, links []int32) bool {
	if at == e.to {
		for _, u := range c.uses(nil, router.Cycle(start), e.flits, links) {
			if anyBit(c.busy[u.calendar], int(u.from), int(u.to)) {
				return false
			}
		}
		return true
	}
	for i := c.base[at]; i < c.base[at+1]; i++ {
		to := c.links[i].To
		if int(c.distance[to][e.to]) == int(e.hops)-len(links)-1 && freeAnyWay(c, e, start, to, append(links[:len(links):len(links)], i)) {
			return true
		}
	}
	return false
}

// Of so many rounds the last one starts rounds-1 periods behind the first: a use
// that far apart is hit, one of a period more is not.
func TestRoundsHitUpToTheLast(t *testing.T) {
	for rounds := 2; rounds < 6; rounds++ {
		for apart := 1; apart < 8; apart++ {
			set := make([]bool, 40)
			set[apart*3] = true
			require.Equal(t, apart <= rounds-1, hits(set, 3, rounds), "%d rounds, %d periods apart", rounds, apart)
		}
	}
	require.False(t, hits([]bool{true}, 1, 9), "nothing beyond the end")
	set := make([]bool, 7)
	set[6] = true
	require.True(t, hits(set, 3, 3), "the last of the set")
}
