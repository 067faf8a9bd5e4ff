// SPDX-License-Identifier: Apache-2.0

package tasks

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Kind is what a task does.
type Kind uint8

// The kinds of tasks.
const (
	Join    Kind = iota // waits only
	Compute             // occupies the processor
	Send                // a message
	Receive             // the other end of a message
)

// Task is one part of the work of a node.
type Task struct {
	Kind   Kind
	Node   router.NodeID
	Group  int32           // index in Graph.Groups, -1: none
	Cycles router.Cycle    // of Compute, at least 0
	Flits  int             // of Send, at least 1
	Route  []router.NodeID // of Send: from its node to that of its peer; nil: the machine's own
	Peer   int32           // of Send and Receive: the task at the other end
	After  []int32         // tasks of the same node that must be done before
	Name   string          // for errors
}

// Graph is the work of all nodes.
type Graph struct {
	File   string // for errors
	Tasks  []Task
	Groups []string // names of parts whose times are of interest, such as collectives
}

// MaxTasks bounds a graph.
const MaxTasks = 1 << 24

// MaxCycles bounds a computation, MaxFlits a message.
const (
	MaxCycles = router.Cycle(1) << 40
	MaxFlits  = 1 << 28
)

// Validate reports the first task that makes no sense on a topology, or a circle of tasks
// that wait for one another. A reception waits for the send of its message, too. The error is an *input.Error.
func (g *Graph) Validate(t *topology.Topology) error {
	if len(g.Tasks) == 0 {
		return input.At(g.File, 0, "expected at least one", "no tasks")
	}
	if len(g.Tasks) > MaxTasks {
		return input.At(g.File, 0, fmt.Sprintf("expected at most %d", MaxTasks), "%d tasks", len(g.Tasks))
	}
	for i := range g.Tasks {
		if err := g.judge(int32(i), t); err != nil {
			return err
		}
	}
	return g.circle()
}

// judge refuses a task that makes no sense by itself.
func (g *Graph) judge(i int32, net *topology.Topology) error {
	t, nodes := &g.Tasks[i], net.Nodes()
	fault := func(want, format string, args ...any) error {
		return input.At(g.File, 0, want, "%s: %s", t.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case t.Node < 0 || int(t.Node) >= nodes:
		return fault(fmt.Sprintf("expected 0 to %d", nodes-1), "node %d", t.Node)
	case t.Group < -1 || int(t.Group) >= len(g.Groups):
		return fault("expected a group of the graph, or none", "group %d", t.Group)
	case t.Cycles < 0 || t.Cycles > MaxCycles:
		return fault(fmt.Sprintf("expected 0 to %d", MaxCycles), "%d cycles", t.Cycles)
	case t.Kind == Send && (t.Flits < 1 || t.Flits > MaxFlits):
		return fault(fmt.Sprintf("expected 1 to %d", MaxFlits), "%d flits", t.Flits)
	}
	for _, before := range t.After {
		if before < 0 || int(before) >= len(g.Tasks) || g.Tasks[before].Node != t.Node {
			return fault("expected a task of the same node", "waits for task %d", before)
		}
	}
	if t.Kind != Send && t.Kind != Receive {
		return nil
	}
	if t.Peer < 0 || int(t.Peer) >= len(g.Tasks) || g.Tasks[t.Peer].Peer != i || g.Tasks[t.Peer].Kind == t.Kind {
		return fault("expected a send and a reception that name each other", "its message has no other end")
	}
	if g.Tasks[t.Peer].Node == t.Node {
		return fault("expected two nodes", "node %d sends to itself", t.Node)
	}
	return g.judgeRoute(t, net, fault)
}

// judgeRoute refuses a route that does not lead along links from the sender to the receiver.
func (g *Graph) judgeRoute(t *Task, net *topology.Topology, fault func(want, format string, args ...any) error) error {
	if t.Route == nil {
		return nil
	}
	if t.Kind != Send || len(t.Route) < 2 || t.Route[0] != t.Node || t.Route[len(t.Route)-1] != g.Tasks[t.Peer].Node {
		return fault(fmt.Sprintf("expected a route from node %d to node %d", t.Node, g.Tasks[t.Peer].Node), "another route")
	}
	for k := 1; k < len(t.Route); k++ {
		if !net.Has(t.Route[k]) {
			return fault("expected a node of "+net.String(), "route over node %d", t.Route[k])
		}
		if _, ok := net.PortTo(t.Route[k-1], t.Route[k]); !ok {
			return fault("expected a link of "+net.String(), "route over %d>%d", t.Route[k-1], t.Route[k])
		}
	}
	return nil
}

// routed reports whether a send prescribes its route; the graph then needs a machine of routing "source".
func (g *Graph) routed() bool {
	return slices.ContainsFunc(g.Tasks, func(t Task) bool { return t.Route != nil })
}

// before returns what task i waits for: a reception waits for its send, too.
func (g *Graph) before(i int32) []int32 {
	t := &g.Tasks[i]
	if t.Kind == Receive {
		return append(append(make([]int32, 0, len(t.After)+1), t.After...), t.Peer)
	}
	return t.After
}

// circle returns an error that names tasks that wait for one another, or nil.
func (g *Graph) circle() error {
	waits := make([]int32, len(g.Tasks))
	next := newFollowers(g, true)
	var ready []int32
	for i := range g.Tasks {
		waits[i] = int32(len(g.before(int32(i))))
		if waits[i] == 0 {
			ready = append(ready, int32(i))
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		for _, follower := range next.of(ready[done]) {
			if waits[follower]--; waits[follower] == 0 {
				ready = append(ready, follower)
			}
		}
	}
	if done == len(g.Tasks) {
		return nil
	}
	return g.describe(waits)
}

// describe names the tasks of a circle. Each task that waits has one before it that waits, too.
func (g *Graph) describe(waits []int32) error {
	at := int32(0)
	for waits[at] == 0 {
		at++
	}
	seen := map[int32]int{}
	var path []int32
	for {
		if from, again := seen[at]; again {
			path = path[from:]
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		for _, before := range g.before(at) {
			if waits[before] > 0 {
				at = before
				break
			}
		}
	}
	const most = 4
	var b strings.Builder
	b.WriteString(g.Tasks[path[0]].Name)
	for k := 1; k <= len(path); k++ {
		if k > most {
			fmt.Fprintf(&b, ", and so on in a circle of %d", len(path))
			break
		}
		if k > 1 {
			b.WriteString(", which")
		}
		b.WriteString(" waits for " + g.Tasks[path[k%len(path)]].Name)
	}
	return input.At(g.File, 0, "expected an order without circles", "%s", &b)
}

// followers lists the tasks that wait for each task.
type followers struct{ first, list []int32 }

// newFollowers inverts After; with messages, receptions follow their sends, too.
func newFollowers(g *Graph, messages bool) followers {
	f := followers{first: make([]int32, len(g.Tasks)+1)}
	each := func(see func(before, task int32)) {
		for i := range g.Tasks {
			t := &g.Tasks[i]
			for _, before := range t.After {
				see(before, int32(i))
			}
			if messages && t.Kind == Receive {
				see(t.Peer, int32(i))
			}
		}
	}
	each(func(before, _ int32) { f.first[before+1]++ })
	for i := range g.Tasks {
		f.first[i+1] += f.first[i]
	}
	f.list = make([]int32, f.first[len(g.Tasks)])
	at := append([]int32(nil), f.first...)
	each(func(before, task int32) {
		f.list[at[before]] = task
		at[before]++
	})
	return f
}

// of returns the tasks that wait for task i.
func (f *followers) of(i int32) []int32 { return f.list[f.first[i]:f.first[i+1]] }
