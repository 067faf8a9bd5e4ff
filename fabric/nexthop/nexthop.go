// SPDX-License-Identifier: Apache-2.0

// Package nexthop reads routing tables of users: of each node the neighbour to which it sends messages for each other node.
//
//	node,destination,next
//	0,1,1
//	0,2,1
//	1,0,0
//	...
//
// A [Table] knows no network. [Table.On] checks it against one.
package nexthop

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Columns names the columns of a file.
const Columns = "node,destination,next"

// MaxNodes bounds the nodes of a network with such a table.
const MaxNodes = 4096

// Table is the rows of a file; it is read-only once made.
type Table struct {
	File string // as the user named it
	rows []row
	last int // line of the last row

	lock  sync.Mutex
	bound map[*topology.Topology]result // what On has found
}

// row is a row of the file.
type row struct {
	node, destination, next int16
	line                    int32
}

// result is an answer of On.
type result struct {
	table *router.Table
	err   error
}

// mostBound bounds the networks of which a table keeps the answers.
const mostBound = 8

// Read reads a file. Its errors are *input.Error.
func Read(file string) (*Table, error) {
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, text)
}

// Parse reads the text of a file; file is for errors, which are *input.Error.
func Parse(file string, text []byte) (*Table, error) {
	t := &Table{File: file, bound: map[*topology.Topology]result{}}
	err := input.Rows(file, text, Columns, func(fields []string, line int) error {
		var nodes [3]int16
		for i, field := range fields {
			n, err := strconv.Atoi(field)
			if err != nil || n < 0 || n >= MaxNodes {
				return input.Errorf("expected a node number from 0 to "+strconv.Itoa(MaxNodes-1), "%q is not a node", input.Clip(field))
			}
			nodes[i] = int16(n)
		}
		if nodes[0] == nodes[1] {
			return input.Errorf("expected two nodes", "node %d is its own destination", nodes[0])
		}
		t.rows, t.last = append(t.rows, row{nodes[0], nodes[1], nodes[2], int32(line)}), line
		return nil
	})
	if err == nil && len(t.rows) == 0 {
		err = input.At(file, 0, "expected rows of "+Columns, "no rows")
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// On returns the table of the chips of a network. The error, an *input.Error, names the row that is wrong: a node that the network does not
// have, a next one that is no neighbour, a pair of nodes with two rows or none, or a route that never arrives.
func (t *Table) On(at *topology.Topology) (*router.Table, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	r, ok := t.bound[at]
	if !ok {
		r.table, r.err = t.fit(at)
		if len(t.bound) >= mostBound {
			clear(t.bound)
		}
		t.bound[at] = r
	}
	return r.table, r.err
}

// fit is On without memory.
func (t *Table) fit(at *topology.Topology) (*router.Table, error) {
	if err := at.Valid(); err != nil {
		return nil, err
	}
	nodes := at.Nodes()
	if nodes > MaxNodes {
		return nil, input.At(t.File, 0, fmt.Sprintf("expected at most %d nodes", MaxNodes), "a routing table for %s with %d nodes", at, nodes)
	}
	table := router.NewTable(nodes)
	of := make([]int32, nodes*nodes) // by pair: its row, counted from 1
	for i := range t.rows {
		r := &t.rows[i]
		port, err := r.port(at)
		if err != nil {
			return nil, input.Locate(err, t.File, int(r.line))
		}
		pair := &of[int(r.node)*nodes+int(r.destination)]
		if *pair != 0 {
			return nil, input.At(t.File, int(r.line), "expected one row for each pair", "node %d has a row for destination %d already, in line %d", r.node, r.destination, t.rows[*pair-1].line)
		}
		*pair = int32(i + 1)
		table.Set(router.NodeID(r.node), router.NodeID(r.destination), port)
	}
	for pair, i := range of {
		if i == 0 && pair/nodes != pair%nodes {
			return nil, input.At(t.File, t.last, "expected one row for each pair of nodes", "the table ends without a row for node %d and destination %d", pair/nodes, pair%nodes)
		}
	}
	return table, t.arrives(nodes, of)
}

// port returns the port by which a row leads to the next node.
func (r *row) port(at *topology.Topology) (router.Port, error) {
	for _, n := range []int16{r.node, r.destination, r.next} {
		if !at.Has(router.NodeID(n)) {
			return 0, input.Errorf("expected 0 to "+strconv.Itoa(at.Nodes()-1), "node %d is not a node of %s", n, at)
		}
	}
	port, ok := at.PortTo(router.NodeID(r.node), router.NodeID(r.next))
	if !ok {
		return 0, input.Errorf("expected "+neighbours(at, router.NodeID(r.node)), "next %d is not a neighbour of node %d", r.next, r.node)
	}
	return port, nil
}

// mostNamed bounds the neighbours that an error names.
const mostNamed = 8

// neighbours names the neighbours of a node.
func neighbours(at *topology.Topology, n router.NodeID) string {
	var names []string
	for p := range router.Port(at.Ports(n)) {
		if to := at.Neighbor(n, p); to != router.None {
			names = append(names, strconv.Itoa(int(to)))
		}
	}
	if len(names) == 0 {
		return "a node with links"
	}
	if more := len(names) - mostNamed; more > 0 {
		return strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(" or one of %d more", more)
	}
	return input.Or(names)
}

// arrives refuses a table with a route that goes round in a circle. of has the row of each pair, counted from 1.
func (t *Table) arrives(nodes int, of []int32) error {
	next := func(at, to int) int { return int(t.rows[of[at*nodes+to]-1].next) }
	seen := make([]int32, nodes) // the walk that came through a node, counted over all destinations
	walk := int32(0)
	for to := range nodes {
		first := walk + 1 // of this destination
		for from := range nodes {
			walk++
			at := from
			for at != to && seen[at] < first {
				seen[at] = walk
				at = next(at, to)
			}
			if at == to || seen[at] != walk {
				continue
			}
			circle := []string{strconv.Itoa(at)}
			for n := next(at, to); n != at && len(circle) < mostNamed; n = next(n, to) {
				circle = append(circle, strconv.Itoa(n))
			}
			if len(circle) == mostNamed {
				circle = append(circle, "…")
			} else {
				circle = append(circle, strconv.Itoa(at))
			}
			return input.At(t.File, int(t.rows[of[at*nodes+to]-1].line), "expected a route that arrives", "messages from node %d to node %d go round in a circle: %s", at, to, strings.Join(circle, ">"))
		}
	}
	return nil
}

// Direct refuses a table in which some node does not send to a neighbour over the link between them. The error is an *input.Error.
func (t *Table) Direct(at *topology.Topology) error {
	if _, err := t.On(at); err != nil {
		return err
	}
	for i := range t.rows {
		r := &t.rows[i]
		if _, joined := at.PortTo(router.NodeID(r.node), router.NodeID(r.destination)); joined && r.next != r.destination {
			return input.At(t.File, int(r.line), "expected the link between them, on which plans of collectives rely", "node %d sends to its neighbour %d by way of %d", r.node, r.destination, r.next)
		}
	}
	return nil
}
