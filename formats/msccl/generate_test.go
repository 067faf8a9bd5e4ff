// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"
	"strings"
)

// writer writes algorithms as files have them.
type writer struct {
	strings.Builder
	block, step int
}

func (w *writer) algo(name, collective string, ranks, chunks, channels, inPlace int) {
	fmt.Fprintf(w, "<algo name=%q proto=\"Simple\" nchannels=\"%d\" nchunksperloop=\"%d\" ngpus=\"%d\" coll=%q inplace=\"%d\" outofplace=\"%d\" minBytes=\"0\" maxBytes=\"0\">\n",
		name, channels, chunks, ranks, collective, inPlace, 1-inPlace)
}

func (w *writer) gpu(rank, in, out, scratch int) {
	fmt.Fprintf(w, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"%d\">\n", rank, in, out, scratch)
	w.block = 0
}

func (w *writer) tb(send, receive, channel int) {
	fmt.Fprintf(w, "    <tb id=\"%d\" send=\"%d\" recv=\"%d\" chan=\"%d\">\n", w.block, send, receive, channel)
	w.block++
	w.step = 0
}

// do writes a step; after is "tb.step" or "", marked says that others depend on it.
func (w *writer) do(kind, source, target string, count int, after string, marked bool) {
	depid, deps, has := -1, -1, 0
	if after != "" {
		fmt.Sscanf(after, "%d.%d", &depid, &deps)
	}
	if marked {
		has = 1
	}
	fmt.Fprintf(w, "      <step s=\"%d\" type=%q srcbuf=%q srcoff=%q dstbuf=%q dstoff=%q cnt=\"%d\" depid=\"%d\" deps=\"%d\" hasdep=\"%d\"/>\n",
		w.step, kind, source[:1], source[1:], target[:1], target[1:], count, depid, deps, has)
	w.step++
}

func (w *writer) endBlock() { w.WriteString("    </tb>\n") }
func (w *writer) endGPU()   { w.WriteString("  </gpu>\n") }
func (w *writer) end() string {
	w.WriteString("</algo>\n")
	return w.String()
}

func at(buffer byte, k int) string { return fmt.Sprintf("%c%d", buffer, k) }

// ringAllgather sends every block around a ring; out of place each rank first
// copies its own in a threadblock of its own.
func ringAllgather(n int) string {
	var w writer
	w.algo(fmt.Sprintf("ring-allgather-%d", n), "allgather", n, n, 1, 0)
	for r := range n {
		w.gpu(r, 1, n, 0)
		w.tb((r+1)%n, (r+n-1)%n, 0)
		w.do("s", "i0", at('o', r), 1, "", false)
		for k := 1; k < n-1; k++ {
			w.do("rcs", at('o', (r-k+n)%n), at('o', (r-k+n)%n), 1, "", false)
		}
		w.do("r", at('o', (r+1)%n), at('o', (r+1)%n), 1, "", false)
		w.endBlock()
		w.tb(-1, -1, 0)
		w.do("cpy", "i0", at('o', r), 1, "", false)
		w.endBlock()
		w.endGPU()
	}
	return w.end()
}

// ringAllreduce sums each chunk around a ring and sends the sum around again, in place.
func ringAllreduce(n int) string {
	var w writer
	w.algo(fmt.Sprintf("ring-allreduce-%d", n), "allreduce", n, n, 1, 1)
	for r := range n {
		w.gpu(r, n, 0, 0)
		w.tb((r+1)%n, (r+n-1)%n, 0)
		chunk := func(k int) string { return at('i', ((r-k)%n+n)%n) }
		w.do("s", chunk(0), chunk(0), 1, "", false)
		for k := 1; k < n-1; k++ {
			w.do("rrs", chunk(k), chunk(k), 1, "", false)
		}
		w.do("rrcs", chunk(n-1), chunk(n-1), 1, "", false)
		for k := n; k < 2*n-2; k++ {
			w.do("rcs", chunk(k), chunk(k), 1, "", false)
		}
		w.do("r", chunk(2*n-2), chunk(2*n-2), 1, "", false)
		w.endBlock()
		w.endGPU()
	}
	return w.end()
}

// directAlltoall has a threadblock for every peer.
func directAlltoall(n int) string {
	var w writer
	w.algo(fmt.Sprintf("direct-alltoall-%d", n), "alltoall", n, n, 1, 0)
	for r := range n {
		w.gpu(r, n, n, 0)
		for k := 1; k < n; k++ {
			to, from := (r+k)%n, (r-k+n)%n
			w.tb(to, from, 0)
			w.do("s", at('i', to), at('o', r), 1, "", false)
			w.do("r", at('i', r), at('o', from), 1, "", false)
			w.endBlock()
		}
		w.tb(-1, -1, 0)
		w.do("cpy", at('i', r), at('o', r), 1, "", false)
		w.endBlock()
		w.endGPU()
	}
	return w.end()
}

// hierarchicalAllreduce sums over groups of m ranks, each member one chunk, then
// over the members of the same place in all groups, and gives the sums back, with a
// threadblock for every peer and dependences between them. Own sums are made in
// the input; scratch holds what arrives.
func hierarchicalAllreduce(groups, m int) string {
	var w writer
	n := groups * m
	w.algo(fmt.Sprintf("hierarchical-allreduce-%d", n), "allreduce", n, m, 3, 1)
	for r := range n {
		g, place := r/m, r%m
		w.gpu(r, m, 0, m-1+groups-1)
		own := at('i', place)
		for k := 1; k < m; k++ { // the chunks of the others to them, theirs of mine into scratch
			peer := g*m + (place+k)%m
			from := g*m + (place-k+m)%m
			w.tb(peer, from, 0)
			w.do("s", at('i', (place+k)%m), at('s', k-1), 1, "", true)
			w.do("r", own, at('s', k-1), 1, "", true)
			w.endBlock()
		}
		adder := m - 1
		w.tb(-1, -1, 0) // add the pieces of this group, then the pieces of the other groups
		for k := 1; k < m; k++ {
			w.do("re", at('s', k-1), own, 1, fmt.Sprintf("%d.1", k-1), k == m-1)
		}
		ready := fmt.Sprintf("%d.%d", adder, m-2)
		for k := 1; k < groups; k++ {
			for j := 1; k == 1 && j < groups; j++ { // my sum must have left for all groups before it changes
				w.do("nop", "i-1", "o-1", 0, fmt.Sprintf("%d.0", adder+j), false)
			}
			w.do("re", at('s', m-1+k-1), own, 1, fmt.Sprintf("%d.1", adder+k), k == groups-1)
		}
		done := fmt.Sprintf("%d.%d", adder, m-1+2*(groups-1)-1)
		w.endBlock()
		for k := 1; k < groups; k++ {
			to, from := (g+k)%groups*m+place, (g-k+groups)%groups*m+place
			w.tb(to, from, 1)
			w.do("s", own, at('s', m-1+k-1), 1, ready, true)
			w.do("r", own, at('s', m-1+k-1), 1, "", true)
			w.endBlock()
		}
		for k := 1; k < m; k++ { // what my chunk came to goes to the others
			to, from := g*m+(place+k)%m, g*m+(place-k+m)%m
			w.tb(to, from, 2)
			w.do("s", own, own, 1, done, false)
			w.do("r", at('i', (place-k+m)%m), at('i', (place-k+m)%m), 1, fmt.Sprintf("%d.0", m-k-1), false)
			w.endBlock()
		}
		w.endGPU()
	}
	return w.end()
}
