// SPDX-License-Identifier: Apache-2.0

package stages

// Insert makes bridgeheads of all places in heads. The old bridgeheads among them have the
// same words. They cut the words into k parts. Every old bridgehead streams the parts to
// the new bridgeheads on its right in rising order, and to those on its left in falling
// order. Each new bridgehead passes on the parts that it gets.
//
// Between two old bridgeheads with x new ones, a part comes from the side from which it
// arrives earlier, and all parts have arrived after ⌊(k+x)/2⌋ steps. With k = 2b-x+1 these
// are b steps (step 3 of CIRCGOS, x = a-1). Beyond the last old bridgehead of a path all
// parts come from one side, in k-1+x steps.
func Insert(l Line, old, heads []int, k int) *Stage {
	s := &Stage{}
	for i, gap := range l.between(old, heads) {
		left, right := i-1, i%len(old)
		if l.Ring {
			left = i
			right = (i + 1) % len(old)
		}
		switch {
		case len(gap) == 0:
		case !l.Ring && i == 0:
			l.feed(s, old[0], reversed(gap), k)
		case !l.Ring && i == len(old):
			l.feed(s, old[left], gap, k)
		default:
			l.stream(s, old[left], old[right], gap, k)
		}
	}
	s.sort()
	return s
}

// between returns the new bridgeheads in every gap, left to right: round a ring
// gap i is behind the i-th old one, along a path before it.
func (l Line) between(old, heads []int) [][]int {
	gaps := make([][]int, len(old)+1)
	i := 0
	for _, h := range heads {
		if i < len(old) && h == old[i] {
			i++
			continue
		}
		gaps[i] = append(gaps[i], h)
	}
	if l.Ring {
		gaps[len(old)] = append(gaps[len(old)], gaps[0]...)
		gaps = gaps[1:]
	}
	return gaps
}

// gapSizes counts the new bridgeheads in every gap of between.
func (l Line) gapSizes(old, heads []int) []int {
	sizes, i := make([]int, len(old)+1), 0
	for _, h := range heads {
		if i < len(old) && h == old[i] {
			i++
		} else {
			sizes[i]++
		}
	}
	if l.Ring {
		sizes[len(old)] += sizes[0]
		sizes = sizes[1:]
	}
	return sizes
}

func reversed(list []int) []int {
	back := make([]int, len(list))
	for i, x := range list {
		back[len(list)-1-i] = x
	}
	return back
}

// stream fills a gap from both sides.
func (l Line) stream(s *Stage, left, right int, gap []int, k int) {
	x := len(gap)
	for y := 1; y <= x; y++ {
		for p := range k {
			m := Move{To: gap[y-1], Count: 1, Part: p, Of: k}
			if 2*(p+y) <= k+x {
				m.Step, m.From, m.First = p+y-1, at(gap, y-2, left), left
			} else {
				m.Step, m.From, m.First = k+x-p-y-1, at(gap, y, right), right
			}
			s.add(m)
		}
		s.gain(left, l.all(), gap[y-1])
	}
}

// feed fills the places beyond the last old bridgehead, the nearest first.
func (l Line) feed(s *Stage, head int, gap []int, k int) {
	for y := range gap {
		for p := range k {
			s.add(Move{Step: p + y, From: at(gap, y-1, head), To: gap[y], First: head, Count: 1, Part: p, Of: k})
		}
		s.gain(head, l.all(), gap[y])
	}
}

// at returns an element of a list, or what stands before and behind it.
func at(list []int, i, outside int) int {
	if i < 0 || i >= len(list) {
		return outside
	}
	return list[i]
}

// insertRuns returns the cost of Insert: at most `inner` new bridgeheads in a gap, at most
// `outer` beyond the last bridgehead, and neighbours at most hops apart.
func insertRuns(inner, outer, k, words, hops int) Runs {
	steps := 0
	if inner > 0 {
		steps = (k + inner) / 2
	}
	if outer > 0 {
		steps = max(steps, k-1+outer)
	}
	if steps == 0 {
		return nil
	}
	return Runs{{steps, ceil(words, k), hops}}
}
