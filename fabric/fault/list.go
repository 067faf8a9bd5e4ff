// SPDX-License-Identifier: Apache-2.0

// Package fault says what goes wrong in a network: nodes and links that are
// dead, messages that links lose, and bits that links and buffers flip.
//
// A [List] comes from specs such as "random:3", "drop:0.01" or "faults.csv". It
// knows no network. [List.On] checks it against one and draws the random faults;
// the result answers what happens to a flit on a link in a cycle. All draws are
// functions of the seed, the link and the cycle, so nothing depends on the order
// in which links are asked.
package fault

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"meshwright/internal/confine"
	"meshwright/internal/input"
	"meshwright/router"
)

// Kind says what goes wrong.
type Kind string

// The kinds of faults.
const (
	Node Kind = "node" // a node and all its links are dead
	Link Kind = "link" // a link is dead: the messages whose heads cross it are lost
	Drop Kind = "drop" // the message whose head crosses a link in one cycle is lost
	Flip Kind = "flip" // a payload bit of the flit that crosses a link in one cycle is inverted

	// A bit of the flit that crosses a link in one cycle is inverted in the buffer behind the link.
	Upset Kind = "upset"
)

// Never is the end of a fault that lasts for good.
const Never = router.Cycle(math.MaxInt64)

// Fault is a fault of a node, or of a directed link, in the cycles Start to End-1.
type Fault struct {
	Kind       Kind
	From, To   router.NodeID // the ends of the link; of a node both are the node
	Start, End router.Cycle  // in cycles of the machine, not ticks
	Bit        int           // of a flip or upset, 0 is the lowest

	file string // where it stands, "" when it was drawn
	line int
}

// Random is a number of faults to draw: dead from cycle 0 on.
type Random struct {
	Count        int
	Nodes, Links bool // among what
}

// Rate is the part of the flits that are struck, and how many different bits flip in each of them.
type Rate struct {
	Part float64
	Bits int // at least 1, unless the part is 0
}

// List is the faults of a machine; it is read-only once made.
type List struct {
	Faults  []Fault
	Random  []Random
	Drop    float64 // part of the heads that a link loses, with their messages
	Corrupt []Rate  // of the flits of which a link flips bits, each drawn by itself
	Upset   []Rate  // of the flits of which a buffer flips bits
	Seed    uint64
	Known   bool     // plans avoid what is dead from cycle 0 on for good
	Specs   []string // the list as the user wrote it
}

// DefaultSeed is the seed of a list that names none.
const DefaultSeed = 1

// Forms says how a list is written.
const Forms = "FILE (CSV fault,where,from,to,bit), node:N, link:U-V, random:K[,nodes|links], drop:RATE, corrupt:RATE[,BITS], upset:RATE[,BITS], seed:S, known, none"

// known is the spec by which plans know the faults, and None the list without faults.
const (
	known = "known"
	None  = "none"
)

// Parse reads a list; nil when there are no specs, or None. A seed among the specs comes
// before the seed that is given. Its errors are *input.Error.
func Parse(specs []string, seed uint64) (*List, error) {
	if len(specs) == 0 || len(specs) == 1 && strings.TrimSpace(specs[0]) == None {
		return nil, nil
	}
	l := &List{Seed: seed, Specs: specs}
	for _, spec := range specs {
		if err := l.add(strings.TrimSpace(spec)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// add reads one spec.
func (l *List) add(spec string) (err error) {
	form, value, _ := strings.Cut(spec, ":")
	if spec == known {
		l.Known = true
		return nil
	}
	if spec == None {
		return input.Errorf("expected faults, or "+None+" alone", "%q among other faults", spec)
	}
	switch form {
	case string(Node), string(Link):
		err = l.addDead(form, value)
	case "random":
		return l.addRandom(spec, value)
	case "drop":
		err = l.addDrop(spec, value)
	case "corrupt":
		l.Corrupt, err = addRate(l.Corrupt, spec, value)
	case "upset":
		l.Upset, err = addRate(l.Upset, spec, value)
	case "seed":
		err = l.setSeed(spec, value)
	default:
		return meant(spec, l.addFile(spec))
	}
	return err
}

// addDead adds a node or a link that is dead from cycle 0 on, as a row of a file without times does.
func (l *List) addDead(kind, where string) error {
	var r rows
	err := r.add(kind, where, "", "", "")
	l.Faults = append(l.Faults, r.faults...)
	return err
}

// setSeed reads the seed of the draws, of which a list has one.
func (l *List) setSeed(spec, value string) (err error) {
	if i := slices.IndexFunc(l.Specs, func(s string) bool { return strings.HasPrefix(s, "seed:") && s != spec }); i >= 0 {
		return input.Errorf("expected one seed", "%q and %q", input.Clip(spec), input.Clip(l.Specs[i]))
	}
	if l.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
		return input.Errorf("expected seed:S, a whole number", "%q", input.Clip(spec))
	}
	return nil
}

// forms are how specs begin that name no file.
var forms = [...]string{string(Node), string(Link), "random", "drop", "corrupt", "upset", "seed", known, None}

// meant adds to the error of a file that is not there the spec that its name resembles.
func meant(spec string, err error) error {
	if _, missing := confine.Stat(spec); err == nil || spec == input.Stdin || missing == nil {
		return err
	}
	form, value := spec, ""
	if at := strings.IndexAny(spec, ":="); at >= 0 {
		form, value = spec[:at], ":"+spec[at+1:]
	}
	if new(rows).add(string(Link), spec, "", "", "") == nil {
		return input.Errorf("did you mean "+string(Link)+":"+spec+"?", "unknown fault %q", input.Clip(spec))
	}
	near := input.Nearest(form, forms[:])
	if near == "" || value == "" && near != known {
		return err
	}
	return input.Errorf("did you mean "+near+value+"?", "unknown fault %q", input.Clip(spec))
}

// maxRandom bounds the faults that are drawn.
const maxRandom = 1 << 20

func (l *List) addRandom(spec, value string) error {
	number, among, limited := strings.Cut(value, ",")
	count, err := strconv.Atoi(number)
	if err != nil || count < 0 || count > maxRandom || limited && among != "nodes" && among != "links" {
		return input.Errorf("expected random:K, random:K,nodes or random:K,links", "%q", input.Clip(spec))
	}
	l.Random = append(l.Random, Random{Count: count, Nodes: among != "links", Links: among != "nodes"})
	return nil
}

// rate reads a part of all heads or flits.
func rate(spec, value string) (float64, error) {
	r, err := strconv.ParseFloat(value, 64)
	if err != nil || !(r >= 0 && r <= 1) { // a NaN is neither
		return 0, input.Errorf("expected a rate from 0 to 1", "%q", input.Clip(spec))
	}
	return r, nil
}

// addDrop reads a part of all heads. A head that several rates speak of is lost if any of them drops it.
func (l *List) addDrop(spec, value string) error {
	r, err := rate(spec, value)
	if l.Drop > 0 {
		r = 1 - (1-l.Drop)*(1-r)
	}
	l.Drop = r
	return err
}

// maxFlipped bounds the bits that flip in a flit, each of which takes a draw.
const maxFlipped = 16

// addRate reads a part of all flits, and how many bits flip in each.
func addRate(list []Rate, spec, value string) ([]Rate, error) {
	part, text, several := strings.Cut(value, ",")
	bits := 1
	if several {
		var err error
		if bits, err = strconv.Atoi(text); err != nil || bits < 1 || bits > maxFlipped {
			return nil, input.Errorf(fmt.Sprintf("expected a rate from 0 to 1, and 1 to %d bits behind a comma", maxFlipped), "%q", input.Clip(spec))
		}
	}
	r, err := rate(spec, part)
	return append(list, Rate{r, bits}), err
}

// String writes a rate as in a spec.
func (r Rate) String() string {
	text := strconv.FormatFloat(r.Part, 'g', -1, 64)
	if r.Bits > 1 {
		text += "," + strconv.Itoa(r.Bits)
	}
	return text
}

// WithoutUpsets returns the list without what goes wrong in buffers.
func (l *List) WithoutUpsets() *List {
	if l == nil {
		return nil
	}
	rest := *l
	rest.Upset = nil
	rest.Faults = slices.DeleteFunc(slices.Clone(l.Faults), func(f Fault) bool { return f.Kind == Upset })
	return &rest
}

// String returns the specs of the list, and its seed if they do not name it; ""
// of no list.
func (l *List) String() string {
	if l == nil {
		return ""
	}
	text := strings.Join(l.Specs, " ")
	if l.Seed != DefaultSeed && !strings.Contains(text, "seed:") {
		text += " seed:" + strconv.FormatUint(l.Seed, 10)
	}
	return text
}

// IsFile reports whether a spec names a file.
func IsFile(spec string) bool {
	form, _, _ := strings.Cut(spec, ":")
	return !slices.Contains(forms[:], form)
}
