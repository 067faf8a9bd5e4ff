// SPDX-License-Identifier: Apache-2.0

// Package maxflow finds maximum flows and minimum cuts.
package maxflow

import "slices"

// Network is a network of capacities through which a flow is sent along
// shortest augmenting paths (Edmonds, Karp), looked for from the sink. Arc e
// and arc e^1 are each other's reversal.
type Network struct {
	end      []int32   // by arc: where it ends
	capacity []int64   // by arc: what is left
	into     [][]int32 // by node: arcs that end there
	sent     []push    // since the last reset
	seen     []int32   // by node: the search that met it
	out      []int32   // by node: its arc towards the sink in that search
	search   int32
	queue    []int32
}

type push struct {
	arc    int32
	amount int64
}

// Unlimited is a capacity that is never used up.
const Unlimited = 1 << 60

// New returns a network without arcs; arcs says how many to make room for.
func New(nodes, arcs int) *Network {
	return &Network{
		end: make([]int32, 0, 2*arcs), capacity: make([]int64, 0, 2*arcs),
		into: make([][]int32, nodes), seen: make([]int32, nodes), out: make([]int32, nodes),
	}
}

// Arc adds an arc and returns its number. Of the arcs into a node, searches from the sink try
// the newest arc first.
func (f *Network) Arc(from, to int32, capacity int64) int32 {
	e := int32(len(f.end))
	f.end = append(f.end, to, from)
	f.capacity = append(f.capacity, capacity, 0)
	f.into[to] = append(f.into[to], e)
	f.into[from] = append(f.into[from], e+1)
	return e
}

// Left returns the remaining capacity of an arc.
func (f *Network) Left(arc int32) int64 { return f.capacity[arc] }

// SetLeft changes the remaining capacity of an arc; the flow stays.
func (f *Network) SetLeft(arc int32, capacity int64) { f.capacity[arc] = capacity }

// Flow returns the flow of an arc.
func (f *Network) Flow(arc int32) int64 { return f.capacity[arc^1] }

// Send sends up to most from source to sink and returns how much that was.
func (f *Network) Send(source, sink int32, most int64) int64 {
	sent := int64(0)
	for sent < most && f.find(source, sink) {
		sent += f.push(source, sink, most-sent)
	}
	return sent
}

// SendAlong sends up to most along arcs that form a path, and returns how
// much that was.
func (f *Network) SendAlong(path []int32, most int64) int64 {
	for _, e := range path {
		most = min(most, f.capacity[e])
	}
	for _, e := range path {
		f.move(e, most)
	}
	return most
}

// Reset takes back all that was sent.
func (f *Network) Reset() {
	for _, p := range slices.Backward(f.sent) {
		f.capacity[p.arc] += p.amount
		f.capacity[p.arc^1] -= p.amount
	}
	f.sent = f.sent[:0]
}

// Reaches reports, when a Send came to less than it was asked for, whether
// more could still flow from a node to the sink: the nodes of which that is
// true are one side of a minimum cut.
func (f *Network) Reaches(node int32) bool { return f.seen[node] == f.search }

func (f *Network) find(source, sink int32) bool {
	f.search++
	f.seen[sink] = f.search
	f.queue = append(f.queue[:0], sink)
	for i := 0; i < len(f.queue); i++ {
		into := f.into[f.queue[i]]
		for k := len(into) - 1; k >= 0; k-- {
			e := into[k]
			from := f.end[e^1]
			if f.capacity[e] == 0 || f.seen[from] == f.search {
				continue
			}
			f.seen[from], f.out[from] = f.search, e
			if from == source {
				return true
			}
			f.queue = append(f.queue, from)
		}
	}
	return false
}

// push sends along the path just found.
func (f *Network) push(source, sink int32, most int64) int64 {
	for at := source; at != sink; at = f.end[f.out[at]] {
		most = min(most, f.capacity[f.out[at]])
	}
	for at := source; at != sink; at = f.end[f.out[at]] {
		f.move(f.out[at], most)
	}
	return most
}

func (f *Network) move(arc int32, amount int64) {
	f.capacity[arc] -= amount
	f.capacity[arc^1] += amount
	f.sent = append(f.sent, push{arc, amount})
}
