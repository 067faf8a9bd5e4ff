// SPDX-License-Identifier: Apache-2.0

package loader

import (
	"fmt"
	"strconv"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
)

// Placement says which file each node has.
type Placement struct {
	Files []string // each named once, in the order of the arguments
	Of    []int32  // by node: index in Files, none: no file
}

// none is the file of a node that has none.
const none = -1

// Place reads arguments such as 0=root.s, 1-3,7=leaf.s and *=other.s. A file
// without nodes before it, and *, is for all nodes that no other argument
// names. The errors are *input.Error at flag.
func Place(flag string, arguments []string, nodes int) (*Placement, error) {
	if nodes < 0 || nodes > topology.MaxNodes {
		return nil, input.At(flag, 0, "expected the nodes of a network", "%d nodes", nodes)
	}
	p := &Placement{Of: make([]int32, nodes)}
	for n := range p.Of {
		p.Of[n] = none
	}
	rest := int32(none)
	for _, argument := range arguments {
		set, file := splitArgument(argument)
		if file == "" {
			return nil, input.At(flag, 0, "expected NODES=FILE", "no file in %q", input.Clip(argument))
		}
		k := p.file(file)
		if set == "*" {
			if rest != none {
				return nil, input.At(flag, 0, "expected one file for all other nodes", "%s and %s", p.Files[rest], file)
			}
			rest = k
			continue
		}
		if err := p.give(set, k); err != nil {
			return nil, input.Locate(err, flag, 0)
		}
	}
	for n := range p.Of {
		if p.Of[n] == none {
			p.Of[n] = rest
		}
	}
	return p, nil
}

// splitArgument takes NODES=FILE apart; without nodes they are *. What stands
// before an = is part of the file's name unless it looks like nodes.
func splitArgument(text string) (set, file string) {
	set, file, ok := strings.Cut(text, "=")
	if !ok || strings.Trim(set, "0123456789-,* ") != "" || set == "" {
		return "*", text
	}
	return strings.TrimSpace(set), file
}

// FileOf returns the file that an argument of Place names.
func FileOf(argument string) string {
	_, file := splitArgument(argument)
	return file
}

// file returns the index of a file.
func (p *Placement) file(name string) int32 {
	for k, known := range p.Files {
		if known == name {
			return int32(k)
		}
	}
	p.Files = append(p.Files, name)
	return int32(len(p.Files) - 1)
}

// give gives a file to a set of nodes.
func (p *Placement) give(set string, file int32) error {
	for _, field := range strings.Split(set, ",") {
		from, to, err := parseRange(strings.TrimSpace(field), len(p.Of))
		if err != nil {
			return err
		}
		for n := from; n <= to; n++ {
			if k := p.Of[n]; k != none {
				return input.Errorf("expected each node once", "node %d has %s and %s", n, p.Files[k], p.Files[file])
			}
			p.Of[n] = file
		}
	}
	return nil
}

// someNodes is an example of a set of nodes.
func someNodes(nodes int) string {
	switch {
	case nodes < 2:
		return "0"
	case nodes < 4:
		return "0," + strconv.Itoa(nodes-1)
	}
	return "0,2-" + strconv.Itoa(nodes-1)
}

// parseRange reads 3 or 3-7.
func parseRange(field string, nodes int) (from, to int, err error) {
	low, high, isRange := strings.Cut(field, "-")
	if !isRange {
		high = low
	}
	from, errFrom := strconv.Atoi(low)
	to, errTo := strconv.Atoi(high)
	if errFrom != nil || errTo != nil || from < 0 || to >= nodes || from > to {
		want := fmt.Sprintf("expected nodes from 0 to %d, such as %s, or * for all others", nodes-1, someNodes(nodes))
		if errFrom == nil && errTo == nil && 0 <= from && from <= to { // programs of a larger network
			return 0, 0, input.Errorf(want, "nodes %q: no node %d in a network of %s", input.Clip(field), to, input.Count(nodes, "node"))
		}
		return 0, 0, input.Errorf(want, "nodes %q", input.Clip(field))
	}
	return from, to, nil
}
