// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/capture/queue"
	"meshwright/router"
)

// Flit names a flit of a space-time diagram.
type Flit struct {
	Serial              int32 // of its worm, unique in the run
	Message             int64 // the message's number; worms of one number have one colour
	Kind                router.Kind
	Source, Destination router.NodeID
	Index, Length       uint32 // position from 1, and flits of the worm
	Value               uint32
}

// MaxDetailCycles bounds the rows of the detailed form; see maxDetailNodes.
const MaxDetailCycles = 400

// Further bounds of the detailed form; beyond them a worm's flits become one shape.
const (
	maxDetailNodes = 200
	maxDetailCells = 20000
)

// maxWorms bounds the worms that a diagram remembers.
const maxWorms = 100000

// SpaceTime is a diagram of a line of nodes: a column per node, a row per
// cycle. Small runs show every flit in the cell of the node it is at, as the
// papers' tables do; large ones show every worm as one shape, from the route of
// its head to the route of its tail.
type SpaceTime struct {
	Title, Subtitle string            `snapshot:"-"`
	Notes           []string          // what else is to be said
	Low, High       router.NodeID     // the columns
	From, Until     router.Cycle      // rows, in ticks: From <= tick < Until; an Until of 0 is no bound
	PerCycle        int64             // ticks that are a cycle; 0 is 1
	Whole           bool              // the columns were asked for: draw them all, however wide
	Text            func(Flit) string `snapshot:"-"` // what stands in a flit's cell
	Name            func(Flit) string `snapshot:"-"` // what a flit's message is called
	Slow            []Slow            `snapshot:"-"` // links that are slower than the others; those between neighbouring columns are marked
	Queues          queue.Record      // flits that wait in the buffers of nodes; only the detailed form shows them

	stood      map[int32]uint32 // position of the flit of a worm that stood in a register in the cycle before From
	worms      []*worm
	bySerial   map[int32]*worm
	unseen     map[int32]bool // worms beyond maxWorms
	cells      []cell
	merged     bool
	begun      bool
	first      router.Cycle
	last       router.Cycle
	collisions []collision
	lost       int      // collisions in all
	struck     []flitAt // flits that faults took away, first ones
	faulty     int      // messages that faults took away in all
}

// worm is a message in flight: the routes of its first and last flit, and while
// the diagram is small of those between.
type worm struct {
	flit  Flit
	lines map[uint32]*worldLine // by position in the message
	lost  bool                  // the first or last flit did not arrive
}

type cell struct {
	flit  Flit
	cycle router.Cycle
	node  router.NodeID
	form  form
	flits int // of a queue
}

// form says why a flit is in a cell.
type form uint8

const (
	arriving form = iota
	entering
	waiting
	queued // not one flit but several, in buffers
)

// mark is a place in the diagram.
type mark struct {
	cycle router.Cycle
	node  router.NodeID
}

// collision is a place where a flit of a worm was lost.
type collision struct {
	mark
	serial int32
}

// Stand enters a flit in an injection register: it enters it in this cycle, or
// waits there.
func (d *SpaceTime) Stand(f Flit, at router.NodeID, cycle router.Cycle) {
	line := d.lineOf(f, cycle)
	if line == nil {
		return
	}
	how := waiting
	if position, before := d.stood[f.Serial]; len(line.pieces) == 0 && !(before && position == f.Index) {
		how = entering
	}
	line.reach(point{float64(at), float64(cycle)})
	if f.Kind == router.Data {
		d.cell(cell{flit: f, cycle: cycle, node: at, form: how})
	}
}

// Stood enters a flit that stood in an injection register in the cycle before From.
func (d *SpaceTime) Stood(f Flit) {
	if d.stood == nil {
		d.stood = map[int32]uint32{}
	}
	d.stood[f.Serial] = f.Index
}

// Cross enters a flit that leaves a node in one cycle and is at the next in another.
func (d *SpaceTime) Cross(f Flit, from, to router.NodeID, leave, arrive router.Cycle) {
	if line := d.lineOf(f, leave); line != nil {
		line.cross(from, to, leave, arrive)
		d.cell(cell{flit: f, cycle: arrive, node: to, form: arriving})
	}
}

// Take enters a flit that its destination takes.
func (d *SpaceTime) Take(f Flit, at router.NodeID, cycle router.Cycle) {
	if line := d.lineOf(f, cycle); line != nil {
		line.reach(point{float64(at), float64(cycle)})
		line.taken = true
	}
}

// Collide marks a place where a flit of a worm was lost.
func (d *SpaceTime) Collide(serial int32, at router.NodeID, cycle router.Cycle) {
	d.see(cycle)
	d.collisions = append(d.collisions, collision{mark{cycle, at}, serial})
}

// Strike marks a flit that a fault takes away behind a link, where it would have arrived.
func (d *SpaceTime) Strike(f Flit, at router.NodeID, cycle router.Cycle) {
	head := f.Index == 1
	if head {
		d.faulty++
	}
	if cycle < d.From || d.Until > 0 && cycle >= d.Until || at < d.Low || at > d.High || len(d.struck) == maxDetailCells {
		return
	}
	if head || !d.merged {
		d.struck = append(d.struck, flitAt{mark{cycle, at}, f.Serial, f.Index})
	}
}

// Lost says how many flits were lost to collisions, marked or not.
func (d *SpaceTime) Lost(flits int) {
	if d.lost = flits; flits == 0 {
		return
	}
	for _, w := range d.worms {
		head, tail := w.ends()
		w.lost = !head.taken || !tail.taken
	}
}

// Frame makes the rows reach from one tick to another, as a window was asked
// for, unless that would cost the detailed form.
func (d *SpaceTime) Frame(first, last router.Cycle) {
	if d.begun {
		first, last = min(first, d.first), max(last, d.last)
	}
	if last >= first && (d.merged || last-first < MaxDetailCycles) {
		d.begun, d.first, d.last = true, first, last
	}
}

// see makes the rows reach to a cycle, within the window.
func (d *SpaceTime) see(cycle router.Cycle) {
	cycle = max(cycle, d.From)
	if d.Until > 0 {
		cycle = min(cycle, d.Until-1)
	}
	if !d.begun {
		d.begun, d.first, d.last = true, cycle, cycle
	}
	d.first, d.last = min(d.first, cycle), max(d.last, cycle)
	if d.last-d.first >= MaxDetailCycles || d.High-d.Low >= maxDetailNodes {
		d.merge()
	}
}

// merge gives up the detailed form.
func (d *SpaceTime) merge() {
	if d.merged {
		return
	}
	d.merged, d.cells = true, nil
	d.Queues.Drop()
	for _, w := range d.worms {
		for index := range w.lines {
			if index != 1 && index != w.flit.Length {
				delete(w.lines, index)
			}
		}
	}
}

func (d *SpaceTime) cell(c cell) {
	if c.cycle < d.From || d.Until > 0 && c.cycle >= d.Until {
		return
	}
	d.see(c.cycle)
	if d.merged || c.node < d.Low || c.node > d.High {
		return
	}
	if d.cells = append(d.cells, c); len(d.cells) > maxDetailCells {
		d.merge()
	}
}

// Merged reports whether the diagram has given up the detailed form.
func (d *SpaceTime) Merged() bool { return d.merged }

// enterQueues adds a cell for each node and cycle in which flits wait in buffers, behind the other cells.
func (d *SpaceTime) enterQueues() {
	first, last, ok := d.Queues.Span()
	if !ok || d.merged {
		return
	}
	if d.Until > 0 {
		last = min(last, d.Until-1)
	}
	d.Frame(first, last)
	walk := d.Queues.Walk()
	for cycle := d.first; cycle <= d.last; cycle++ {
		walk.To(cycle)
		for n := d.Low; n <= d.High; n++ {
			if flits := walk.At(n); flits > 0 {
				d.cells = append(d.cells, cell{cycle: cycle, node: n, form: queued, flits: flits})
			}
		}
		if len(d.cells) > 2*maxDetailCells {
			d.merge()
			return
		}
	}
}

// lineOf returns the route of a flit so far; nil when the diagram does not keep it.
func (d *SpaceTime) lineOf(f Flit, cycle router.Cycle) *worldLine {
	d.see(cycle)
	w := d.bySerial[f.Serial]
	if w == nil {
		if w = d.newWorm(f); w == nil {
			return nil
		}
	}
	if d.merged && f.Index != 1 && f.Index != f.Length {
		return nil
	}
	line := w.lines[f.Index]
	if line == nil {
		line = &worldLine{}
		w.lines[f.Index] = line
	}
	return line
}

func (d *SpaceTime) newWorm(f Flit) *worm {
	if len(d.worms) == maxWorms {
		if d.unseen == nil {
			d.unseen = map[int32]bool{}
		}
		d.unseen[f.Serial] = true
		return nil
	}
	w := &worm{flit: f, lines: map[uint32]*worldLine{}}
	if d.bySerial == nil {
		d.bySerial = map[int32]*worm{}
	}
	d.bySerial[f.Serial] = w
	d.worms = append(d.worms, w)
	return w
}

// hull is the outline of a piece of a worm: above it the route of its first
// flit, below it that of its last.
type hull struct{ top, bottom []point }

// hulls returns the outlines of a worm, each flit filling the row it is in. Of
// a worm that lost an end only the routes of the first and the last are certain.
func (w *worm) hulls() []hull {
	head, tail := w.ends()
	if w.lost || len(head.pieces) != len(tail.pieces) {
		hulls := between(head, head)
		if tail != head {
			hulls = append(hulls, between(tail, tail)...)
		}
		return hulls
	}
	return between(head, tail)
}

func between(head, tail *worldLine) []hull {
	hulls := make([]hull, len(head.pieces))
	for k := range hulls {
		hulls[k] = hull{head.pieces[k], shifted(tail.pieces[k], 1)}
	}
	return hulls
}

// shifted returns a polyline some cycles later.
func shifted(line []point, cycles float64) []point {
	later := make([]point, len(line))
	for i, p := range line {
		later[i] = point{p.node, p.cycle + cycles}
	}
	return later
}

// ends returns the routes of the first and the last flit seen of a worm.
func (w *worm) ends() (head, tail *worldLine) {
	low, high := ^uint32(0), uint32(0)
	for index := range w.lines {
		low, high = min(low, index), max(high, index)
	}
	if high == 0 {
		return &worldLine{}, &worldLine{}
	}
	return w.lines[low], w.lines[high]
}

// between reports whether a worm comes to nodes from low to high.
func (w *worm) between(low, high float64) bool {
	for _, line := range w.lines {
		for _, piece := range line.pieces {
			for i, p := range piece {
				before := piece[max(0, i-1)]
				if min(p.node, before.node) <= high && max(p.node, before.node) >= low {
					return true
				}
			}
		}
	}
	return false
}

// extent measures how much of the picture a worm is, to decide which are left
// out of a picture that would become too large.
func (w *worm) extent() float64 {
	head, tail := w.ends()
	return head.span() + tail.span() + float64(w.flit.Length)
}

// colours returns the colour of every message: data messages take the
// palette's in order of appearance, control has its own.
func (d *SpaceTime) colours() map[int64]int {
	of := map[int64]int{}
	for _, w := range d.worms {
		if _, known := of[w.flit.Message]; !known && w.flit.Kind == router.Data {
			of[w.flit.Message] = len(of)
		}
	}
	return of
}

func (d *SpaceTime) colourOf(f Flit, of map[int64]int) int {
	if f.Kind != router.Data {
		return controlColour
	}
	return of[f.Message] % len(palette)
}

// kept returns the worms to draw when there is room for only so many, the
// larger ones first chosen, in order of appearance.
func (d *SpaceTime) kept(room int) []*worm {
	if len(d.worms) <= room {
		return d.worms
	}
	bySize := slices.Clone(d.worms)
	slices.SortStableFunc(bySize, func(a, b *worm) int { return -cmp.Compare(a.extent(), b.extent()) })
	chosen := map[*worm]bool{}
	for _, w := range bySize[:room] {
		chosen[w] = true
	}
	return slices.DeleteFunc(slices.Clone(d.worms), func(w *worm) bool { return !chosen[w] })
}

// flitAt is a flit in a cell.
type flitAt struct {
	mark
	serial int32
	index  uint32
}

// lostFlits finds the flits that collided, which are the flits of the worm whose route ends in that cycle, and those that faults took away.
// Where the diagram does not keep their routes, marks gives the places.
func (d *SpaceTime) lostFlits() (lost map[flitAt]bool, marks []mark) {
	lost = map[flitAt]bool{}
	for _, c := range d.collisions {
		found := false
		if w := d.bySerial[c.serial]; w != nil && !d.merged {
			for index, line := range w.lines {
				if end, ok := line.end(); ok && !line.taken && end.cycle == float64(c.cycle) {
					lost[flitAt{mark{c.cycle, router.NodeID(end.node)}, c.serial, index}] = true
					found = true
				}
			}
		}
		if !found {
			marks = append(marks, c.mark)
		}
	}
	for _, at := range d.struck {
		if d.merged && at.index == 1 {
			marks = append(marks, at.mark)
		}
		lost[at] = true
	}
	return lost, marks
}

// palette is Paul Tol's "light" scheme, made for cells with black text, as
// fill and a darker edge; the last is for control flits.
var palette = [...]struct{ fill, edge string }{
	{"#77aadd", "#3f77b0"}, {"#ee8866", "#b9532d"}, {"#eedd88", "#a68f1f"}, {"#44bb99", "#1f8468"},
	{"#ffaabb", "#c75d76"}, {"#bbcc33", "#7f8d10"}, {"#99ddff", "#4199c4"}, {"#aaaa00", "#6f6f00"},
}

const controlColour = len(palette)

func (d *SpaceTime) styles() string {
	s := ".c text{text-anchor:middle}\n"
	if _, _, ok := d.Queues.Span(); ok {
		s += ".q{fill:#e3e6eb;stroke:#aeb4be;stroke-width:.7}\n"
	}
	for k, colour := range palette {
		s += fmt.Sprintf(".f%d{fill:%s;stroke:%s}\n.s%d{stroke:%s}\n", k, colour.fill, colour.edge, k, colour.fill)
	}
	return s + fmt.Sprintf(".f%d{fill:#dcdfe4;stroke:#7d838d}\n.s%d{stroke:#b9bec6}\n", controlColour, controlColour) +
		".w{fill:#fff;stroke-dasharray:3 2}\n.lost{fill:#fff;stroke:#111;stroke-width:1.6}\n.hull{fill-opacity:.8;stroke-width:.6}\n.thin path{stroke:none}\n" +
		".band{fill:none;stroke-opacity:.3;stroke-linejoin:round}\n" +
		".x{stroke:#111;stroke-width:2.4;fill:none}\n.y{stroke:#111;stroke-width:1.1;fill:none}\n.xh{stroke:#fff;stroke-width:5;fill:none}\n"
}
