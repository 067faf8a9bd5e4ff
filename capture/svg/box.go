// SPDX-License-Identifier: Apache-2.0

package svg

// box is a rectangle on the page.
type box struct{ left, top, right, bottom float64 }

// around returns the box of a width and a height about a point.
func around(x, y, width, height float64) box {
	return box{x - width/2, y - height/2, x + width/2, y + height/2}
}

// grown returns the box with some more room on all sides.
func (b box) grown(by float64) box {
	return box{b.left - by, b.top - by, b.right + by, b.bottom + by}
}

// meets reports whether two boxes have a point in common.
func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// within reports whether the box is a part of another.
func (b box) within(o box) bool {
	return b.left >= o.left && b.right <= o.right && b.top >= o.top && b.bottom <= o.bottom
}

// holds reports whether a point is in the box.
func (b box) holds(p spot) bool {
	return b.left < p.x && p.x < b.right && b.top < p.y && p.y < b.bottom
}

// labels places words so that none lies on other words, on a node or on an
// arrow: what has no free place is not written.
type labels struct {
	taken []box
	lines []spot // points of arrows, a few pixels apart
}

// place takes the first free one of some boxes; false: none is.
func (l *labels) place(candidates []box) (box, bool) {
	for _, b := range candidates {
		if l.free(b) {
			l.taken = append(l.taken, b)
			return b, true
		}
	}
	return box{}, false
}

func (l *labels) free(b box) bool {
	if b.left < 2 || b.top < 2 {
		return false // beyond the page
	}
	for _, t := range l.taken {
		if b.meets(t) {
			return false
		}
	}
	for _, p := range l.lines {
		if b.holds(p) {
			return false
		}
	}
	return true
}
