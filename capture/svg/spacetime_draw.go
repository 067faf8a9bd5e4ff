// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"meshwright/internal/rational"
	"meshwright/router"
)

// maxShapeBytes bounds what merged worms may take in a file.
const maxShapeBytes = 3 << 20

// frame maps columns and cycles to the page.
type frame struct {
	x, y          float64 // top left corner of the first cell
	pitch, row    float64 // width of a column, height of a row
	low           router.NodeID
	first         router.Cycle
	columns, rows int64
}

func (f *frame) atNode(n float64) float64  { return f.x + (n-float64(f.low)+0.5)*f.pitch }
func (f *frame) atCycle(c float64) float64 { return f.y + (c-float64(f.first))*f.row }
func (f *frame) width() float64            { return f.pitch * float64(f.columns) }
func (f *frame) height() float64           { return f.row * float64(f.rows) }

// Write draws the diagram.
func (d *SpaceTime) Write(w io.Writer) error {
	slow := newSlowSigns(d.Slow)
	c := &canvas{styles: d.styles() + slow.styles() + slow.columnStyles()}
	of := d.colours()
	d.enterQueues()
	cut := d.window()
	f := d.frame()
	width := max(f.width()+f.x+margin, 560)
	top := c.heading(d.Title, d.Subtitle)
	above := slices.Clone(d.Notes)
	if cut != "" {
		above = append(above, cut)
	}
	if len(above) > 0 {
		top = c.notes(margin, top+4, width-2*margin, above) // below the diagram nobody may look
	}
	f.y = d.legend(c, of, top, width) + 34
	d.grid(c, &f)
	slow.drawColumns(c, &f)
	fmt.Fprintf(c, `<clipPath id="area"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath><g clip-path="url(#area)">`+"\n",
		num(f.x), num(f.y), num(f.width()), num(f.height()))
	var notes []string
	lost, marks := d.lostFlits()
	if d.merged {
		notes = d.drawHulls(c, &f, of)
	} else {
		d.drawBands(c, &f, of)
		if unnamed := d.drawCells(c, &f, of, lost); unnamed > 0 {
			notes = append(notes, fmt.Sprintf("No room for the names of %s: their colours are those of their messages.", plural(int64(unnamed), "flit")))
		}
	}
	f.drawCrosses(c, marks)
	fmt.Fprint(c, "</g>\n")
	bottom := c.notes(margin, f.y+f.height()+24, width-2*margin, notes)
	return c.document(w, width, bottom, d.Title)
}

// window gives up columns for which a screen has no room, unless they were
// asked for, and says so: the columns in which most is to be seen stay.
func (d *SpaceTime) window() string {
	f := d.frame()
	room := router.NodeID((mostAcross - f.x - margin) / f.pitch)
	if d.Whole || f.columns <= int64(room) {
		return ""
	}
	low, high := d.Low, d.High
	seen := make([]int, f.columns+1) // flits left of each column
	for _, at := range d.cells {
		seen[at.node-low+1]++
	}
	for k := range f.columns {
		seen[k+1] += seen[k]
	}
	first := router.NodeID(0)
	for k := first; int64(k+room) <= f.columns; k++ {
		if seen[k+room]-seen[k] > seen[first+room]-seen[first] {
			first = k
		}
	}
	d.Low, d.High = low+first, low+first+room-1
	return fmt.Sprintf("Wide diagram: nodes %d to %d of %d to %d are shown; the option --nodes shows others, and --nodes %d-%d all.",
		d.Low, d.High, low, high, low, high)
}

// mostAcross is the width of a diagram that every screen has room for.
const mostAcross = 1400.0

// leastColumn is the least width of a column in which lines are told apart.
const leastColumn = 4.0

// frame chooses the scale.
func (d *SpaceTime) frame() frame {
	f := frame{low: d.Low, first: d.first, columns: int64(d.High-d.Low) + 1, rows: int64(d.last-d.first) + 1}
	if !d.begun {
		f.rows = 0
	}
	f.x = margin + 40 + textWidth(d.cycle(d.last), 11)
	if d.merged {
		f.pitch = max(leastColumn, min(40, 1200/float64(f.columns)))
		f.row = min(14, 1600/float64(max(f.rows, 1)))
		return f
	}
	f.pitch, f.row = d.pitch(&f), 24
	return f
}

// Columns grow with what stands in their cells up to a width of their own, and one of all.
const (
	widestColumn  = 180.0
	widestColumns = 1000.0
)

// pitch chooses the width of the columns in the detailed form: room for one flit, and for those that share a cell as
// far as the picture has room.
func (d *SpaceTime) pitch(f *frame) float64 {
	if f.columns > 60 && d.Whole {
		return 34
	}
	longest, needs := 0.0, map[mark]float64{}
	for i := range d.cells {
		at := &d.cells[i]
		if at.form != queued {
			longest = max(longest, textWidth(d.words(at), cellFont))
		}
		needs[mark{at.cycle, at.node}] += d.need(at) + gap
	}
	pitch := min(max(longest+20, 44), 90)
	room := min(widestColumn, widestColumns/float64(f.columns))
	for _, need := range needs {
		if need += 10 - gap; need <= room {
			pitch = max(pitch, math.Ceil(need))
		}
	}
	return pitch
}

// gap is the space between flits that share a cell.
const gap = 2.0

// need is the width of a flit, or of a queue, with its name.
func (d *SpaceTime) need(at *cell) float64 {
	width := textWidth(d.words(at), cellFont)
	if at.form == queued {
		return width + 4
	}
	return width + 7
}

// words are what stands in a cell.
func (d *SpaceTime) words(at *cell) string {
	if at.form == queued {
		return fmt.Sprintf("+%d", at.flits)
	}
	return d.Text(at.flit)
}

// cellFont is the size of the text in cells.
const cellFont = 11.0

// grid draws the background, the rows and both axes.
func (d *SpaceTime) grid(c *canvas, f *frame) {
	c.rect("", f.x, f.y, f.width(), f.height(), ` fill="`+panel+`"`)
	step := tick(float64(f.columns), f.width()/(textWidth(fmt.Sprintf("P%d", d.High), 11)+8))
	for n := int64(0); n < f.columns; n++ {
		if name := int64(f.low) + n; name%step == 0 {
			x := f.atNode(float64(name))
			c.line("g", x, f.y, x, f.y+f.height())
			c.text("a m", x, f.y-8, fmt.Sprintf("P%d", name))
		}
	}
	d.gridRows(c, f)
	c.line("g", f.x, f.y+f.height(), f.x+f.width(), f.y+f.height())
	c.text("s m", f.x+f.width()/2, f.y-24, "node")
	middle := f.y + f.height()/2
	words := "cycle"
	if d.PerCycle > 1 {
		words = fmt.Sprintf("cycle (a row is 1/%d of one)", d.PerCycle)
	}
	fmt.Fprintf(c, `<text class="s m" transform="translate(%s %s) rotate(-90)">%s</text>`+"\n", num(margin+8), num(middle), words)
}

// gridRows draws the rows and names cycles; a row is a tick.
func (d *SpaceTime) gridRows(c *canvas, f *frame) {
	per := max(1, d.PerCycle)
	step := per * tick(float64(f.rows)/float64(per), f.height()/20)
	if f.rows < 2*per {
		step = tick(float64(f.rows), f.height()/20) // parts of cycles
	}
	for k := int64(0); k < f.rows; k++ {
		row := int64(f.first) + k
		if row%step != 0 {
			continue
		}
		y := f.atCycle(float64(row))
		c.line("g", f.x, y, f.x+f.width(), y)
		c.text("a e", f.x-8, y+min(f.row/2, 8)+4, d.cycle(router.Cycle(row)))
	}
}

// cycle writes a tick as cycles.
func (d *SpaceTime) cycle(tick router.Cycle) string {
	return rational.Exactly(int64(tick), max(1, d.PerCycle))
}

// path writes the outline of a hull.
func (f *frame) path(h hull) string {
	var b strings.Builder
	letter := "M"
	corner := func(p point) {
		b.WriteString(letter + num(f.atNode(p.node)) + " " + num(f.atCycle(p.cycle)))
		letter = "L"
	}
	for _, p := range h.top {
		corner(p)
	}
	for _, p := range slices.Backward(h.bottom) {
		corner(p)
	}
	return b.String() + "Z"
}

// drawBands shows the route of each flit as a pale band behind the cells.
func (d *SpaceTime) drawBands(c *canvas, f *frame, of map[int64]int) {
	fmt.Fprintf(c, `<g class="band" stroke-width="%s">`+"\n", num(f.row*0.55))
	for _, w := range d.worms {
		for _, index := range slices.Sorted(maps.Keys(w.lines)) {
			if path := f.way(w.lines[index]); path != "" {
				fmt.Fprintf(c, `<path class="s%d" d="%s"/>`+"\n", d.colourOf(w.flit, of), path)
			}
		}
	}
	fmt.Fprintln(c, "</g>")
}

// way writes the route of a flit through the middle of its rows.
func (f *frame) way(line *worldLine) string {
	var b strings.Builder
	for _, piece := range line.pieces {
		if len(piece) < 2 {
			continue
		}
		letter := "M"
		for _, p := range piece {
			b.WriteString(letter + num(f.atNode(p.node)) + " " + num(f.atCycle(p.cycle+0.5)))
			letter = "L"
		}
	}
	return b.String()
}

// drawCells writes each flit into its cell; flits that share one divide it. It
// returns how many have no room for their names.
func (d *SpaceTime) drawCells(c *canvas, f *frame, of map[int64]int, lost map[flitAt]bool) (unnamed int) {
	byPlace := map[mark][]cell{}
	var places []mark
	for _, at := range slices.Concat(d.cells, d.lostControl(lost)) {
		if at.node < d.Low || at.node > d.High {
			continue
		}
		place := mark{at.cycle, at.node}
		if byPlace[place] == nil {
			places = append(places, place)
		}
		byPlace[place] = append(byPlace[place], at)
	}
	for _, shared := range byPlace {
		slices.SortStableFunc(shared, func(a, b cell) int { return cmp.Compare(a.flits, b.flits) }) // queues last
	}
	fmt.Fprintln(c, `<g class="c">`)
	var crosses []func()
	for _, place := range places {
		full := f.pitch - 10
		x := f.atNode(float64(place.node)) - full/2
		shared := byPlace[place]
		if last := len(shared) - 1; shared[last].form == queued {
			left := d.drawQueue(c, f, &shared[last], x, full, last == 0)
			shared, full = shared[:last], left
		}
		width := (full - gap*float64(len(shared)-1)) / float64(len(shared))
		for k, at := range shared {
			x := x + float64(k)*(width+gap)
			class := fmt.Sprintf("f%d", d.colourOf(at.flit, of))
			switch {
			case lost[flitAt{place, at.flit.Serial, at.flit.Index}]:
				class += " lost"
				crosses = append(crosses, func() { c.cross(x+width-2, f.atCycle(float64(at.cycle))+5, 4.5) })
			case at.form == waiting:
				class += " w"
			}
			if !d.drawCell(c, f, at, x, width, class) {
				unnamed++
			}
		}
	}
	fmt.Fprintln(c, "</g>")
	for _, draw := range crosses {
		draw()
	}
	return unnamed
}

// lostControl returns cells for control flits that were lost in their
// injection registers, where control is not shown otherwise.
func (d *SpaceTime) lostControl(lost map[flitAt]bool) []cell {
	var cells []cell
	for _, c := range d.collisions {
		w := d.bySerial[c.serial]
		if w == nil || w.flit.Kind == router.Data {
			continue
		}
		for _, index := range slices.Sorted(maps.Keys(w.lines)) {
			at := flitAt{mark{c.cycle, w.flit.Source}, c.serial, index}
			if lost[at] {
				cells = append(cells, cell{flit: w.flit, cycle: c.cycle, node: w.flit.Source, form: entering})
			}
		}
	}
	return cells
}

// drawQueue says at the right end of a cell, or in the middle of an empty one, how many flits wait. It returns the width that is left.
func (d *SpaceTime) drawQueue(c *canvas, f *frame, at *cell, x, full float64, alone bool) float64 {
	width := min(d.need(at), full)
	y := f.atCycle(float64(at.cycle))
	left := x + full - width
	if alone {
		left = x + (full-width)/2
	}
	c.rect("q", left, y+4.5, width, f.row-9, ` rx="3"`)
	c.text("", left+width/2, y+f.row/2+4, d.words(at))
	return full - width - gap
}

// drawCell draws a flit, and reports whether there was room for its name.
func (d *SpaceTime) drawCell(c *canvas, f *frame, at cell, x, width float64, class string) bool {
	y := f.atCycle(float64(at.cycle))
	c.rect(class, x, y+2.5, width, f.row-5, ` rx="3"`)
	words := d.Text(at.flit)
	if textWidth(words, cellFont) > width {
		return false
	}
	weight := ""
	if at.flit.Index == 1 {
		weight = "b"
	}
	c.text(weight, x+width/2, y+f.row/2+4, words)
	return true
}

// drawHulls draws worms as whole shapes. It returns notes about the worms that it
// leaves out.
func (d *SpaceTime) drawHulls(c *canvas, f *frame, of map[int64]int) []string {
	// A shape takes some 60 bytes and 12 for each corner.
	size := 0
	for _, w := range d.worms {
		for _, h := range w.hulls() {
			size += 60 + 12*(len(h.top)+len(h.bottom))
		}
	}
	room := len(d.worms)
	if size > maxShapeBytes {
		room = int(float64(room) * maxShapeBytes / float64(size))
	}
	drawn := d.kept(room)
	edge := ""
	if f.row < 0.5 {
		edge = " thin" // rows finer than the line of an edge
	}
	fmt.Fprintf(c, `<g class="hull%s">`+"\n", edge)
	for _, w := range drawn {
		var b strings.Builder
		for _, h := range w.hulls() {
			b.WriteString(f.path(h))
		}
		fmt.Fprintf(c, `<path class="f%d" d="%s"/>`+"\n", d.colourOf(w.flit, of), b.String())
	}
	fmt.Fprintln(c, "</g>")
	d.labelHulls(c, f, drawn)
	notes := []string{"Large run: the flits of a message are one shape, from the route of its head to the route of its tail; a window by the options --from, --until and --nodes shows single flits."}
	if all := len(d.worms) + len(d.unseen); all > len(drawn) {
		notes = append(notes, fmt.Sprintf("Left out: %s of %s messages, the smallest ones.", thousands(int64(all-len(drawn))), thousands(int64(all))))
	}
	return notes
}

// labelHulls names the shapes that have room for it.
func (d *SpaceTime) labelHulls(c *canvas, f *frame, drawn []*worm) {
	fmt.Fprintln(c, `<g class="c">`)
	free := &labels{}
	area := box{f.x, f.y, f.x + f.width(), f.y + f.height()}
	for _, w := range drawn {
		words := d.Name(w.flit)
		width := textWidth(words, cellFont) * 1.1
		for _, h := range w.hulls() {
			at, ok := f.room(h, width)
			b := around(f.atNode(at.node), f.atCycle(at.cycle), width, cellFont)
			if !ok || !b.within(area) || len(free.taken) == maxNames {
				continue
			}
			if _, ok := free.place([]box{b}); ok {
				c.text("b", (b.left+b.right)/2, b.bottom-1.5, words)
			}
		}
	}
	fmt.Fprintln(c, "</g>")
}

// maxNames bounds the names in a merged diagram.
const maxNames = 500

// room returns a place in a hull for words of a width in pixels, near the start
// of its head's route; false when they do not fit.
func (f *frame) room(h hull, width float64) (point, bool) {
	start, end := h.top[0], h.top[len(h.top)-1]
	length := math.Abs(end.node-start.node) * f.pitch
	if length < width {
		return point{}, false
	}
	node := start.node + (end.node-start.node)*min(0.5, width/length)
	above, okAbove := crossingAt(h.top, node)
	below, okBelow := crossingAt(h.bottom, node)
	fits := okAbove && okBelow && (below-above)*f.row >= cellFont+3
	return point{node, (above + below) / 2}, fits
}

// crossingAt returns the cycle in which a polyline first reaches a node.
func crossingAt(line []point, node float64) (float64, bool) {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		if low, high := min(a.node, b.node), max(a.node, b.node); node < low || node > high || low == high {
			continue
		}
		return a.cycle + (b.cycle-a.cycle)*(node-a.node)/(b.node-a.node), true
	}
	return 0, false
}

// drawCrosses marks places where flits were lost, no two nearer than a mark.
func (f *frame) drawCrosses(c *canvas, marks []mark) {
	const arm = 3.0
	taken := map[[2]int]bool{}
	var b strings.Builder
	for _, at := range marks {
		x, y := f.atNode(float64(at.node)), f.atCycle(float64(at.cycle)+0.5)
		if spot := [2]int{int(x / arm / 2), int(y / arm / 2)}; !taken[spot] {
			taken[spot] = true
			b.WriteString(crossPath(x, y, arm))
		}
	}
	if b.Len() > 0 {
		fmt.Fprintf(c, `<path class="y" d="%s"/>`+"\n", b.String())
	}
}

func crossPath(x, y, arm float64) string {
	return fmt.Sprintf("M%s %sL%s %sM%s %sL%s %s", num(x-arm), num(y-arm), num(x+arm), num(y+arm), num(x-arm), num(y+arm), num(x+arm), num(y-arm))
}

// cross draws the sign of a lost flit.
func (c *canvas) cross(x, y, arm float64) {
	path := crossPath(x, y, arm)
	fmt.Fprintf(c, `<path class="xh" d="%s"/><path class="x" d="%s"/>`+"\n", path, path)
}

// maxLegend bounds the messages that the legend names.
const maxLegend = 12

// legend names the colours and signs, in lines that fit the width; it returns
// where it ends.
func (d *SpaceTime) legend(c *canvas, of map[int64]int, y, width float64) float64 {
	f := flow{canvas: c, x: margin, y: y + 12, right: width - margin}
	named, seen := map[int64]bool{}, map[int64]bool{}
	control := false
	for _, w := range d.worms {
		if !w.between(float64(d.Low), float64(d.High)) {
			continue
		}
		if w.flit.Kind != router.Data {
			control = true
			continue
		}
		seen[w.flit.Message] = true
		if named[w.flit.Message] || len(named) == maxLegend {
			continue
		}
		named[w.flit.Message] = true
		f.chip(fmt.Sprintf("f%d", d.colourOf(w.flit, of)),
			fmt.Sprintf("%s: %d → %d, %s", d.Name(w.flit), w.flit.Source, w.flit.Destination, plural(int64(w.flit.Length), "flit")))
	}
	if more := len(seen) - len(named); more > 0 {
		f.words(fmt.Sprintf("and %s (colours repeat)", plural(int64(more), "more message")))
	}
	if control {
		f.chip(fmt.Sprintf("f%d", controlColour), "control, where it arrives: (n) order, [*] token, <n> certificate")
	}
	d.legendOfWaits(&f)
	newSlowSigns(d.Slow).legendOfColumns(&f, d.Low, d.High)
	if d.lost > 0 {
		f.collision(d.lost, len(d.collisions))
	}
	if d.faulty > 0 {
		f.crossed("a fault: the flit is lost, and its message (" + plural(int64(d.faulty), "message") + " in all)")
	}
	return f.y + 16
}

// legendOfWaits names the signs of flits that wait, where there are some.
func (d *SpaceTime) legendOfWaits(f *flow) {
	has := func(form form) bool {
		return slices.ContainsFunc(d.cells, func(at cell) bool { return at.form == form && at.node >= d.Low && at.node <= d.High })
	}
	if has(waiting) {
		f.chip("f0 w", "waits in the injection register")
	}
	if !has(queued) {
		return
	}
	f.sign("so many more flits wait in buffers of the node", func(x, y float64) {
		f.rect("q", x, y-9, 16, 13, ` rx="3"`)
		f.text("m", x+8, y+1, "+n")
	})
	f.sign("route of a flit, vertical while the flit waits", func(x, y float64) {
		fmt.Fprintf(f, `<path class="band s0" stroke-width="8" d="M%s %sV%sL%s %s"/>`+"\n", num(x+4), num(y-11), num(y-3), num(x+15), num(y+4))
	})
}

// flow sets legend entries one after the other, and in lines.
type flow struct {
	*canvas
	x, y, right float64
}

func (f *flow) place(width float64) {
	if f.x+width > f.right && f.x > margin {
		f.x, f.y = margin, f.y+22
	}
}

func (f *flow) chip(class, words string) {
	f.sign(words, func(x, y float64) { f.rect(class, x, y-9, 16, 12, ` rx="3"`) })
}

// sign sets words behind a sign that is 16 pixels wide, drawn at the baseline of the words.
func (f *flow) sign(words string, draw func(x, y float64)) {
	width := 22 + textWidth(words, 11) + 18
	f.place(width)
	draw(f.x, f.y)
	f.text("", f.x+22, f.y+1, words)
	f.x += width
}

func (f *flow) words(words string) {
	width := textWidth(words, 11) + 18
	f.place(width)
	f.text("a", f.x, f.y+1, words)
	f.x += width
}

func (f *flow) collision(lost, marked int) {
	words := "collision: the flit is lost (" + thousands(int64(lost)) + " in all"
	if marked < lost {
		words += ", the first " + thousands(int64(marked)) + " marked"
	}
	f.crossed(words + ")")
}

// crossed explains the sign of a lost flit.
func (f *flow) crossed(words string) {
	f.place(22 + textWidth(words, 11))
	f.cross(f.x+8, f.y-3, 5)
	f.text("", f.x+22, f.y+1, words)
	f.x += 40 + textWidth(words, 11)
}
