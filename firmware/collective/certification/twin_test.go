// SPDX-License-Identifier: Apache-2.0

package certification_test

import (
	"math/rand/v2"
	"slices"

	"meshwright/router"
)

// certTwin is transmission certification in closed form: slow, by recursion, and
// written without a look at generator or programs.
type certTwin struct {
	scheme   string
	root     int
	children [][]int // rising
	depth    []int
	lengths  []int

	lag, flits []int
	arrival    []router.Cycle // by node: 1 + the cycle in which its last flit is at the root
	time       router.Cycle   // of the last message
	quiet      router.Cycle   // of anything, tokens, certificates and orders too
	from       []int          // by node: first cycle of its message at the root
	known      map[[2]int]int // broadcast and response, by node
}

// newCertTwin computes a gather along a tree given by parents, -1 at the root.
func newCertTwin(scheme string, parent, lengths []int) *certTwin {
	n := len(parent)
	w := &certTwin{
		scheme: scheme, children: make([][]int, n), depth: make([]int, n), lengths: slices.Clone(lengths),
		lag: make([]int, n), flits: make([]int, n), arrival: make([]router.Cycle, n), from: make([]int, n), known: map[[2]int]int{},
	}
	for v, p := range parent {
		if p < 0 {
			w.root = v
		} else {
			w.children[p] = append(w.children[p], v)
		}
	}
	w.lengths[w.root] = 0
	w.run()
	return w
}

func (w *certTwin) run() {
	w.certify(w.root, 0)
	if len(w.children) == 1 {
		return
	}
	switch w.scheme {
	case "certification":
		t := w.walk(w.root, 0)
		w.pass(w.root, t, w.lag[w.root])
	case "certification-tight":
		w.flood(w.root, 0)
		t := w.response(w.root)
		s := 0
		f := 0
		for i, c := range w.told(w.root) {
			s = max(s, w.lag[c]+i+1-f)
			f += w.flits[c]
		}
		w.pass(w.root, t, s+1)
	case "certification-parallel":
		w.flood(w.root, 0)
		for _, c := range w.told(w.root) {
			back := 1 + w.response(c) + 1
			w.pass(c, back+1, w.lag[c])
		}
	}
}

// deliver notes that something is delivered in cycle t.
func (w *certTwin) deliver(t int) { w.quiet = max(w.quiet, router.Cycle(t+1)) }

// certify computes lags and lengths of a subtree at some depth.
func (w *certTwin) certify(v, depth int) {
	w.depth[v] = depth
	w.flits[v] = w.lengths[v]
	for _, c := range w.children[v] {
		w.certify(c, depth+1)
		w.flits[v] += w.flits[c]
	}
	told := w.told(v)
	d, own := len(told), w.lengths[v]
	switch w.scheme {
	case "certification":
		w.lag[v] = d + 1
		for j, c := range told {
			if j == 0 {
				w.lag[v] += max(0, w.lag[c]-own)
			} else {
				before := told[j-1]
				w.lag[v] += max(0, w.lag[c]-w.lag[before]-w.flits[before])
			}
		}
		if len(w.children[v]) == 0 {
			w.lag[v] = 1
		}
	case "certification-tight":
		// The earliest start, by trial: child j's order, sent j-1 cycles late, must leave it its lag.
		w.lag[v] = d + 1
		for !w.fits(v, told, func(j int) int { return j + 2 }) {
			w.lag[v]++
		}
	case "certification-parallel":
		w.lag[v] = 1
		for !w.fits(v, told, func(int) int { return 2 }) {
			w.lag[v]++
		}
	}
}

// fits reports whether all children (j from 0) of a node that starts after its
// lag have theirs, when an order and a flit together lose lost(j) cycles.
func (w *certTwin) fits(v int, told []int, lost func(int) int) bool {
	f := w.lengths[v]
	for j, c := range told {
		if w.lag[v]+f-lost(j) < w.lag[c] {
			return false
		}
		f += w.flits[c]
	}
	return true
}

// told lists the children that get orders, sorted by lag and number.
func (w *certTwin) told(v int) []int {
	var list []int
	for _, c := range w.children[v] {
		if w.scheme == "certification" || w.flits[c] > 0 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return w.lag[a] - w.lag[b] })
	return list
}

// walk takes the token through a subtree, and returns when v has all certificates.
func (w *certTwin) walk(v, t int) int {
	for _, c := range w.children[v] {
		t = w.walk(c, t+1) + 1
		w.deliver(t)
	}
	return t
}

// flood delivers certificates; the last one comes to the root.
func (w *certTwin) flood(v, t int) { w.deliver(t + w.response(v)) }

// once computes what belongs to a node once.
func (w *certTwin) once(what, v int, compute func(int) int) int {
	key := [2]int{what, v}
	if _, ok := w.known[key]; !ok {
		w.known[key] = compute(v)
	}
	return w.known[key]
}

// broadcast is B.
func (w *certTwin) broadcast(v int) int { return w.once(0, v, w.computeBroadcast) }

// response is the time from token to certificate.
func (w *certTwin) response(v int) int { return w.once(1, v, w.computeResponse) }

func (w *certTwin) computeBroadcast(v int) int {
	var times []int
	for _, c := range w.children[v] {
		times = append(times, w.broadcast(c))
	}
	slices.Sort(times)
	slices.Reverse(times)
	b := 0
	for j, time := range times {
		b = max(b, j+1+time)
	}
	return b
}

func (w *certTwin) computeResponse(v int) int {
	if w.scheme == "certification-parallel" {
		last := 0
		for _, c := range w.children[v] {
			last = max(last, w.response(c)+2)
		}
		return last
	}
	best := -1
	for _, key := range []func(int) int{w.broadcast, w.response} {
		order, keys := slices.Clone(w.children[v]), map[int]int{}
		for _, c := range order {
			keys[c] = key(c)
		}
		slices.SortStableFunc(order, func(a, b int) int { return keys[b] - keys[a] })
		taken, last := map[int]bool{}, 0
		for j, c := range order {
			at := j + 1 + w.response(c) + 1
			for taken[at] {
				at++
			}
			taken[at] = true
			last = max(last, at)
		}
		if best < 0 || last < best {
			best = last
		}
	}
	return best
}

// pass lets node v act on the order s in cycle t.
func (w *certTwin) pass(v, t, s int) {
	if v != w.root {
		w.deliver(t)
		if length := w.lengths[v]; length > 0 {
			w.from[v] = t + s + w.depth[v] - 1
			w.arrival[v] = router.Cycle(w.from[v] + length)
			w.deliver(w.from[v] + length - 1)
			w.time = max(w.time, w.arrival[v])
		}
	}
	f := w.lengths[v]
	for j, c := range w.told(v) {
		if w.scheme == "certification-parallel" {
			w.pass(c, t+1, s+f-2)
		} else {
			w.pass(c, t+j+1, s+f-j-2)
		}
		f += w.flits[c]
	}
}

// randomParents draws a tree of n nodes in one of several shapes.
func randomParents(random *rand.Rand, n int) []int {
	name, parent := random.Perm(n), make([]int, n)
	shape := random.IntN(5)
	for i := 1; i < n; i++ {
		up := 0
		switch shape {
		case 0:
			up = random.IntN(i)
		case 1:
			up = max(0, i-1-random.IntN(3)) // long
		case 2:
			up = random.IntN(min(i, 1+random.IntN(4))) // hubs
		case 3:
			up = (i - 1) / 2
		case 4:
			up = i - 1 // comb: teeth of one to three
			if i%3 != 0 {
				up = i - i%3
			}
			if random.IntN(4) == 0 {
				up = max(0, i-2)
			}
		}
		parent[name[i]] = name[up]
	}
	parent[name[0]] = -1
	return parent
}
