// SPDX-License-Identifier: Apache-2.0

package published

import (
	"meshwright/fabric"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Least returns a time that Plan of an algorithm does not beat, without planning it: that of its
// messages if none waited for another.
func Least(name string) func(*plan.Task) router.Cycle {
	return func(t *plan.Task) router.Cycle {
		if len(t.Lengths) == 1 {
			return 0
		}
		switch {
		case name == Bucket:
			return bucketLeast(t)
		case name == Pairwise, t.Kind.Name != plan.Allreduce:
			return t.LowerBound()
		}
		return partnersLeast(t, name)
	}
}

// bucketLeast follows the largest segment, rounded down but for the last word, through all its steps.
func bucketLeast(t *plan.Task) router.Cycle {
	time, words, model := router.Cycle(1), t.TotalWords()/len(t.Lengths), t.Timing()
	list := buckets(t.Topology, t.IndependentLinks())
	if t.Kind.Name == plan.Gossip {
		words *= len(t.Lengths)
	}
	words = max(min(1, words), words/len(list))
	for _, a := range list[0].axes {
		words = max(min(1, words), words/a.Size)
		if words > 0 {
			time += router.Cycle(a.Size-1) * model.UntilWhole(1, words)
		}
	}
	if t.Kind.Name == plan.Allreduce {
		time = 2*(time-1) + 1
	}
	return max(time, t.LowerBound())
}

// partnersLeast is the least of all variants, of each along the distances of one pattern. Some word passes in every step from a node
// to its partner, also where there are fewer words than pieces.
func partnersLeast(t *plan.Task, name string) router.Cycle {
	of := xor
	if name != RecursiveHalving {
		of = swing
	}
	net, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return t.LowerBound()
	}
	list := patterns(t.Topology, of, t.IndependentLinks())
	if name == Bine {
		list = []pattern{byNumber(len(t.Lengths), of)}
	}
	words, model := t.VectorWords(), t.Timing()
	some := min(1, words)
	shared, whole, halved := max(some, words/len(list)), router.Cycle(1), router.Cycle(1)
	for k, peers := range list[0].peers {
		links := 0
		for n, q := range peers {
			if q != router.None {
				links = net.Distance(router.NodeID(n), q)
				break
			}
		}
		if shared > 0 {
			whole += model.UntilWhole(links, shared)
		}
		if part := max(some, shared>>(k+1)); part > 0 {
			halved += 2 * model.UntilWhole(links, part)
		}
	}
	return max(min(whole, halved), t.LowerBound())
}
