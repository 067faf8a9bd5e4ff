// SPDX-License-Identifier: Apache-2.0

package cover

import "slices"

// flow is a network of capacities in which units are sent one by one along
// shortest augmenting paths, looked for from the sink. Arc e and arc e^1 are
// each other's reversal.
type flow struct {
	end      []int32   // by arc: where it ends
	capacity []int32   // by arc: what is left
	into     [][]int32 // by node: arcs that end there
	sent     []int32   // arcs that have carried a unit since the last reset
	seen     []int32   // by node: the search that met it
	out      []int32   // by node: its arc towards the sink in that search
	search   int32
	queue    []int32
}

const unlimited = 1 << 30

func newFlow(nodes, arcs int) *flow {
	return &flow{
		end: make([]int32, 0, 2*arcs), capacity: make([]int32, 0, 2*arcs),
		into: make([][]int32, nodes), seen: make([]int32, nodes), out: make([]int32, nodes),
	}
}

// arc adds an arc and returns its number.
func (f *flow) arc(from, to int32, capacity int32) int32 {
	e := int32(len(f.end))
	f.end = append(f.end, to, from)
	f.capacity = append(f.capacity, capacity, 0)
	f.into[to] = append(f.into[to], e)
	f.into[from] = append(f.into[from], e+1)
	return e
}

// units sends up to most units from source to sink and returns how many there were.
func (f *flow) units(source, sink int32, most int) int {
	for sent := range most {
		if !f.augment(source, sink) {
			return sent
		}
	}
	return most
}

// reset takes back all units.
func (f *flow) reset() {
	for _, e := range slices.Backward(f.sent) {
		f.capacity[e]++
		f.capacity[e^1]--
	}
	f.sent = f.sent[:0]
}

// augment sends one unit. Failing, it has seen the nodes that can still reach
// the sink: a minimum cut separates them from the rest.
func (f *flow) augment(source, sink int32) bool {
	f.search++
	f.seen[sink] = f.search
	f.queue = append(f.queue[:0], sink)
	for i := 0; i < len(f.queue); i++ {
		// The arcs that were added last come first: those of trees that have
		// reached the node, which are the shortest way to the source.
		for _, e := range slices.Backward(f.into[f.queue[i]]) {
			from := f.end[e^1]
			if f.capacity[e] == 0 || f.seen[from] == f.search {
				continue
			}
			f.seen[from], f.out[from] = f.search, e
			if from == source {
				f.push(source, sink)
				return true
			}
			f.queue = append(f.queue, from)
		}
	}
	return false
}

// push moves a unit along the path just found.
func (f *flow) push(source, sink int32) {
	for at := source; at != sink; {
		e := f.out[at]
		f.capacity[e]--
		f.capacity[e^1]++
		f.sent = append(f.sent, e)
		at = f.end[e]
	}
}
