// SPDX-License-Identifier: Apache-2.0

package tdm

import (
	"strconv"

	"meshwright/router"
	"meshwright/schedule"
)

// maxSize bounds N of a table for NxN nodes: at 32 the expansion has a million messages.
const maxSize = 32

// Message is one line of a table: what every node sends to the node at an offset.
type Message struct {
	Dispatch router.Cycle // cycle in which the first link is taken
	Hops     string       // letters n e s w, one a cycle
	Line     int          // in the file
}

// offset returns the steps east and south from source to destination, not wrapped.
func (m *Message) offset() (x, y int) {
	for i := range len(m.Hops) {
		dx, dy := direction(m.Hops[i])
		x, y = x+dx, y+dy
	}
	return x, y
}

// direction returns the step of a letter.
func direction(letter byte) (x, y int) {
	switch letter {
	case 'n':
		return 0, -1
	case 'e':
		return 1, 0
	case 's':
		return 0, 1
	}
	return -1, 0
}

// Table is a symmetric schedule of one flit from every node to every other one.
type Table struct {
	File     string
	Size     int // N of NxN nodes
	Messages []Message
}

// Topology returns the network's spec, torus:NxN.
func (t *Table) Topology() string {
	n := strconv.Itoa(t.Size)
	return "torus:" + n + "x" + n
}

// Cycles returns the time of the table: 1 + the cycle of the last delivery.
func (t *Table) Cycles() router.Cycle {
	last := router.Cycle(0)
	for i := range t.Messages {
		last = max(last, t.Messages[i].Dispatch+router.Cycle(len(t.Messages[i].Hops)))
	}
	return last + 1
}

// Schedule expands the table: N²(N²-1) messages of one flit, rising by source and,
// within a source, in the order of the table. Every message has its route.
func (t *Table) Schedule() *schedule.Schedule {
	nodes := t.Size * t.Size
	s := &schedule.Schedule{File: t.File, Rows: make([]schedule.Row, 0, nodes*len(t.Messages))}
	for source := range nodes {
		for i := range t.Messages {
			m := &t.Messages[i]
			route := t.route(source, m.Hops)
			s.Rows = append(s.Rows, schedule.Row{
				Message: int32(len(s.Rows) + 1), Source: router.NodeID(source), Destination: route[len(route)-1],
				Flits: 1, Dispatch: m.Dispatch, Route: route, Line: m.Line,
			})
		}
	}
	return s
}

// route returns the nodes of a message from source on.
func (t *Table) route(source int, hops string) []router.NodeID {
	x, y := source%t.Size, source/t.Size
	route := make([]router.NodeID, 1, len(hops)+1)
	route[0] = router.NodeID(source)
	for i := range len(hops) {
		dx, dy := direction(hops[i])
		x, y = wrap(x+dx, t.Size), wrap(y+dy, t.Size)
		route = append(route, router.NodeID(y*t.Size+x))
	}
	return route
}

// wrap returns x modulo n, from 0 to n-1.
func wrap(x, n int) int { return (x%n + n) % n }
