// SPDX-License-Identifier: Apache-2.0

package tasks

import (
	"fmt"

	"meshwright/fabric"
)

// Wrong is a message that arrived with another content or at another node.
type Wrong struct{ Task, What string }

// Error names the send of the message.
func (w *Wrong) Error() string { return fmt.Sprintf("the message of %s %s", w.Task, w.What) }

// audit makes the content of messages and compares what arrives.
type audit struct {
	mask     uint32
	elements int      // numbers of a word
	buffer   []uint32 `snapshot:"-"`
	fault    *Wrong
}

// words returns the content of a send; it is valid until the next call.
func (a *audit) words(task int32, flits int) []uint32 {
	a.buffer = a.buffer[:0]
	for i := range flits * a.elements {
		a.buffer = append(a.buffer, content(task, i)&a.mask)
	}
	return a.buffer
}

// content scatters its arguments over a word (Knuth's multiplicative hash).
func content(task int32, i int) uint32 {
	x := (uint32(task)*2654435761 ^ uint32(i)) * 2246822519
	return x ^ x>>15
}

// compare judges a message that arrived.
func (a *audit) compare(g *Graph, task int32, m fabric.Received) {
	t := &g.Tasks[task]
	what := ""
	switch {
	case m.Source != t.Node || m.Destination != g.Tasks[t.Peer].Node:
		what = fmt.Sprintf("arrived at node %d", m.Destination)
	case len(m.Words) != t.Flits*a.elements:
		what = fmt.Sprintf("arrived with %d words", len(m.Words)/a.elements)
	default:
		for i, element := range m.Words {
			if element != content(task, i)&a.mask {
				what = fmt.Sprintf("has a wrong word %d", i/a.elements)
				break
			}
		}
	}
	if what != "" && a.fault == nil {
		a.fault = &Wrong{t.Name, what}
	}
}
