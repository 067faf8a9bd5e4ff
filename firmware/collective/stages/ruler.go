// SPDX-License-Identifier: Apache-2.0

package stages

// ruler is the classes of the places along an axis: segments of at least
// `spacing` places, in each of which all classes stand in order.
type ruler struct {
	Line
	spacing, segments int
}

func newRuler(l Line, spacing int) ruler { return ruler{l, spacing, l.Size / spacing} }

// segment returns a place's segment, and where that begins and ends.
func (r ruler) segment(x int) (i, from, to int) {
	i = ((x+1)*r.segments - 1) / r.Size
	return i, i * r.Size / r.segments, (i + 1) * r.Size / r.segments
}

// classes returns the classes by place.
func (r ruler) classes() []int {
	list := make([]int, r.Size)
	for x := range list {
		_, from, to := r.segment(x)
		list[x] = (x - from) * r.spacing / (to - from)
	}
	return list
}

// segmentsOf returns which places are concentrated at which bridgehead. On a path
// the outermost places of a segment lie on one side of a bridgehead; they go to the
// bridgehead of their own segment, so that all bridgeheads have as many places.
func (r ruler) segmentsOf(heads []int) []Segment {
	list := r.halve(heads)
	if r.Ring {
		return list
	}
	for i, h := range heads {
		mine, from, to := r.segment(h)
		if i == 0 || mine != r.at(heads[i-1]) {
			list[i].Left = h - from
		}
		if i == len(heads)-1 || mine != r.at(heads[i+1]) {
			list[i].Right = to - 1 - h
		}
	}
	return list
}

func (r ruler) at(x int) int {
	i, _, _ := r.segment(x)
	return i
}

// headsOf returns the bridgeheads of a line whose other classes add up to class.
func headsOf(classes []int, class, spacing int) []int {
	var heads []int
	for x, c := range classes {
		if (c+class)%spacing == 0 {
			heads = append(heads, x)
		}
	}
	return heads
}

// headsByClass returns headsOf for every class below the spacing.
func headsByClass(classes []int, spacing int) [][]int {
	list := make([][]int, spacing)
	for x, c := range classes {
		class := (spacing - c%spacing) % spacing
		list[class] = append(list[class], x)
	}
	return list
}

// modulo returns the classes of bridgeheads modulo a spacing.
func modulo(classes, heads []int, spacing int) []int {
	list := make([]int, len(heads))
	for i, h := range heads {
		list[i] = classes[h] % spacing
	}
	return list
}

// start holds the largest numbers of the first stages along an axis, over all lines.
type start struct {
	side       int // places on one side of a bridgehead
	hold, ends int // places of a bridgehead, and of the first and the last one
	heads, gap int // bridgeheads, and places from one to the next
}

// start returns it for the ruler's own spacing.
func (r ruler) start() start {
	if r.Size%r.spacing == 0 {
		s := start{side: r.spacing / 2, hold: r.spacing, ends: r.spacing, heads: r.Size / r.spacing, gap: r.spacing}
		if !r.Ring {
			s.side = r.spacing - 1
		}
		return s
	}
	return r.measureStart()
}

func (r ruler) measureStart() start {
	var s start
	for _, heads := range headsByClass(r.classes(), r.spacing) {
		segments := r.segmentsOf(heads)
		for i, g := range segments {
			s.side, s.hold = max(s.side, g.side()), max(s.hold, g.Left+1+g.Right)
			if i == 0 || i == len(segments)-1 {
				s.ends = max(s.ends, g.Left+1+g.Right)
			}
		}
		s.heads, s.gap = max(s.heads, len(heads)), max(s.gap, r.largestGap(heads))
	}
	return s
}

// round holds the largest numbers of a round along an axis, over all lines.
type round struct {
	inner, outer int // new bridgeheads in a gap, and beyond the last old one
	heads, gap   int // bridgeheads, and places from one to the next
	steps        int // of the exchange
}

// round returns it for bridgeheads whose spacing becomes narrow.
func (r ruler) round(wide, narrow int) round {
	if factor := wide / narrow; r.Size%r.spacing == 0 {
		if r.Ring {
			return round{inner: factor - 1, heads: r.Size / narrow, gap: narrow, steps: factor / 2}
		}
		return round{inner: factor - 1, outer: factor - 1, heads: r.Size / narrow, gap: narrow, steps: factor - 1}
	}
	return r.measureRound(wide, narrow)
}

func (r ruler) measureRound(wide, narrow int) round {
	var m round
	classes := r.classes()
	headsOf := headsByClass(classes, narrow)
	for class, old := range headsByClass(classes, wide) {
		heads := headsOf[class%narrow]
		gaps := r.gapSizes(old, heads)
		for i, size := range gaps {
			if !r.Ring && (i == 0 || i == len(gaps)-1) {
				m.outer = max(m.outer, size)
			} else {
				m.inner = max(m.inner, size)
			}
		}
		if class < narrow {
			m.heads, m.gap = max(m.heads, len(heads)), max(m.gap, r.largestGap(heads))
			m.steps = max(m.steps, exchangeSteps(r.Line, heads, modulo(classes, heads, wide)))
		}
	}
	return m
}

func (r ruler) largestGap(heads []int) int {
	gap := 0
	for i := range r.gaps(len(heads)) {
		gap = max(gap, r.next(heads, i)-heads[i])
	}
	return gap
}
