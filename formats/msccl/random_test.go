// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomAlgorithm moves chunks at random: the steps are drawn one after the
// other, each at the end of a threadblock, so that they can happen in that order;
// every step depends on all that it must not overtake, by nops where it takes several.
type randomAlgorithm struct {
	random *rand.Rand
	ranks  int
	blocks [][]block // by rank
	uses   map[string][]position
	full   map[string]bool
}

type block struct {
	send, receive, channel int
	steps                  []string
	marked                 []bool
}

// position is a step of a rank: threadblock and number.
type position struct{ block, step int }

const chunksEach = 3

func newRandomAlgorithm(random *rand.Rand) *randomAlgorithm {
	r := &randomAlgorithm{random: random, ranks: 2 + random.IntN(4), uses: map[string][]position{}, full: map[string]bool{}}
	for range r.ranks {
		r.blocks = append(r.blocks, []block{{-1, -1, 0, nil, nil}})
	}
	for rank := range r.ranks {
		for k := range chunksEach {
			r.full[fmt.Sprint(rank, " i", k)] = true
		}
	}
	for channel := range 2 {
		for from := range r.ranks {
			for to := range r.ranks {
				if from != to && random.IntN(2) == 0 {
					r.connect(from, to, channel)
				}
			}
		}
	}
	return r
}

// connect makes a connection, in threadblocks that have room for one.
func (r *randomAlgorithm) connect(from, to, channel int) {
	place := func(rank int, free func(*block) bool) *block {
		for k := range r.blocks[rank][1:] {
			if b := &r.blocks[rank][k+1]; b.channel == channel && free(b) && r.random.IntN(2) == 0 {
				return b
			}
		}
		r.blocks[rank] = append(r.blocks[rank], block{-1, -1, channel, nil, nil})
		return &r.blocks[rank][len(r.blocks[rank])-1]
	}
	place(from, func(b *block) bool { return b.send < 0 }).send = to
	place(to, func(b *block) bool { return b.receive < 0 }).receive = from
}

// add writes a step that uses chunks of a rank.
func (r *randomAlgorithm) add(rank, k int, kind, source, target string, uses ...string) {
	b := &r.blocks[rank][k]
	var after []position
	for _, use := range uses {
		for _, u := range r.uses[fmt.Sprint(rank, " ", use)] {
			if u.block != k {
				after = append(after, u)
			}
		}
	}
	depends := func(u position) string {
		r.blocks[rank][u.block].marked[u.step] = true
		return fmt.Sprintf(`depid="%d" deps="%d"`, u.block, u.step)
	}
	for len(after) > 1 {
		b.steps = append(b.steps, fmt.Sprintf(`s="%d" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" %s`, len(b.steps), depends(after[0])))
		b.marked = append(b.marked, false)
		after = after[1:]
	}
	on := `depid="-1" deps="-1"`
	if len(after) == 1 {
		on = depends(after[0])
	}
	b.steps = append(b.steps, fmt.Sprintf(`s="%d" type=%q srcbuf=%q srcoff=%q dstbuf=%q dstoff=%q cnt="1" %s`, len(b.steps), kind, source[:1], source[1:], target[:1], target[1:], on))
	b.marked = append(b.marked, false)
	for _, use := range uses {
		key := fmt.Sprint(rank, " ", use)
		r.uses[key] = append(r.uses[key], position{k, len(b.steps) - 1})
	}
}

// chunk draws a chunk of a rank; one with something in it if full.
func (r *randomAlgorithm) chunk(rank int, full bool) string {
	for {
		c := fmt.Sprintf("%c%d", "ios"[r.random.IntN(3)], r.random.IntN(chunksEach))
		if !full || r.full[fmt.Sprint(rank, " ", c)] {
			return c
		}
	}
}

// grow adds a message, perhaps by several hops, or a step within a rank.
func (r *randomAlgorithm) grow() {
	rank := r.random.IntN(r.ranks)
	k := r.random.IntN(len(r.blocks[rank]))
	b := r.blocks[rank][k]
	source := r.chunk(rank, true)
	if b.send < 0 {
		kind, target := "cpy", r.chunk(rank, false)
		if r.full[fmt.Sprint(rank, " ", target)] && r.random.IntN(2) == 0 {
			kind = "re"
		}
		r.add(rank, k, kind, source, target, source, target)
		r.full[fmt.Sprint(rank, " ", target)] = true
		return
	}
	r.add(rank, k, "s", source, source, source)
	for {
		from := rank
		rank = b.send
		channel := b.channel
		for k = range r.blocks[rank] {
			if x := r.blocks[rank][k]; x.receive == from && x.channel == channel {
				break
			}
		}
		b = r.blocks[rank][k]
		on := b.send >= 0 && r.random.IntN(2) == 0
		source, target := r.chunk(rank, true), r.chunk(rank, false)
		kind := []string{"r", "rrc"}[r.random.IntN(2)]
		if on {
			kind = []string{"rcs", "rrs", "rrcs"}[r.random.IntN(3)]
		}
		uses := []string{source, target}
		switch {
		case !strings.HasPrefix(kind, "rr"):
			uses, source = uses[1:], target
		case kind == "rrs":
			uses, target = uses[:1], source
		}
		r.add(rank, k, kind, source, target, uses...)
		if kind != "rrs" {
			r.full[fmt.Sprint(rank, " ", target)] = true
		}
		if !on {
			return
		}
	}
}

func (r *randomAlgorithm) String() string {
	var w writer
	w.algo("random", "custom", r.ranks, chunksEach, 2, 0)
	for rank, blocks := range r.blocks {
		w.gpu(rank, chunksEach, chunksEach, chunksEach)
		for _, b := range blocks {
			w.tb(b.send, b.receive, b.channel)
			for k, step := range b.steps {
				has := 0
				if b.marked[k] {
					has = 1
				}
				fmt.Fprintf(&w, "<step %s hasdep=\"%d\"/>\n", step, has)
			}
			w.endBlock()
		}
		w.endGPU()
	}
	return w.end()
}

// Random algorithms have fused steps, sums, dependences and several channels, and
// are free of races by construction. Every word of a run must be the word that
// the steps compute.
func TestRandomAlgorithms(t *testing.T) {
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 1))
		r := newRandomAlgorithm(random)
		for range 1 + random.IntN(40) {
			r.grow()
		}
		a, err := Parse("a.xml", strings.NewReader(r.String()))
		require.NoError(t, err, "seed %d\n%s", seed, r)
		f, err := a.Flow(0)
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, f.Failure, "seed %d", seed)
		result := execute(t, a, fmt.Sprintf("path:%d", a.Ranks), "wormhole", 2)
		require.NoError(t, result.Failure, "seed %d", seed)
	}
}

// Rank 1 takes from rank 0 before it takes from rank 2, which had sent before: a
// message that waits for its receiver must not hold up the others.
func TestMessageThatIsTakenLateIsStaged(t *testing.T) {
	var w writer
	w.algo("late", "custom", 3, 1, 1, 0)
	w.gpu(0, 1, 1, 0)
	w.tb(1, 2, 0)
	w.do("r", "o0", "o0", 1, "", false)
	w.do("s", "o0", "o0", 1, "", false)
	w.endBlock()
	w.endGPU()
	w.gpu(1, 1, 1, 0)
	w.tb(-1, 0, 0)
	w.do("r", "o0", "o0", 1, "", true)
	w.endBlock()
	w.tb(-1, 2, 0)
	w.do("rrc", "o0", "o0", 1, "0.0", false)
	w.endBlock()
	w.endGPU()
	w.gpu(2, 1, 0, 0)
	w.tb(1, -1, 0)
	w.do("s", "i0", "i0", 1, "", true)
	w.endBlock()
	w.tb(0, -1, 0)
	w.do("s", "i0", "i0", 1, "0.0", false)
	w.endBlock()
	w.endGPU()
	a, err := Parse("a.xml", strings.NewReader(w.end()))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure)
	_, sizes := f.List(1)
	require.Equal(t, []int{3, 4, 1}, sizes) // a chunk for each message, behind input and output
	require.NoError(t, execute(t, a, "path:3", "wormhole", 4).Failure)
}

// Chunks that a step reads and writes may overlap: it reads all of them first.
func TestOverlappingChunks(t *testing.T) {
	for _, kind := range []string{"re", "cpy", "rrc", "rrcs"} {
		for _, target := range []string{"i0", "i1", "i2"} {
			if kind == "rrcs" && target == "i2" {
				continue
			}
			var w writer
			w.algo("overlap", "custom", 2, 1, 1, 0)
			w.gpu(0, 4, 0, 0)
			w.tb(1, 1, 0)
			w.do("s", "i2", "i2", 2, "", false)
			if kind == "rrcs" {
				w.do("r", "i0", "i0", 2, "", false)
			}
			w.endBlock()
			w.endGPU()
			w.gpu(1, 4, 0, 0)
			w.tb(0, 0, 0)
			if kind == "re" || kind == "cpy" {
				w.do("r", "i0", "i0", 2, "", false)
			}
			w.do(kind, "i1", target, 2, "", false)
			w.endBlock()
			w.endGPU()
			a, err := Parse("a.xml", strings.NewReader(w.end()))
			require.NoError(t, err)
			require.NoError(t, execute(t, a, "path:2", "wormhole", 3).Failure, kind+target)
		}
	}
}

// A message puts what comes behind it in order with what came before it.
func TestMessagesOrderSteps(t *testing.T) {
	var w writer
	w.algo("echo", "custom", 2, 1, 1, 0)
	w.gpu(0, 1, 0, 0)
	w.tb(1, -1, 0)
	w.do("s", "i0", "i0", 1, "", false)
	w.endBlock()
	w.tb(-1, 1, 0)
	w.do("r", "i0", "i0", 1, "", false)
	w.endBlock()
	w.endGPU()
	w.gpu(1, 1, 0, 0)
	w.tb(0, 0, 0)
	w.do("rrcs", "i0", "i0", 1, "", false)
	w.endBlock()
	w.endGPU()
	a, err := Parse("a.xml", strings.NewReader(w.end()))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure)
	require.NoError(t, execute(t, a, "path:2", "wormhole", 3).Failure)
}
