// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"meshwright/fabric/topology/twisted"
	"meshwright/internal/input"
)

// Parse makes the topology that spec describes, one of Forms. A FILE of a tree
// is a CSV of node,parent, that of a graph a CSV of node,node; a seed is 1 when
// it is left out. Errors are *input.Error.
func Parse(spec string) (*Topology, error) {
	t, err := parseSpec(spec)
	if err != nil {
		if near := Meant(spec); near != "" {
			return nil, input.Errorf("did you mean "+near+"?", "unknown topology %q", input.Clip(spec))
		}
		return nil, err
	}
	t.Spec = spec
	return t, nil
}

func parseSpec(spec string) (*Topology, error) {
	kind, rest, found := strings.Cut(spec, ":")
	if !found && strings.EqualFold(filepath.Ext(spec), ".csv") {
		return nil, input.Errorf(fmt.Sprintf("expected %s:%s for a list of links, or %s:%[2]s for a list of nodes and their parents", Graph, input.Clip(spec), Tree), "topology %q has no kind", input.Clip(spec))
	}
	if !found || rest == "" {
		what := "size"
		if k := Kind(kind); k == Graph || k == Tree {
			what = "file"
		}
		return nil, input.Errorf(wantOf(kind), "topology %q has no %s", spec, what)
	}
	return parseKind(Kind(kind), rest, spec)
}

// mostMeant bounds the nodes and ports of networks that are made to see whether they could be meant.
const mostMeant = 1 << 16

// Meant returns the spec of the network that a text means: mesh:4x4 for mesh:4x4, "Mesh: 4X4", mesh4x4, "mesh 4x4", mesh:4*4 and 4x4; "" if it
// is not clear. It does not know networks of files, nor those of more than some thousands of nodes.
func Meant(spec string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == '*' || r == '×':
			return 'x'
		}
		return unicode.ToLower(r)
	}, spec)
	if plain != "" && unicode.IsDigit(rune(plain[0])) && strings.Contains(plain, "x") {
		plain = string(Mesh) + ":" + plain
	}
	for _, kind := range kinds() {
		sizes, ok := strings.CutPrefix(plain, kind)
		if sizes != "" && strings.ContainsRune(":-=", rune(sizes[0])) {
			sizes = sizes[1:]
		}
		if !ok || sizes == "" || !unicode.IsDigit(rune(sizes[0])) {
			continue
		}
		near := kind + ":" + sizes
		if nodes, ports := SizeOf(near); nodes == 0 || nodes+ports > mostMeant {
			return ""
		}
		if _, err := parseSpec(near); err != nil {
			return ""
		}
		return near
	}
	return ""
}

func parseKind(kind Kind, rest, spec string) (*Topology, error) {
	switch kind {
	case Path, Ring, Hypercube:
		dims, err := parseDims(rest, spec)
		if err != nil {
			return nil, err
		}
		if len(dims) != 1 {
			return nil, input.Errorf(wantOf(string(kind)), "topology %q has %d sizes", spec, len(dims))
		}
		if kind == Hypercube {
			return newHypercube(dims[0], spec)
		}
		return newGrid(kind, dims, kind == Ring), nil
	case Mesh, Torus:
		dims, err := parseDims(rest, spec)
		if err != nil && strings.Contains(rest, ",") {
			if near := Meant(string(kind) + ":" + strings.ReplaceAll(rest, ",", "x")); near != "" {
				return nil, input.Errorf("did you mean "+near+"?", "topology %q: %q is not a size", spec, rest)
			}
		}
		if err != nil {
			return nil, err
		}
		return newGrid(kind, dims, kind == Torus), nil
	case TwistedTorus:
		return parseTwisted(rest, spec)
	case Tree:
		return readTree(rest)
	case Graph:
		return readGraph(rest)
	}
	if t, err := generate(string(kind), rest, spec); t != nil || err != nil {
		return t, err
	}
	want := specForms
	if meant := input.Meant(input.TopologyWord, string(kind), "", kinds()); meant != "" {
		want += "; " + meant
	} else if near := input.Nearest(string(kind), kinds()); near != "" {
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
			kind, _, _ := strings.Cut(spec, ":")
			return nil, input.Errorf(wantOf(kind), "topology %q: %q is not a size", spec, part)
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

// parseTwisted reads AxB or AxB,T. The twist is the shorter side where it is left out.
func parseTwisted(rest, spec string) (*Topology, error) {
	const form = "expected " + string(TwistedTorus) + ":AxB[,T]"
	sides, shift, given := strings.Cut(rest, ",")
	dims, err := parseDims(sides, spec)
	switch {
	case err != nil:
		return nil, err
	case len(dims) != 2:
		return nil, input.Errorf(form, "topology %q has %s", spec, input.Count(len(dims), "size"))
	case min(dims[0], dims[1]) < 2 || max(dims[0], dims[1]) < 3:
		return nil, input.Errorf("expected sides of at least 2 and 3", "topology %q is too small for a twist", spec)
	}
	twist, most := min(dims[0], dims[1]), max(dims[0], dims[1])-1
	if given {
		if twist, err = strconv.Atoi(shift); err != nil {
			return nil, input.Errorf(form, "topology %q: %q is not a twist", spec, shift)
		}
	} else if twist > most {
		return nil, input.Errorf(fmt.Sprintf("%s, with T from 1 to %d", form, most), "topology %q has equal sides and no twist", spec)
	}
	if twist < 1 || twist > most {
		return nil, input.Errorf(fmt.Sprintf("expected 1 to %d", most), "topology %q: twist %d", spec, twist)
	}
	t, err := twisted.New(dims[0], dims[1], twist)
	if err != nil {
		return nil, err
	}
	return newTwisted(t), nil
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
