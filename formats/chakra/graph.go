// SPDX-License-Identifier: Apache-2.0

package chakra

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/tasks"
)

// Binding says how a workload is put on a network.
type Binding struct {
	Nodes          []router.NodeID // of the ranks
	BytesPerFlit   int
	Control        bool         // ctrl_deps are dependences, too
	CyclesPerMicro router.Cycle // cycles of a microsecond of computation; 0: computations take no time
}

// Facts count what a workload has.
type Facts struct {
	Ranks, Nodes, Sends, Collectives, Computations int
	Memory                                         int // accesses to memory, which take their recorded time
	Untimed                                        int // computations of which the trace says operations, but no time
}

// binder makes the graph.
type binder struct {
	*Workload
	Binding
	graph     *tasks.Graph
	facts     Facts
	ends      [][]int32           // by rank and node: the task that ends it
	place     []map[uint64]int    // by rank: index of a node
	starts    [][]int32           // by rank and node: the task with its dependences
	waiting   map[channel][]int32 // sends and receptions that have not found each other
	order     []channel
	instances map[string]int   // number of collectives of a group so far, by group and rank
	calls     map[string]*call // by group and number
	callOrder []string
	members   map[string][]int // ranks by group
}

// channel is what a send and its reception agree on.
type channel struct {
	from, to int
	tag      uint64
	receives bool
}

// call is one collective of all ranks of a group.
type call struct {
	kind  CollectiveType
	bytes uint64
	root  uint64
	group int32
	name  string        // of the group of ranks
	first string        // node that named it first
	entry map[int]int32 // by rank: the task after which the rank takes part
	exit  map[int]int32 // by rank: the join that is done when its part is done
}

// Graph turns a workload into tasks. Ranks are put on nodes, bytes become flits, rounded
// up, and collectives become messages, see expand. The errors are *input.Error.
func (w *Workload) Graph(net *topology.Topology, b Binding) (*tasks.Graph, *Facts, error) {
	if len(b.Nodes) < len(w.Traces) {
		panic("chakra: fewer nodes than ranks")
	}
	x := &binder{
		Workload: w, Binding: b, graph: &tasks.Graph{File: w.Traces[0].File},
		waiting: map[channel][]int32{}, instances: map[string]int{}, calls: map[string]*call{}, members: map[string][]int{},
	}
	x.facts.Ranks = len(w.Traces)
	for rank := range w.Traces {
		if err := x.enter(rank); err != nil {
			return nil, nil, err
		}
	}
	if err := x.unpaired(); err != nil {
		return nil, nil, err
	}
	if err := x.expand(); err != nil {
		return nil, nil, err
	}
	for rank := range w.Traces {
		x.connect(rank)
	}
	if err := x.graph.Validate(net); err != nil {
		return nil, nil, err
	}
	return x.graph, &x.facts, nil
}

// add appends a task of a rank.
func (x *binder) add(rank int, t tasks.Task) int32 {
	t.Node = x.Nodes[rank]
	x.graph.Tasks = append(x.graph.Tasks, t)
	return int32(len(x.graph.Tasks) - 1)
}

// label names a node in errors.
func label(rank int, n *Node) string {
	if n.Name == "" {
		return fmt.Sprintf("rank %d node %d", rank, n.ID)
	}
	return fmt.Sprintf("rank %d node %d (%s)", rank, n.ID, input.Clip(n.Name))
}

// enter makes the tasks of a rank, without their dependences.
func (x *binder) enter(rank int) error {
	t := &x.Traces[rank]
	x.facts.Nodes += len(t.Nodes)
	x.place = append(x.place, make(map[uint64]int, len(t.Nodes)))
	x.starts = append(x.starts, make([]int32, len(t.Nodes)))
	x.ends = append(x.ends, make([]int32, len(t.Nodes)))
	for i := range t.Nodes {
		x.place[rank][t.Nodes[i].ID] = i
	}
	for _, i := range inOrder(t) {
		n := &t.Nodes[i]
		start, end, err := x.node(rank, t, n)
		if err != nil {
			return err
		}
		x.starts[rank][i], x.ends[rank][i] = start, end
	}
	return nil
}

// inOrder returns the nodes of a trace by id: the k-th collective of a group at one rank is
// the k-th at the others, and the k-th send over a channel is for the k-th reception.
func inOrder(t *Trace) []int {
	order := make([]int, len(t.Nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch x, y := t.Nodes[a].ID, t.Nodes[b].ID; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return order
}

// node makes the tasks of a node: the one that waits for what comes before it, and the one that ends it.
func (x *binder) node(rank int, t *Trace, n *Node) (start, end int32, err error) {
	name := label(rank, n)
	switch {
	case n.Type == Metadata:
		start = x.add(rank, tasks.Task{Kind: tasks.Join, Group: -1, Name: name})
		return start, start, nil
	case n.Type == Send || n.Type == Receive:
		return x.point(rank, t, n, name)
	case n.Type == Collective && (n.Comm || !n.OnCPU):
		return x.collective(rank, t, n, name)
	}
	cycles, err := x.cycles(t, n)
	if err != nil {
		return 0, 0, err
	}
	start = x.add(rank, tasks.Task{Kind: tasks.Compute, Group: -1, Cycles: cycles, Name: name})
	return start, start, nil
}

// cycles returns the time of a computation or of an access to memory.
func (x *binder) cycles(t *Trace, n *Node) (router.Cycle, error) {
	switch {
	case n.Type == MemoryLoad || n.Type == MemoryStore:
		x.facts.Memory++
	default:
		x.facts.Computations++
	}
	if n.Micros == 0 && n.Cycles < 0 && n.Ops {
		x.facts.Untimed++
	}
	most := tasks.MaxCycles
	if x.CyclesPerMicro == 0 {
		return 0, nil
	}
	if n.Cycles >= 0 {
		if n.Cycles > int64(most) {
			return 0, t.fault(n, fmt.Sprintf("expected at most %d", most), "%d cycles", n.Cycles)
		}
		return router.Cycle(n.Cycles), nil
	}
	if n.Micros > uint64(most/x.CyclesPerMicro) {
		return 0, t.fault(n, fmt.Sprintf("expected at most %d cycles", most), "%d microseconds", n.Micros)
	}
	return router.Cycle(n.Micros) * x.CyclesPerMicro, nil
}

// flits returns the length of a message of so many bytes.
func (x *binder) flits(t *Trace, n *Node, bytes uint64) (int, error) {
	per := uint64(x.BytesPerFlit)
	if bytes > uint64(tasks.MaxFlits)*per {
		return 0, t.fault(n, fmt.Sprintf("expected at most %d flits of %s", tasks.MaxFlits, input.Count(x.BytesPerFlit, "byte")), "comm_size %d", bytes)
	}
	return int(max(1, (bytes+per-1)/per)), nil
}

// point makes the task of a send or of a reception, and pairs the two.
func (x *binder) point(rank int, t *Trace, n *Node, name string) (start, end int32, err error) {
	what, kind := "comm_dst", tasks.Send
	if n.Type == Receive {
		what, kind = "comm_src", tasks.Receive
	}
	switch {
	case !n.Comm:
		return 0, 0, t.fault(n, "expected a number of bytes", "no attribute comm_size")
	case n.Peer >= uint64(len(x.Traces)):
		return 0, 0, t.fault(n, fmt.Sprintf("expected 0 to %d, since there are %d files", len(x.Traces)-1, len(x.Traces)), "%s %d", what, n.Peer)
	case int(n.Peer) == rank:
		return 0, 0, t.fault(n, "expected another rank", "%s %d is its own rank", what, n.Peer)
	case n.Self >= 0 && n.Self != int64(rank):
		return 0, 0, t.fault(n, fmt.Sprintf("expected %d, the rank of the file", rank), "the node is of rank %d", n.Self)
	}
	flits, err := x.flits(t, n, n.Bytes)
	if err != nil {
		return 0, 0, err
	}
	task := tasks.Task{Kind: kind, Group: -1, Peer: -1, Flits: flits, Name: name}
	c := channel{rank, int(n.Peer), n.Tag, false}
	if kind == tasks.Send {
		if task.Route, err = route(t, n); err != nil {
			return 0, 0, err
		}
	}
	if kind == tasks.Receive {
		task.Flits = 0
		c = channel{int(n.Peer), rank, n.Tag, true}
	} else {
		x.facts.Sends++
	}
	start = x.add(rank, task)
	other := c
	other.receives = !c.receives
	if list := x.waiting[other]; len(list) > 0 {
		x.waiting[other] = list[1:]
		peer := list[0]
		x.graph.Tasks[start].Peer, x.graph.Tasks[peer].Peer = peer, start
		return start, start, x.agree(t, n, start, peer, flits)
	}
	if _, known := x.waiting[c]; !known {
		x.order = append(x.order, c)
	}
	x.waiting[c] = append(x.waiting[c], start)
	if kind == tasks.Receive {
		x.graph.Tasks[start].Flits = flits // until its send is known
	}
	return start, start, nil
}

// route reads the nodes of a route.
func route(t *Trace, n *Node) ([]router.NodeID, error) {
	if n.Route == "" {
		return nil, nil
	}
	var nodes []router.NodeID
	for text := range strings.SplitSeq(n.Route, ">") {
		node, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, t.fault(n, "expected nodes such as 0>1>5", "attribute meshwright_route %q", input.Clip(n.Route))
		}
		nodes = append(nodes, router.NodeID(node))
	}
	return nodes, nil
}

// agree demands that both ends of a message name the same length.
func (x *binder) agree(t *Trace, n *Node, task, peer int32, flits int) error {
	other := &x.graph.Tasks[peer]
	if other.Flits != flits {
		return t.fault(n, "expected the size that "+other.Name+" names", "comm_size %d", n.Bytes)
	}
	for _, k := range []int32{task, peer} {
		if x.graph.Tasks[k].Kind == tasks.Receive {
			x.graph.Tasks[k].Flits = 0
		}
	}
	return nil
}

// unpaired refuses a send without a reception, and the reverse.
func (x *binder) unpaired() error {
	for _, c := range x.order {
		list := x.waiting[c]
		if len(list) == 0 {
			continue
		}
		rank, what, other := c.from, "reception", c.to
		if c.receives {
			rank, what, other = c.to, "send", c.from
		}
		return input.At(x.Traces[rank].File, 0, fmt.Sprintf("expected a %s at rank %d with the same comm_tag, %d", what, other, c.tag), "%s has no other end", x.graph.Tasks[list[0]].Name)
	}
	return nil
}

// collective notes that a rank takes part in a collective.
func (x *binder) collective(rank int, t *Trace, n *Node, name string) (start, end int32, err error) {
	switch {
	case n.Kind < 0 || n.Kind >= collectiveTypes:
		return 0, 0, t.fault(n, "expected 0 to 9", "unknown comm_type %d", n.Kind)
	case !n.Comm && n.Kind != Barrier:
		return 0, 0, t.fault(n, "expected a number of bytes", "no attribute comm_size")
	}
	if _, err := x.flits(t, n, n.Bytes); err != nil {
		return 0, 0, err
	}
	at := fmt.Sprintf("%q of rank %d", n.Group, rank)
	key := fmt.Sprintf("%q number %d", n.Group, x.instances[at])
	if x.instances[at] == 0 {
		x.members[n.Group] = append(x.members[n.Group], rank)
	}
	x.instances[at]++
	c := x.calls[key]
	if c == nil {
		x.facts.Collectives++
		c = &call{kind: n.Kind, bytes: n.Bytes, root: n.Root, name: n.Group, first: name, group: int32(len(x.graph.Groups)), entry: map[int]int32{}, exit: map[int]int32{}}
		x.graph.Groups = append(x.graph.Groups, describe(n))
		x.calls[key] = c
		x.callOrder = append(x.callOrder, key)
	}
	if c.kind != n.Kind || c.bytes != n.Bytes || c.root != n.Root {
		return 0, 0, t.fault(n, fmt.Sprintf("expected %s of %d bytes, root %d, as %s names", c.kind, c.bytes, c.root, c.first), "%s of %d bytes, root %d", n.Kind, n.Bytes, n.Root)
	}
	start = x.add(rank, tasks.Task{Kind: tasks.Join, Group: c.group, Name: name})
	end = x.add(rank, tasks.Task{Kind: tasks.Join, Group: c.group, Name: name})
	c.entry[rank], c.exit[rank] = start, end
	return start, end, nil
}

// describe names a collective in the report.
func describe(n *Node) string {
	name := n.Name
	if name == "" {
		name = fmt.Sprintf("node %d", n.ID)
	}
	return fmt.Sprintf("%s (%s, %s)", input.Clip(name), n.Kind, input.Count(int(n.Bytes), "byte"))
}

// connect gives the tasks of a rank their dependences.
func (x *binder) connect(rank int) {
	t := &x.Traces[rank]
	for i := range t.Nodes {
		task := &x.graph.Tasks[x.starts[rank][i]]
		for _, before := range t.Nodes[i].After {
			task.After = append(task.After, x.ends[rank][x.place[rank][before]])
		}
		if !x.Control {
			continue
		}
		for _, before := range t.Nodes[i].Callers {
			task.After = append(task.After, x.ends[rank][x.place[rank][before]])
		}
	}
}
