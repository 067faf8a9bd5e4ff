// SPDX-License-Identifier: Apache-2.0

package published

import (
	"math"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Least returns a time that Plan of an algorithm does not beat, without planning it: that of its
// messages if none waited for another.
func Least(name string) func(*plan.Task) router.Cycle {
	return func(t *plan.Task) router.Cycle {
		if len(t.Lengths) == 1 || t.Count == 0 { // nothing to send
			return 0
		}
		switch {
		case t.Machine.PacketSwitched(): // packets have other times
			return t.LowerBound()
		case name == Bucket, name == Ring:
			return bucketLeast(t, name)
		case name == Pairwise, t.Kind.Name != plan.Allreduce && t.Kind.Name != plan.Gossip && t.Kind.Name != plan.ReduceScatter:
			return t.LowerBound()
		}
		list := partners(t, name)
		net, err := fabric.NewRoutes(t.Topology, t.Machine)
		if err != nil {
			return t.LowerBound()
		}
		if t.Kind.Name == plan.Allreduce {
			return max(vectorLeast(t, name, list, net), t.LowerBound())
		}
		return max(blocksLeast(t, list, net), t.LowerBound())
	}
}

// partners are the patterns by which an algorithm chooses partners for a collective without a root.
func partners(t *plan.Task, name string) []pattern {
	of := swing
	if name == RecursiveHalving || name == RecursiveDoubling {
		of = xor
	}
	if name == Bine {
		return []pattern{byNumber(len(t.Lengths), of)}
	}
	return patterns(t.Topology, of, t.IndependentLinks())
}

// bucketLeast follows the largest segment, rounded down but for the last word, through all its steps.
func bucketLeast(t *plan.Task, name string) router.Cycle {
	time, words, model := router.Cycle(1), t.TotalWords()/len(t.Lengths), t.Timing()
	list := bucketsOf(t, name)
	if t.Kind.Name == plan.Gossip {
		words *= len(t.Lengths)
	}
	words = max(min(1, words), words/len(list))
	for _, c := range list[0].circles {
		words = max(min(1, words), words/c.places())
		if words > 0 {
			time += router.Cycle(c.places()-1) * model.UntilWhole(1, words)
		}
	}
	if t.Kind.Name == plan.Allreduce {
		time = 2*(time-1) + 1
	}
	return max(time, t.LowerBound())
}

// vectorLeast is the least of all variants of an allreduce, of each by the steps of one pattern. Some word passes in every step from a node
// to its partner, also where there are fewer words than pieces.
func vectorLeast(t *plan.Task, name string, list []pattern, net *fabric.Routes) router.Cycle {
	some := min(1, t.VectorWords())
	shared := max(some, t.VectorWords()/len(list))
	whole, halved := newChain(t, net), newChain(t, net)
	for k, peers := range list[0].peers {
		whole.step(peers, shared)
		halved.step(peers, max(some, shared>>(k+1)))
	}
	for k, peers := range slices.Backward(list[0].peers) {
		halved.step(peers, max(some, shared>>(k+1)))
	}
	if name == RecursiveDoubling {
		return whole.time()
	}
	return min(whole.time(), halved.time())
}

// blocksLeast follows the least block, rounded down to the share of the first pattern, through all its steps. A message of the k-th step from the end of
// a reduce-scatter, or from the beginning of an all-gather, has 2^k such blocks or more.
func blocksLeast(t *plan.Task, list []pattern, net *fabric.Routes) router.Cycle {
	least := math.MaxInt
	for n := range router.NodeID(len(t.Lengths)) {
		block := t.Piece(n)
		least = min(least, (block.To-block.From)/len(list))
	}
	c := newChain(t, net)
	if t.Kind.Name == plan.ReduceScatter {
		for k, peers := range list[0].peers {
			c.step(peers, least<<(len(list[0].peers)-1-k))
		}
		return c.time()
	}
	for k, peers := range slices.Backward(list[0].peers) {
		c.step(peers, least<<(len(list[0].peers)-1-k))
	}
	return c.time()
}

// chain follows messages from step to step, as if none waited for another.
type chain struct {
	model timing.Model
	net   *fabric.Routes
	at    []router.Cycle // by node: when it has all words of the steps before
}

func newChain(t *plan.Task, net *fabric.Routes) *chain {
	return &chain{t.Timing(), net, make([]router.Cycle, len(t.Lengths))}
}

// step lets all nodes send so many words to their partners.
func (c *chain) step(peers []router.NodeID, words int) {
	if words == 0 {
		return
	}
	next := slices.Clone(c.at)
	for n, q := range peers {
		if q != router.None {
			next[q] = max(next[q], c.at[n]+c.model.UntilWhole(c.net.Distance(router.NodeID(n), q), words))
		}
	}
	c.at = next
}

func (c *chain) time() router.Cycle { return slices.Max(c.at) + 1 }
