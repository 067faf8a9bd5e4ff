// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"cmp"
	"slices"
)

// Count returns how many points of a kind there are, and how many of them are reached.
func (p Points) Count(kind Kind) (points, reached int) {
	for point, is := range p {
		if point.Kind != kind {
			continue
		}
		points++
		if is {
			reached++
		}
	}
	return points, reached
}

// Add adds the points of others.
func (p Points) Add(others Points) {
	for point, reached := range others {
		p[point] = p[point] || reached
	}
}

// fresh counts the points that others reach and these do not.
func (p Points) fresh(others Points) int {
	count := 0
	for point, reached := range others {
		if reached && !p[point] {
			count++
		}
	}
	return count
}

// Missed lists the lines and branches that are not reached.
func (p Points) Missed() []Point {
	var list []Point
	for point, reached := range p {
		if !reached && point.Kind != Toggle {
			list = append(list, point)
		}
	}
	slices.SortFunc(list, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Rank orders vectors: next comes always the one that reaches most new points for each of its cycles. Vectors that reach nothing
// new are left out. It returns places in the list, and how many new points each of them reaches.
func Rank(list []Vectors, reached []Points) (order, fresh []int) {
	seen := Points{}
	for {
		best, most := -1, 0.0
		for i, p := range reached {
			if rate := float64(seen.fresh(p)) / float64(max(1, list[i].Cycles)); rate > most {
				best, most = i, rate
			}
		}
		if best < 0 {
			return order, fresh
		}
		order, fresh = append(order, best), append(fresh, seen.fresh(reached[best]))
		seen.Add(reached[best])
	}
}
