// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// The two forms of a stored timetable. Where all nodes do the same, it has the
// messages of node 0, with offsets as destinations; otherwise it has the messages of
// all nodes.
const (
	offsetForm = "offset,start,path"
	pairForm   = "source,destination,start,path"
)

// Write prints one round of a timetable on a grid, of equal messages: comments
// that say what it is, and a row a message, with a letter for every hop of its
// path: X for + and x for - along the first dimension, Y and y along the second.
// Read reads it back.
func (t *Timetable) Write(w io.Writer) error {
	if !t.Topology.IsGrid() || 2*len(t.Topology.Dims) > len(letters) {
		return input.Errorf("expected a grid", "a timetable of %s as letters", t.Topology)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# total exchange; written by go test ./firmware/collective/alltoall/timetable -run Stored -update\n")
	fmt.Fprintf(b, "# topology %s\n# flits %d\n# cycles %d\n# bound %d\n# period %d\n", t.Topology, t.Lengths[0]/t.Rounds, t.round(), t.Bound, t.Period)
	form := pairForm
	if t.lattice != nil {
		form = offsetForm
	}
	fmt.Fprintln(b, form)
	for i := range t.ways {
		m := &t.ways[i]
		if t.lattice == nil {
			fmt.Fprintf(b, "%d,", m.source)
		}
		fmt.Fprintf(b, "%d,%d,%s\n", m.destination, m.start, t.spell(m.path))
	}
	return b.Flush()
}

// round returns the time of one round.
func (t *Timetable) round() router.Cycle {
	return t.Cycles - router.Cycle(t.Rounds-1)*t.Period
}

func (t *Timetable) spell(path []router.Port) []byte {
	word := make([]byte, len(path))
	for k, p := range path {
		word[k] = letters[p]
		if t.lattice != nil {
			word[k] = t.lattice.directions[p].letter
		}
	}
	return word
}

// header is the content of the comments of a stored timetable.
type header struct {
	topology                     string
	flits, cycles, bound, period router.Cycle
}

// Read reads a stored timetable and makes one of it for messages of length
// flits, a multiple of its own, in as many rounds as that takes. It judges the form; see Verify for the rest. Errors are
// *input.Error.
func Read(file string, r io.Reader, length int) (*Timetable, error) {
	text, err := input.ReadAll(file, r, input.LongLines())
	if err != nil {
		return nil, err
	}
	h, form, err := readHeader(file, string(text))
	if err != nil {
		return nil, err
	}
	top, err := topology.Parse(h.topology)
	if err != nil {
		return nil, input.Locate(err, file, 0)
	}
	if top.Nodes() > maxNodes {
		return nil, input.At(file, 0, fmt.Sprintf("expected at most %d", maxNodes), "%d nodes", top.Nodes())
	}
	if length < 1 || length > MaxLength {
		return nil, input.Errorf(fmt.Sprintf("expected 1 to %d", MaxLength), "length %d", length)
	}
	if length%int(h.flits) != 0 {
		return nil, input.Errorf(fmt.Sprintf("expected a multiple of %d", h.flits), "length %d", length)
	}
	t := &Timetable{Topology: top, Rounds: length / int(h.flits), Period: h.period, Lengths: slices.Repeat([]int{length}, top.Nodes())}
	t.Cycles = h.cycles + router.Cycle(t.Rounds-1)*h.period
	if form == offsetForm {
		if t.lattice = newLattice(top); t.lattice == nil {
			return nil, input.At(file, 0, "expected "+pairForm, "%s for nodes of %s, which differ", form, top)
		}
	}
	m, err := Reference()
	if err != nil {
		return nil, err
	}
	t.Bound = bound.Exchange(top, m, t.Lengths).Cycles
	return t, input.Rows(file, text, form, func(fields []string, line int) error { return t.readRow(file, fields, line) })
}

// Reference returns the machine of the stored timetables: without buffers, all
// ports, one channel a PE, routes from the source.
func Reference() (machine.Machine, error) {
	m, err := machine.Preset("bufferless")
	m.Ports, m.Channels, m.Routing = machine.AllPort, 1, machine.Source
	return m, err
}

func readHeader(file, text string) (h header, form string, err error) {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "#")), " ")
		if !strings.HasPrefix(line, "#") {
			if line != offsetForm && line != pairForm {
				return h, "", input.At(file, i+1, "expected "+offsetForm+" or "+pairForm, "%q", line)
			}
			form = line
			break
		}
		number, fault := strconv.ParseInt(value, 10, 32)
		switch key {
		case "topology":
			h.topology, fault = value, nil
		case "flits":
			h.flits = router.Cycle(number)
		case "cycles":
			h.cycles = router.Cycle(number)
		case "bound":
			h.bound = router.Cycle(number)
		case "period":
			h.period = router.Cycle(number)
		default:
			fault = nil
		}
		if fault != nil || number < 0 {
			return h, "", input.At(file, i+1, "expected a number", "%s %q", key, value)
		}
	}
	if h.topology == "" || h.flits == 0 || h.cycles == 0 || h.period == 0 {
		return h, "", input.At(file, 0, "expected # topology, # flits, # cycles, # period", "not a timetable")
	}
	return h, form, nil
}

func (t *Timetable) readRow(file string, fields []string, line int) error {
	numbers := make([]int, len(fields)-1)
	for i := range numbers {
		n, err := strconv.Atoi(fields[i])
		if err != nil || n < 0 || n > 1<<30 {
			return input.At(file, line, "expected a number from 0", "%q", fields[i])
		}
		numbers[i] = n
	}
	w := way{start: router.Cycle(numbers[len(numbers)-1]), destination: router.NodeID(numbers[len(numbers)-2])}
	if len(numbers) == 3 {
		w.source = router.NodeID(numbers[0])
	}
	nodes := router.NodeID(t.Topology.Nodes())
	if w.source >= nodes || w.destination >= nodes {
		return input.At(file, line, fmt.Sprintf("expected nodes 0 to %d", nodes-1), "%s", strings.Join(fields, ","))
	}
	end := w.source
	for _, letter := range []byte(fields[len(fields)-1]) {
		p := router.Port(strings.IndexByte(letters, letter))
		if t.lattice != nil {
			p = router.Port(slices.IndexFunc(t.lattice.directions, func(d direction) bool { return d.letter == letter }))
		}
		if p < 0 || t.lattice == nil && int(p) >= 2*len(t.Topology.Dims) {
			return input.At(file, line, "expected a letter of a direction", "%q", letter)
		}
		w.path = append(w.path, p)
		if end = t.step(end, p); end == router.None {
			return input.At(file, line, "expected a route along links", "%s", fields[len(fields)-1])
		}
	}
	if end != w.destination || len(w.path) == 0 {
		return input.At(file, line, fmt.Sprintf("expected one to %d", w.destination), "a route to %d", end)
	}
	t.ways = append(t.ways, w)
	return nil
}

// step follows a port, or on a lattice a direction.
func (t *Timetable) step(from router.NodeID, p router.Port) router.NodeID {
	if t.lattice == nil {
		return t.Topology.Neighbor(from, p)
	}
	to, _ := t.lattice.walk(t.Topology, from, []router.Port{p})
	return to
}
