// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Pattern says where packets go.
type Pattern interface {
	// Sources returns the nodes that send, in rising order; nil: all nodes.
	Sources() []router.NodeID
	// Destination draws the destination of a packet of a node that sends.
	Destination(from router.NodeID, rng *rand.Rand) router.NodeID
}

// PatternForm is a pattern as users name it.
type PatternForm struct {
	Name      string // the word before the colon
	Arguments string // what stands behind it, "" if nothing
	About     string // one line
}

// String is the form, "permutation:FILE".
func (f PatternForm) String() string {
	if f.Arguments == "" {
		return f.Name
	}
	return f.Name + ":" + f.Arguments
}

// forms is the one list of what ParsePattern understands.
var forms = []PatternForm{
	{"uniform", "", "every other node is as likely"},
	{"transpose", "", "(x,y) to (y,x): the first half of the coordinates and the second change places"},
	{"bitcomp", "", "bit complement: node b to node ~b"},
	{"bitrev", "", "bit reverse: the bits of the node's number in reverse order"},
	{"shuffle", "", "the bits of the node's number, rotated left by one"},
	{"tornado", "", "ceil(k/2)-1 further in each dimension of k nodes, round the end"},
	{"neighbor", "", "one further in each dimension, round the end"},
	{"hotspot", "NODE[,NODE..][@SHARE]", "a share of the packets (default 1) to these nodes, the rest uniform"},
	{"permutation", fileArgument, "each node to one other, a CSV file: source,destination"},
	{"matrix", fileArgument, "each node to others by weights, a CSV file: source,destination,weight"},
	{traceName, fileArgument, "no pattern, but a list of packets, a CSV file: cycle,source,destination,flits"},
}

// fileArgument is the argument of patterns that are files.
const fileArgument = "FILE"

// traceName names a list of packets in place of a pattern.
const traceName = "trace"

// TraceFile returns the file of a spec that names a trace in place of a pattern.
func TraceFile(spec string) (file string, ok bool) { return strings.CutPrefix(spec, traceName+":") }

// PatternFile returns the file of a spec that names one: a permutation, a matrix or a trace.
func PatternFile(spec string) (file string, ok bool) {
	name, file, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(forms, func(f PatternForm) bool { return f.Name == name && f.Arguments == fileArgument })
	if i < 0 {
		return "", false
	}
	return file, true
}

// Patterns returns all forms, in the order of the documentation.
func Patterns() []PatternForm { return append([]PatternForm(nil), forms...) }

// PatternForms lists the forms that ParsePattern accepts, for help texts.
func PatternForms() string {
	texts := make([]string, len(forms))
	for i, f := range forms {
		texts[i] = f.String()
	}
	return strings.Join(texts, " ")
}

// sized is a pattern of a network of a certain size.
type sized interface{ nodes() int }

// validPattern refuses a pattern of another network, and one in which no node sends.
func validPattern(p Pattern, t *topology.Topology) error {
	if s, ok := p.(sized); ok && s.nodes() != t.Nodes() {
		return input.Errorf("expected a pattern of this network", "a pattern of %s on %s with %s",
			input.Count(s.nodes(), "node"), t, input.Count(t.Nodes(), "node"))
	}
	sources := p.Sources()
	if sources != nil && len(sources) == 0 {
		return input.Errorf("expected a pattern in which at least one node sends", "a pattern without a source")
	}
	for _, n := range sources {
		if err := t.ValidNode("source", n); err != nil {
			return err
		}
	}
	return nil
}

// ParsePattern makes the pattern that spec describes on a network of at least two nodes; a trace is none, see TraceFile. Its errors are *input.Error.
func ParsePattern(spec string, t *topology.Topology) (Pattern, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	if t.Nodes() < 2 {
		return nil, input.Errorf("expected at least 2", "traffic among %s", input.Count(t.Nodes(), "node"))
	}
	name, argument, given := strings.Cut(spec, ":")
	if _, ok := TraceFile(spec); ok {
		return nil, input.Errorf("expected a pattern", "%q is a list of packets", input.Clip(spec))
	}
	switch name {
	case "hotspot":
		return parseHotspot(argument, t.Nodes())
	case "permutation":
		return readPermutation(argument, t.Nodes())
	case "matrix":
		return readMatrix(argument, t.Nodes())
	}
	if given && slices.Contains(plainNames(), name) {
		return nil, input.Errorf("expected "+name+" alone", "pattern %q", input.Clip(spec))
	}
	if name == "uniform" {
		return uniform(t.Nodes()), nil
	}
	to, err := mapping(name, t)
	if err != nil {
		return nil, err
	}
	if to == nil {
		return nil, unknownPattern(spec)
	}
	return newPermutation(t.Nodes(), to)
}

func unknownPattern(spec string) error {
	want := "expected " + PatternForms()
	name, _, _ := strings.Cut(spec, ":")
	var names []string
	for _, f := range forms {
		names = append(names, f.Name)
	}
	if meant := input.Meant(input.PatternWord, name, "", names); meant != "" {
		want += "; " + meant
	} else if near := input.Nearest(name, names); near != "" {
		want += "; did you mean " + near + "?"
	}
	return input.Errorf(want, "unknown pattern %q", input.Clip(spec))
}

// plainNames are the patterns without an argument.
func plainNames() []string {
	var names []string
	for _, f := range forms {
		if f.Arguments == "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// uniform is uniform traffic among so many nodes.
type uniform int

func (uniform) Sources() []router.NodeID { return nil }

func (u uniform) nodes() int { return int(u) }

func (u uniform) Destination(from router.NodeID, rng *rand.Rand) router.NodeID {
	to := router.NodeID(rng.IntN(int(u) - 1))
	if to >= from {
		to++
	}
	return to
}

// hotspot is uniform traffic, except for a share of the packets.
type hotspot struct {
	rest  others
	hot   []router.NodeID
	share float64
}

// others is uniform traffic, among all nodes or some.
type others interface {
	Pattern
	sized
}

func (h hotspot) Sources() []router.NodeID { return h.rest.Sources() }

func (h hotspot) nodes() int { return h.rest.nodes() }

// Destination draws uniformly where a hot node would send to itself.
func (h hotspot) Destination(from router.NodeID, rng *rand.Rand) router.NodeID {
	if rng.Float64() < h.share {
		if to := h.hot[rng.IntN(len(h.hot))]; to != from {
			return to
		}
	}
	return h.rest.Destination(from, rng)
}

const hotspotForm = "expected hotspot:NODE[,NODE..][@SHARE]"

func parseHotspot(argument string, nodes int) (Pattern, error) {
	h := hotspot{rest: uniform(nodes), share: 1}
	list, share, given := strings.Cut(argument, "@")
	if given {
		var err error
		if h.share, err = strconv.ParseFloat(share, 64); err != nil || !(h.share > 0 && h.share <= 1) {
			return nil, input.Errorf("expected more than 0, at most 1", "a hotspot's share of %q", input.Clip(share))
		}
	}
	switch {
	case list == "":
		return nil, input.Errorf(hotspotForm, "a hotspot without a node")
	case strings.HasPrefix(list, "("):
		return nil, input.Errorf("expected numbers of nodes: (x,y) of mesh:8x8 is node 8*y + x", "a hotspot at %q", input.Clip(list))
	}
	for _, text := range strings.Split(list, ",") {
		node, err := parseNode(text, nodes)
		if err != nil {
			return nil, err
		}
		if slices.Contains(h.hot, node) {
			return nil, input.Errorf("expected each node once", "hotspot %d twice", node)
		}
		h.hot = append(h.hot, node)
	}
	return h, nil
}

// parseNode reads the number of a node.
func parseNode(text string, nodes int) (router.NodeID, error) {
	node, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || node < 0 || node >= nodes {
		return 0, input.Errorf("expected 0 to "+strconv.Itoa(nodes-1), "%q is not a node", input.Clip(text))
	}
	return router.NodeID(node), nil
}
