// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// Parse makes the topology that spec describes, one of Forms. A FILE of a tree
// is a CSV of node,parent, that of a graph a CSV of node,node; a seed is 1 when
// it is left out. Errors are *input.Error.
func Parse(spec string) (*Topology, error) {
	kind, rest, found := strings.Cut(spec, ":")
	if !found || rest == "" {
		return nil, input.Errorf(specForms, "topology %q has no size", spec)
	}
	t, err := parseKind(Kind(kind), rest, spec)
	if err != nil {
		return nil, err
	}
	t.Spec = spec
	return t, nil
}

func parseKind(kind Kind, rest, spec string) (*Topology, error) {
	switch kind {
	case Path, Ring, Hypercube:
		dims, err := parseDims(rest, spec)
		if err != nil {
			return nil, err
		}
		if len(dims) != 1 {
			return nil, input.Errorf("expected "+string(kind)+":N", "topology %q has %d sizes", spec, len(dims))
		}
		if kind == Hypercube {
			return newHypercube(dims[0], spec)
		}
		return newGrid(kind, dims, kind == Ring), nil
	case Mesh, Torus:
		dims, err := parseDims(rest, spec)
		if err != nil {
			return nil, err
		}
		return newGrid(kind, dims, kind == Torus), nil
	case Tree:
		return readTree(rest)
	case Graph:
		return readGraph(rest)
	}
	if t, err := generate(string(kind), rest, spec); t != nil || err != nil {
		return t, err
	}
	want := specForms
	if near := input.Nearest(string(kind), kinds()); near != "" {
		want += "; did you mean " + near + "?"
	}
	return nil, input.Errorf(want, "unknown topology %q", string(kind))
}

// parseDims reads AxBxC: sizes of at least 1 whose product stays in bounds.
func parseDims(text, spec string) ([]int, error) {
	var dims []int
	nodes := 1
	for _, part := range strings.Split(text, "x") {
		size, err := strconv.Atoi(part)
		if err != nil {
			if strings.Trim(text, "x") == "" {
				part = text
			}
			return nil, input.Errorf(specForms, "topology %q: %q is not a size", spec, part)
		}
		if size < 1 {
			return nil, input.Errorf("expected at least 1", "topology %q: size %d", spec, size)
		}
		if size > MaxNodes || nodes*size > MaxNodes {
			return nil, input.Errorf("expected at most "+strconv.Itoa(MaxNodes)+" nodes", "topology %q is too large", spec)
		}
		nodes *= size
		dims = append(dims, size)
	}
	return dims, nil
}

// newHypercube is a mesh of d dimensions with two nodes each.
func newHypercube(d int, spec string) (*Topology, error) {
	if d > 22 {
		return nil, input.Errorf("expected at most 22 dimensions", "topology %q is too large", spec)
	}
	dims := make([]int, d)
	for i := range dims {
		dims[i] = 2
	}
	return newGrid(Hypercube, dims, false), nil
}
