// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strconv"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// maxLength bounds a message, in flits.
const maxLength = 1 << 28

var lengthRange = "expected a whole number of flits from 0 to " + strconv.Itoa(maxLength)

// EqualLengths gives every node but the root (router.None: no root) the same length.
func EqualLengths(length, nodes int, root router.NodeID) ([]int, error) {
	if nodes < 0 || nodes > topology.MaxNodes {
		return nil, input.Errorf("expected the nodes of a network", "lengths for %d nodes", nodes)
	}
	if length < 0 || length > maxLength {
		return nil, input.Errorf(lengthRange, "length %d", length)
	}
	lengths := make([]int, nodes)
	for n := range lengths {
		if router.NodeID(n) != root {
			lengths[n] = length
		}
	}
	return lengths, nil
}

// ParseLengths reads "0,0,4,3", the nodes' lengths in rising order with the
// root (router.None: no root) left out, or "@FILE", a CSV of node,flits in
// which nodes without a row have length 0.
func ParseLengths(text string, nodes int, root router.NodeID) ([]int, error) {
	if file, ok := strings.CutPrefix(text, "@"); ok {
		if file == "" {
			return nil, input.Errorf("expected @FILE", "no file name behind @")
		}
		return readLengths(file, nodes, root)
	}
	fields := strings.Split(text, ",")
	room := nodes
	if root != router.None {
		room--
	}
	if len(fields) != room {
		if _, err := strconv.ParseFloat(text, 64); err != nil && len(fields) == 1 && strings.ContainsAny(text, "./") {
			return nil, input.Errorf("did you mean @"+input.Clip(text)+"?", "length %q", input.Clip(text))
		}
		want := "expected " + strconv.Itoa(room) + ", one for each node"
		if root != router.None {
			want += " but the root"
		}
		return nil, input.Errorf(want, "%s", input.Count(len(fields), "length"))
	}
	lengths := make([]int, nodes)
	node := 0
	for _, field := range fields {
		if router.NodeID(node) == root {
			node++
		}
		length, err := parseLength(field)
		if err != nil {
			return nil, input.Errorf(lengthRange, "node %d: length %q", node, strings.TrimSpace(field))
		}
		lengths[node] = length
		node++
	}
	return lengths, nil
}

func parseLength(field string) (int, error) {
	length, err := strconv.Atoi(strings.TrimSpace(field))
	if err != nil || length < 0 || length > maxLength {
		return 0, input.Errorf(lengthRange, "length %q", strings.TrimSpace(field))
	}
	return length, nil
}

func readLengths(file string, nodes int, root router.NodeID) ([]int, error) {
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return scanLengths(text, file, nodes, root)
}

func scanLengths(text []byte, file string, nodes int, root router.NodeID) ([]int, error) {
	const form = "node,flits"
	lengths, lines := make([]int, nodes), make([]int, nodes)
	rows := 0
	err := input.Rows(file, text, form, func(fields []string, line int) error {
		rows++
		return setLength(fields, lengths, lines, line, root)
	})
	if err == nil && rows == 0 {
		err = input.At(file, 0, "expected rows of "+form, "no lengths")
	}
	if err != nil {
		return nil, err
	}
	return lengths, nil
}

func setLength(fields []string, lengths, lines []int, line int, root router.NodeID) error {
	node, err := strconv.Atoi(fields[0])
	if err != nil || node < 0 || node >= len(lengths) {
		return input.Errorf("expected 0 to "+strconv.Itoa(len(lengths)-1), "%q is not a node", fields[0])
	}
	length, err := parseLength(fields[1])
	switch {
	case err != nil:
		return err
	case router.NodeID(node) == root && length > 0:
		return input.Errorf("expected no row for it", "node %d is the root", node)
	case lines[node] != 0:
		return input.Errorf("expected one row a node", "node %d has a row already, in line %d", node, lines[node])
	}
	lengths[node], lines[node] = length, line
	return nil
}

// ParseNodes reads a list of nodes such as "4,5".
func ParseNodes(text string, nodes int) ([]router.NodeID, error) {
	var list []router.NodeID
	for _, field := range strings.Split(text, ",") {
		node, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || node < 0 || node >= nodes {
			return nil, input.Errorf("expected nodes from 0 to "+strconv.Itoa(nodes-1), "%q is not a node", strings.TrimSpace(field))
		}
		list = append(list, router.NodeID(node))
	}
	return list, nil
}
