// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"meshwright/internal/input"
	"meshwright/router"
)

// maxLength bounds a message, in flits.
const maxLength = 1 << 28

// EqualLengths gives every node but the root (router.None: no root) the same length.
func EqualLengths(length, nodes int, root router.NodeID) ([]int, error) {
	if length < 0 || length > maxLength {
		return nil, input.Errorf("expected 0 or more flits", "length %d", length)
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
		return readLengths(file, nodes, root)
	}
	fields := strings.Split(text, ",")
	room := nodes
	if root != router.None {
		room--
	}
	if len(fields) != room {
		want := "expected " + strconv.Itoa(room) + ", one for each node"
		if root != router.None {
			want += " but the root"
		}
		return nil, input.Errorf(want, "%d lengths", len(fields))
	}
	lengths := make([]int, nodes)
	node := 0
	for _, field := range fields {
		if router.NodeID(node) == root {
			node++
		}
		length, fault := parseLength(field)
		if fault != nil {
			return nil, fault
		}
		lengths[node] = length
		node++
	}
	return lengths, nil
}

func parseLength(field string) (int, *input.Error) {
	length, err := strconv.Atoi(strings.TrimSpace(field))
	if err != nil || length < 0 || length > maxLength {
		return 0, input.Errorf("expected 0 or more flits", "length %q", strings.TrimSpace(field))
	}
	return length, nil
}

func readLengths(file string, nodes int, root router.NodeID) ([]int, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fileFault(file, err)
	}
	defer f.Close()
	return scanLengths(f, file, nodes, root)
}

func scanLengths(r io.Reader, file string, nodes int, root router.NodeID) ([]int, error) {
	reader := csv.NewReader(r)
	reader.Comment, reader.FieldsPerRecord, reader.TrimLeadingSpace = '#', -1, true
	lengths, lines := make([]int, nodes), make([]int, nodes)
	for first := true; ; first = false {
		record, err := reader.Read()
		if err == io.EOF {
			return lengths, nil
		}
		if err != nil {
			var fault *csv.ParseError
			if errors.As(err, &fault) {
				return nil, input.At(file, fault.Line, "", "%v", fault.Err)
			}
			return nil, fileFault(file, err)
		}
		line, _ := reader.FieldPos(0)
		if first && strings.TrimSpace(record[0]) == "node" {
			continue
		}
		if err := setLength(record, lengths, lines, file, line, root); err != nil {
			return nil, err
		}
	}
}

func setLength(record []string, lengths, lines []int, file string, line int, root router.NodeID) error {
	if len(record) != 2 {
		return input.At(file, line, "expected node,flits", "%d columns", len(record))
	}
	node, err := strconv.Atoi(strings.TrimSpace(record[0]))
	if err != nil || node < 0 || node >= len(lengths) {
		return input.At(file, line, "expected 0 to "+strconv.Itoa(len(lengths)-1), "%q is not a node", strings.TrimSpace(record[0]))
	}
	length, fault := parseLength(record[1])
	if fault != nil {
		return input.At(file, line, fault.Want, "%s", fault.What)
	}
	switch {
	case router.NodeID(node) == root && length > 0:
		return input.At(file, line, "expected no row for it", "node %d is the root", node)
	case lines[node] != 0:
		return input.At(file, line, "expected one row a node", "node %d has a row already, in line %d", node, lines[node])
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
