// SPDX-License-Identifier: Apache-2.0

// Package teccl reads the schedules of TE-CCL (JSON): which chunk crosses which link in which epoch.
//
// The list Flows has a line for each crossing,
//
//	Chunk 0 from 9 traveled over 9->5 with volume 0.5 in epoch 0 via switches 17
//
// and the object Chunk paths has a key for each demand,
//
//	Demand at 0 for chunk 0 from 9 met by epoch 3
//
// A volume is the part of the chunk that crosses, 1 if it is not given. Source of the form:
// microsoft/TE-CCL, teccl/examples/schedules (2024). [Schedule.Check] says whether a
// schedule can be carried out on a network and meets its demands.
package teccl

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/jsontree"
	"meshwright/router"
	"meshwright/schedule"
)

// Flow is one crossing of a link.
type Flow struct {
	Chunk, Source, From, To, Epoch int
	Volume                         float64
	Switches                       string // "": none
	Line                           int
}

// String is the flow in few words.
func (f *Flow) String() string {
	return fmt.Sprintf("chunk %d of %d over %d>%d in epoch %d (line %d)", f.Chunk, f.Source, f.From, f.To, f.Epoch, f.Line)
}

// Demand is a chunk that a node must have in the end.
type Demand struct {
	Node, Chunk, Source, Epoch int
	Line                       int
}

// Schedule is a file.
type Schedule struct {
	File    string
	Epochs  int
	Flows   []Flow // by epoch
	Demands []Demand
}

// The bounds of a file.
const (
	maxNumber = 1 << 20
	maxFlows  = 1 << 22
)

var (
	flowForm   = regexp.MustCompile(`^Chunk (\d+) from (\d+) traveled over (\d+)->(\d+)(?: with volume ([0-9.eE+-]+))? in epoch (\d+)(?: via switches ([0-9, >-]+))?$`)
	demandForm = regexp.MustCompile(`^Demand at (\d+) for chunk (\d+) from (\d+) met by epoch (\d+)$`)
)

// Parse reads a schedule; file is for errors, which are *input.Error.
func Parse(file string, text []byte) (*Schedule, error) {
	v, err := jsontree.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if v.Field("1-Epoch_Duration") == nil {
		return nil, v.Fault("expected a schedule of TE-CCL, an execution plan of MSCCL++, or a list of events of a chip's network", "%s of another form", v.Kind)
	}
	s := &Schedule{File: file}
	if s.Epochs, err = v.Int("3-Epochs_Required", 0, maxNumber); err != nil {
		return nil, err
	}
	flows, err := numbered(v, "Flows", jsontree.List)
	if err != nil {
		return nil, err
	}
	if len(flows.Items) == 0 || len(flows.Items) > maxFlows {
		return nil, flows.Fault(fmt.Sprintf("expected 1 to %d", maxFlows), "%d flows", len(flows.Items))
	}
	for i := range flows.Items {
		f, err := readFlow(&flows.Items[i])
		if err != nil {
			return nil, err
		}
		s.Flows = append(s.Flows, f)
	}
	slices.SortStableFunc(s.Flows, func(a, b Flow) int { return a.Epoch - b.Epoch })
	paths, err := numbered(v, "Chunk paths", jsontree.Object)
	if err != nil {
		return nil, err
	}
	for i := range paths.Fields {
		numbers, err := match(demandForm, paths.Fields[i].Name, &paths.Fields[i].Value, "Demand at 0 for chunk 0 from 9 met by epoch 3")
		if err != nil {
			return nil, err
		}
		s.Demands = append(s.Demands, Demand{numbers[0], numbers[1], numbers[2], numbers[3], paths.Fields[i].Value.Line})
	}
	return s, nil
}

// numbered returns the field of a name behind a number and a hyphen: the number differs between files.
func numbered(v *jsontree.Value, name string, kind jsontree.Kind) (*jsontree.Value, error) {
	for i := range v.Fields {
		if _, behind, ok := strings.Cut(v.Fields[i].Name, "-"); ok && behind == name {
			return v.Need(v.Fields[i].Name, kind)
		}
	}
	return nil, v.Fault(fmt.Sprintf("expected %s", kind), "no field %q behind a number", name)
}

// match returns the numbers of a text; an optional one that is missing is -1.
func match(form *regexp.Regexp, text string, at *jsontree.Value, example string) ([]int, error) {
	parts := form.FindStringSubmatch(text)
	if parts == nil {
		return nil, at.Fault("expected a text such as "+strconv.Quote(example), "%q", input.Clip(text))
	}
	numbers := make([]int, 0, len(parts)-1)
	for _, part := range parts[1:] {
		n, err := strconv.Atoi(part)
		if err != nil {
			n = -1
		}
		if n > maxNumber {
			return nil, at.Fault(fmt.Sprintf("expected at most %d", maxNumber), "%d in %q", n, input.Clip(text))
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

func readFlow(v *jsontree.Value) (Flow, error) {
	const example = "Chunk 0 from 9 traveled over 9->5 in epoch 0"
	n, err := match(flowForm, v.Text, v, example)
	if err != nil {
		return Flow{}, err
	}
	parts := flowForm.FindStringSubmatch(v.Text)
	f := Flow{Chunk: n[0], Source: n[1], From: n[2], To: n[3], Epoch: n[5], Volume: 1, Switches: parts[7], Line: v.Line}
	for _, k := range []int{f.Chunk, f.Source, f.From, f.To, f.Epoch} {
		if k < 0 {
			return f, v.Fault(fmt.Sprintf("expected at most %d", maxNumber), "a larger number in %q", input.Clip(v.Text))
		}
	}
	if parts[5] != "" {
		if f.Volume, err = strconv.ParseFloat(parts[5], 64); err != nil || !(f.Volume > 0 && f.Volume <= maxNumber) {
			return f, v.Fault("expected a volume above 0", "volume %s", input.Clip(parts[5]))
		}
	}
	return f, nil
}

// Finding is what is wrong with a schedule on a network.
type Finding struct {
	What  string // the first, with its line
	Count int    // flows or demands with the same fault
}

// Check returns what is wrong with a schedule on a network: links that it does not have, chunks that are sent before
// they are there, demands that are not met. The error, an *input.Error, is that of a network that the schedule cannot be judged on.
func (s *Schedule) Check(t *topology.Topology) ([]Finding, error) {
	for i := range s.Flows {
		f := &s.Flows[i]
		if f.Switches != "" {
			return nil, input.At(s.File, f.Line, "expected flows between neighbours: no topology here has switches", "%s goes via switches %s", f, f.Switches)
		}
		for _, node := range []int{f.From, f.To, f.Source} {
			if node >= t.Nodes() {
				return nil, input.At(s.File, f.Line, fmt.Sprintf("expected 0 to %d, the nodes of %s", t.Nodes()-1, t), "node %d", node)
			}
		}
	}
	var list []Finding
	for _, f := range []Finding{s.links(t), s.order(), s.demands()} {
		if f.Count > 0 {
			list = append(list, f)
		}
	}
	return list, nil
}

// links finds the flows over links that the network does not have.
func (s *Schedule) links(t *topology.Topology) Finding {
	var found Finding
	var names []string
	for i := range s.Flows {
		f := &s.Flows[i]
		if _, ok := t.PortTo(router.NodeID(f.From), router.NodeID(f.To)); ok && f.From != f.To {
			continue
		}
		if found.Count++; found.Count == 1 {
			found.What = f.String()
		}
		if name := fmt.Sprintf("%d>%d", f.From, f.To); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if found.Count > 0 {
		slices.Sort(names)
		const most = 12
		list := strings.Join(names[:min(most, len(names))], " ")
		if more := len(names) - most; more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		found.What = fmt.Sprintf("%d of %d flows use %s that %s does not have: %s; the first is %s", found.Count, len(s.Flows), input.Count(len(names), "link"), t, list, found.What)
	}
	return found
}

// holding is a chunk at a node.
type holding struct{ node, chunk, source int }

// order finds flows of a chunk that is not at the sender yet. What crosses in an epoch is at the receiver in the next.
func (s *Schedule) order() Finding {
	var found Finding
	held := map[holding]float64{}
	arrived := 0 // flows that are at their receivers
	for i := range s.Flows {
		f := &s.Flows[i]
		for ; s.Flows[arrived].Epoch < f.Epoch; arrived++ {
			a := &s.Flows[arrived]
			held[holding{a.To, a.Chunk, a.Source}] += a.Volume
		}
		if f.From == f.Source || held[holding{f.From, f.Chunk, f.Source}] >= f.Volume-slack {
			continue
		}
		if found.Count++; found.Count == 1 {
			found.What = fmt.Sprintf("%s: node %d has not got that chunk yet", f, f.From)
		}
	}
	return found.counted("flow")
}

// slack is the rounding of volumes.
const slack = 1e-6

// demands finds demands that are not met at the end.
func (s *Schedule) demands() Finding {
	held := map[holding]float64{}
	for i := range s.Flows {
		f := &s.Flows[i]
		held[holding{f.To, f.Chunk, f.Source}] += f.Volume
	}
	var found Finding
	for _, d := range s.Demands {
		if d.Node == d.Source || held[holding{d.Node, d.Chunk, d.Source}] >= 1-slack {
			continue
		}
		if found.Count++; found.Count == 1 {
			found.What = fmt.Sprintf("node %d never gets all of chunk %d of %d, which it demands (line %d)", d.Node, d.Chunk, d.Source, d.Line)
		}
	}
	return found.counted("demand")
}

// counted adds how many others have the same fault.
func (f Finding) counted(what string) Finding {
	if f.Count > 1 {
		f.What += "; " + input.Count(f.Count-1, "other "+what) + " likewise"
	}
	return f
}

// Messages returns the flows as messages over one link each. A chunk has so many flits, and epoch e begins in
// cycle first+e·period.
func (s *Schedule) Messages(flits int, first, period router.Cycle) (*schedule.Schedule, error) {
	out := &schedule.Schedule{File: s.File}
	for i := range s.Flows {
		f := &s.Flows[i]
		length := math.Ceil(f.Volume*float64(flits) - slack)
		if length > schedule.MaxFlits {
			return nil, input.At(s.File, f.Line, fmt.Sprintf("expected at most %d flits", schedule.MaxFlits), "volume %g of a chunk of %d flits", f.Volume, flits)
		}
		out.Rows = append(out.Rows, schedule.Row{
			Message: int32(i + 1), Source: router.NodeID(f.From), Destination: router.NodeID(f.To), Flits: max(1, int(length)),
			Dispatch: first + router.Cycle(f.Epoch)*period, Route: []router.NodeID{router.NodeID(f.From), router.NodeID(f.To)}, Line: f.Line,
		})
	}
	return out, nil
}
