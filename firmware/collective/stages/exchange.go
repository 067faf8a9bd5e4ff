// SPDX-License-Identifier: Apache-2.0

package stages

// Exchange gives every bridgehead of a line the words of the others. Bridgeheads of the
// same class have the same words. Each bridgehead gets every other class from the nearest
// bridgehead that has it, and from the left if two are equally near. The words move from
// bridgehead to bridgehead, one per step. With n classes in turns on a ring this takes
// ⌊n/2⌋ steps, the last of an even number to the right only; along a path it takes n-1
// steps. After it a bridgehead holds the places that gains names.
func Exchange(l Line, heads, classes []int, gains func(i int) Places) *Stage {
	s := &Stage{}
	e := exchanger{l, heads, classes, newSeen(classes)}
	for i, h := range heads {
		e.nearest(i, func(distance, from, source int) {
			s.add(Move{Step: distance - 1, From: heads[from], To: h, First: heads[source], Count: 1, Of: 1})
		})
		s.gain(h, gains(i), h)
	}
	s.sort()
	return s
}

// exchangeSteps returns the steps of an Exchange.
func exchangeSteps(l Line, heads, classes []int) int {
	steps := 0
	e := exchanger{l, heads, classes, newSeen(classes)}
	for i := range heads {
		e.nearest(i, func(distance, _, _ int) { steps = max(steps, distance) })
	}
	return steps
}

// distinct returns so many different classes.
func distinct(count int) []int {
	classes := make([]int, count)
	for i := range classes {
		classes[i] = i
	}
	return classes
}

// exchangeRuns returns the cost of an exchange of distinct classes in which a bridgehead holds
// at most so many words and neighbours are at most so far apart. In the last step along a path
// the messages carry the words of the ends.
func exchangeRuns(l Line, heads, words, ends, hops int) Runs {
	switch {
	case heads == 1:
		return nil
	case l.Ring:
		return Runs{{heads / 2, words, hops}}
	case heads == 2:
		return Runs{{1, ends, hops}}
	}
	return Runs{{heads - 2, words, hops}, {1, ends, hops}}
}

type exchanger struct {
	Line
	heads, classes []int
	seen           *seen
}

// seen marks classes.
type seen struct {
	mark  []int
	round int
	kinds int // different classes
}

func newSeen(classes []int) *seen {
	most := 0
	for _, c := range classes {
		most = max(most, c)
	}
	s := &seen{mark: make([]int, most+1)}
	s.clear()
	for _, c := range classes {
		if s.add(c) {
			s.kinds++
		}
	}
	return s
}

func (s *seen) clear() { s.round++ }

// add reports whether a class is new since clear.
func (s *seen) add(class int) bool {
	fresh := s.mark[class] != s.round
	s.mark[class] = s.round
	return fresh
}

// nearest names, for the i-th bridgehead and every class but its own, how many
// places away the nearest with that class is, which one that is, and from which
// neighbour it comes.
func (e *exchanger) nearest(i int, take func(distance, from, source int)) {
	count := len(e.heads)
	e.seen.clear()
	e.seen.add(e.classes[i])
	for distance, left := 1, e.seen.kinds-1; left > 0; distance++ {
		for _, direction := range []int{-1, +1} {
			source, from := i+direction*distance, i+direction
			if e.Ring {
				source, from = (source+count)%count, (from+count)%count
			} else if source < 0 || source >= count {
				continue
			}
			if e.seen.add(e.classes[source]) {
				take(distance, from, source)
				left--
			}
		}
	}
}
