// SPDX-License-Identifier: Apache-2.0

package router

// lanes numbers the links of a grid so that those which a worm crosses one after the other in a dimension
// are neighbours in memory: by dimension and direction, then line by line.
//
//	direction +  0>1 1>2 2>3   4>5 5>6 6>7   ...
//	direction -  1>0 2>1 3>2   5>4 6>5 7>6   ...
type lanes struct {
	w      *wiring
	order  *DimensionOrder
	nodes  int
	stride []int // by dimension: from a node to the next
}

// newLanes returns the numbering of the links of a grid that is routed in dimension order; nil
// of other networks.
func newLanes(w *wiring) *lanes {
	order, ok := w.cfg.Routing.(*DimensionOrder)
	if !ok {
		return nil
	}
	l := &lanes{w: w, order: order, nodes: w.chips, stride: make([]int, len(order.dims))}
	stride := 1
	for d, size := range order.dims {
		l.stride[d] = stride
		stride *= size
	}
	return l
}

// slot returns the number of the link at port g of a chip.
func (l *lanes) slot(chip, g int32) int {
	p := int(g - l.w.cfg.PortBase[chip])
	return l.line(int(chip), p/2, p%2) + int(l.order.coords[int(chip)*len(l.stride)+p/2])
}

// line returns the number of the first link of a chip's line in a dimension and direction.
func (l *lanes) line(chip, d, direction int) int {
	stride, size := l.stride[d], l.order.dims[d]
	return (2*d+direction)*l.nodes + (chip/(stride*size)*stride+chip%stride)*size
}

// route books all links of a worm.
func (l *lanes) route(r *reservation) bool {
	dims := len(l.stride)
	there := l.order.coords[int(r.w.Destination)*dims:][:dims]
	for d := range dims {
		from := int(l.order.coords[int(r.chip)*dims+d])
		way := int(there[d]) - from
		if way == 0 {
			continue
		}
		size := l.order.dims[d]
		p := l.order.towards(d, int32(way))
		if r.hops == 0 {
			r.out = l.w.cfg.PortBase[r.chip] + int32(p)
		}
		line := l.line(int(r.chip), d, int(p)%2)
		r.chip += int32(way * l.stride[d])
		if p%2 == 0 {
			way = (way + size) % size
			straight := min(way, size-from)
			if !r.run(line+from, straight, 1) || !r.run(line, way-straight, 1) {
				return false
			}
		} else {
			way = (size - way) % size
			straight := min(way, from+1)
			if !r.run(line+from, straight, -1) || !r.run(line+size-1, way-straight, -1) {
				return false
			}
		}
		r.in = l.w.cfg.Peer[l.w.cfg.PortBase[l.before(r.chip, d, p)]+int32(p)]
	}
	return true
}

// before returns the chip from which port p of dimension d leads to a chip.
func (l *lanes) before(chip int32, d int, p Port) int32 {
	size := int32(l.order.dims[d])
	at := l.order.coords[int(chip)*len(l.stride)+d]
	from := at - 1 + 2*int32(p%2)
	return chip + ((from+size)%size-at)*int32(l.stride[d])
}

// run books links that are neighbours in the books. It is the innermost loop of all flights.
func (r *reservation) run(i, links, step int) bool {
	books, now, hop := &r.f.books, r.f.bank.now, Cycle(r.f.bank.cfg.Hop)
	at, span, flits := r.at, r.span, uint64(r.w.Length)
	for range links {
		s := &books.slots[i]
		switch {
		case at < s.end:
			if !books.insert(s, at, at+span) {
				return false
			}
		case at > s.end:
			if s.end > now {
				books.push(s, now)
			}
			s.start = at
			s.end = at + span
		default:
			s.end = at + span
		}
		s.carried += flits
		r.hops++
		i += step
		at += hop
	}
	r.at = at
	return true
}
