// SPDX-License-Identifier: Apache-2.0

package router

import (
	"fmt"
	"math/rand/v2"
	"meshwright/internal/bitset"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The route along a dimension is counted out, link by link; at equal distance it
// goes in + direction, and lower dimensions come first.
func TestDimensionOrderTakesTheShorterWay(t *testing.T) {
	for _, row := range []struct {
		dims []int
		wrap []bool
	}{
		{[]int{5}, []bool{false}}, {[]int{2}, []bool{true}}, {[]int{3}, []bool{true}}, {[]int{6}, []bool{true}}, {[]int{7}, []bool{true}},
		{[]int{4, 3}, []bool{true, false}}, {[]int{3, 4}, []bool{false, true}}, {[]int{1, 4, 3}, []bool{false, true, true}},
	} {
		r := NewDimensionOrder(row.dims, row.wrap)
		nodes := 1
		for _, size := range row.dims {
			nodes *= size
		}
		for at := range nodes {
			for to := range nodes {
				want, a, b := Here, at, to
				for d, size := range row.dims {
					x, y := a%size, b%size
					a, b = a/size, b/size
					if x == y || want != Here {
						continue
					}
					plus, minus := links(x, y, 1, size, row.wrap[d]), links(x, y, -1, size, row.wrap[d])
					if want = Port(2 * d); minus >= 0 && (plus < 0 || minus < plus) {
						want++
					}
				}
				require.Equal(t, want, r.Next(NodeID(at), &Worm{Destination: NodeID(to)}, 0), "%v %v from %d to %d", row.dims, row.wrap, at, to)
			}
		}
	}
}

// links counts the links from x to y in one direction, -1 where none leads there.
func links(x, y, direction, size int, wrap bool) int {
	for n := 0; ; n++ {
		if x == y {
			return n
		}
		if x += direction; x < 0 || x >= size {
			if !wrap {
				return -1
			}
			x = (x + size) % size
		}
	}
}

func TestTableGivesWhatWasSet(t *testing.T) {
	table := NewTable(3)
	table.Set(0, 1, 4)
	table.Set(1, 0, 2)
	for at := range NodeID(3) {
		require.Equal(t, Here, table.Next(at, &Worm{Destination: at}, 7))
	}
	require.Equal(t, Port(4), table.Next(0, &Worm{Destination: 1}, 0))
	require.Equal(t, Port(2), table.Next(1, &Worm{Destination: 0}, 0))
}

// On random trees each hop is the one of the path that parents give.
func TestTreeRoutesAlongThePath(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 60 {
		nodes := 1 + random.IntN(12)
		name := random.Perm(nodes)
		parent, up := make([]NodeID, nodes), make([]Port, nodes)
		children, down := make([][]NodeID, nodes), make([][]Port, nodes)
		parent[name[0]], up[name[0]] = None, NoPort
		for i := 1; i < nodes; i++ {
			p, c := NodeID(name[random.IntN(i)]), NodeID(name[i])
			parent[c], up[c] = p, Port(random.IntN(9))
			children[p], down[p] = append(children[p], c), append(down[p], Port(10+len(down[p])))
		}
		tree := NewTree(NodeID(name[0]), up, children, down)
		for at := range NodeID(nodes) {
			for to := range NodeID(nodes) {
				want := up[at]
				if at == to {
					want = Here
				}
				for below := to; below != at && below != None; below = parent[below] {
					if i := slices.Index(children[at], below); i >= 0 {
						want = down[at][i]
					}
				}
				require.Equal(t, want, tree.Next(at, &Worm{Destination: to}, 0), "%v from %d to %d", parent, at, to)
			}
		}
	}
}

func TestSourceRoutesEndAtTheirLastHop(t *testing.T) {
	w := &Worm{Destination: 9, Route: []Port{3, 0}}
	require.Equal(t, Port(3), Source{}.Next(0, w, 0))
	require.Equal(t, Port(0), Source{}.Next(0, w, 1))
	require.Equal(t, Here, Source{}.Next(0, w, 2))
	require.Equal(t, Here, Source{}.Next(0, &Worm{}, 0))
}

// The tables of small networks are the routing's; larger ones and source routes have none.
func TestRoutesOfSmallNetworksAreTabulated(t *testing.T) {
	last := NewDimensionOrder([]int{maxTabulated}, []bool{true})
	ports := tabulate(last, maxTabulated)
	require.Len(t, ports, maxTabulated*maxTabulated)
	for at := range NodeID(maxTabulated) {
		for to := range NodeID(maxTabulated) {
			require.Equal(t, last.Next(at, &Worm{Destination: to}, 0), Port(ports[int(at)*maxTabulated+int(to)]))
		}
	}
	require.Nil(t, tabulate(NewDimensionOrder([]int{maxTabulated + 1}, []bool{true}), maxTabulated+1))
	require.Nil(t, tabulate(Source{}, 2))
}

// Sets hold what a map holds, at the ends of words and of the index's words too.
func TestSetsHoldWhatAMapHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, size := range []int{1, 63, 64, 65, 128, 4095, 4096, 4097, 9000} {
		s, plain, want := newSparse(size), bitset.New(size), map[int32]bool{}
		require.Len(t, plain, (size+63)/64)
		for step := range 400 {
			i := int32(random.IntN(size))
			if step%3 == 0 {
				i = []int32{0, int32(size) - 1}[random.IntN(2)]
			}
			switch random.IntN(4) {
			case 0:
				s.clear(i)
				plain.Clear(i)
				delete(want, i)
			case 1:
				plain.Flip(i)
				if want[i] {
					s.clear(i)
					delete(want, i)
				} else {
					s.set(i)
					want[i] = true
				}
			default:
				s.set(i)
				plain.Set(i)
				want[i] = true
			}
			require.Equal(t, want[i], plain.Has(i))
			require.Equal(t, want[i], s.words.Has(i))
			require.Equal(t, len(want) == 0, s.empty())
			require.Equal(t, len(want) == 0, plain.Empty())
		}
		var sorted []int32
		for i := range want {
			sorted = append(sorted, i)
		}
		slices.Sort(sorted)
		require.Equal(t, sorted, slices.Collect(plain.All()))
		require.Equal(t, sorted, slices.Collect(s.all()))
		require.Equal(t, len(sorted), plain.Size())
		require.Equal(t, sorted, slices.Clip(append([]int32(nil), s.drain([]int32{5})...)))
		require.True(t, s.empty())
		require.True(t, s.words.Empty())
		s.set(int32(size) - 1)
		s.reset()
		require.True(t, s.empty())
		require.True(t, s.words.Empty())
	}
}

// The first request at or after the pointer wins, around the end; the pointer
// moves behind it, and the others go on waiting.
func TestClaimsGoRound(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 2))
	const inputs = 7
	for range 500 {
		b := &reference{in: make([]input, inputs)}
		out := output{owner: -1, waiting: -1, pointer: int32(random.IntN(inputs + 1))}
		requests := random.Perm(inputs)[:1+random.IntN(inputs)]
		for _, i := range requests {
			b.in[i].next, out.waiting = out.waiting, int32(i)
		}
		pointer := int(out.pointer)
		want := slices.MinFunc(requests, func(i, j int) int { return (i-pointer+inputs)%inputs - (j-pointer+inputs)%inputs })
		b.claim(&out)
		require.Equal(t, int32(want), out.owner, "%v pointer %d", requests, pointer)
		require.Equal(t, out.owner+1, out.pointer)
		require.Equal(t, int32(-1), b.in[want].next)
		var left []int
		for i := out.waiting; i >= 0; i = b.in[i].next {
			left = append(left, int(i))
		}
		require.ElementsMatch(t, slices.DeleteFunc(slices.Clone(requests), func(i int) bool { return i == want }), left)
	}
}

// The class of a dateline is 1 from the link that closes the ring on, and 0
// again after a turn and after injection; pairs of channels do not mix.
func TestClassesOfTheDateline(t *testing.T) {
	// One chip of two dimensions with four channels; port 1 closes a ring.
	b := NewBank(Config{PortBase: []int32{0, 4}, Peer: []int32{1, 0, 3, 2}, CrossesRim: []bool{false, true, false, false}, VCs: 4, Buffer: 1, Routing: NewTable(1)})
	for _, row := range []struct {
		name    string
		in      int32 // link port, 4: injection
		vc      VC
		out     int32
		through VC
	}{
		{"straight on below the dateline", 1, 0, 0, 0},
		{"straight on beyond it", 1, 1, 0, 1},
		{"straight on beyond it, upper pair", 1, 3, 0, 3},
		{"over it", 0, 0, 1, 1},
		{"over it, upper pair", 0, 2, 1, 3},
		{"over it while turning", 2, 2, 1, 3},
		{"a turn", 0, 1, 2, 0},
		{"a turn, upper pair", 0, 3, 3, 2},
		{"injection", 4, 0, 2, 0},
		{"injection, upper pair", 4, 3, 2, 2},
		{"injection over it", 4, 2, 1, 3},
	} {
		require.Equal(t, row.through, b.vcFor(row.in*4, 0, row.vc, row.out), row.name)
	}
	b.cfg.CrossesRim = nil
	require.Equal(t, VC(3), b.vcFor(0, 0, 3, 2), "without a dateline a flit keeps its channel")
}

// A register takes one flit: the next one must wait until it has left.
func TestARegisterTakesOneFlit(t *testing.T) {
	for _, bufferless := range []bool{false, true} {
		table := NewTable(2)
		table.Set(0, 1, 0)
		table.Set(1, 0, 0)
		b := NewBank(Config{PortBase: []int32{0, 1, 2}, Peer: []int32{1, 0}, VCs: 1, Buffer: 2, Hop: 1, Flit: 1, Routing: table, Bufferless: bufferless})
		first := addWorm(b, Worm{Source: 0, Destination: 1, Length: 1})
		second := addWorm(b, Worm{Source: 0, Destination: 1, Length: 1})
		flit := func(worm uint32) Flit { return Flit{Worm: worm, Flags: Head | Tail} }
		require.True(t, b.Ready(0, 0))
		b.EvaluateEjection()
		b.Place(0, 0, flit(first))
		require.False(t, b.Ready(0, 0))
		require.True(t, b.Ready(1, 0), "the other chip's register is its own")
		require.PanicsWithValue(t, "router: injection register is full", func() { b.Place(0, 0, flit(second)) })
		b.EvaluateLinks()
		require.Equal(t, 1, b.Moved(), fmt.Sprint(bufferless))
		b.Update()
		require.True(t, b.Ready(0, 0))
		require.Equal(t, 1, b.Occupancy(1, 0, 0))
		require.Equal(t, 1, b.Held())
		require.Equal(t, 1, b.EvaluateEjection())
		b.EvaluateLinks()
		b.Update()
		require.Zero(t, b.Held())
	}
}

// AddWorm uses the slots of worms that are gone again.
func TestSlotsOfWormsAreUsedAgain(t *testing.T) {
	b := &Bank{shared: &shared{}}
	first, second := addWorm(b, Worm{Message: 1}), addWorm(b, Worm{Message: 2})
	require.NotEqual(t, first, second)
	b.FreeWorm(first)
	require.Equal(t, first, addWorm(b, Worm{Message: 3}))
	require.Equal(t, int32(3), b.Worm(first).Message)
	require.Equal(t, int32(2), b.Worm(second).Message)
}

// addWorm enters a message into the table of a bank and returns its slot.
func addWorm(b *Bank, w Worm) uint32 {
	id, header := b.NewWorm()
	*header = w
	return id
}
