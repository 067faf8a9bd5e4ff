// SPDX-License-Identifier: Apache-2.0

package tasks

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/internal/heap"
	"meshwright/router"
)

// worker is the component that does the tasks of all nodes.
type worker struct {
	net   *fabric.Network
	graph *Graph    `snapshot:"start"`
	next  followers `snapshot:"-"`

	waits   []int32        // by task: what it still waits for; a reception waits for its message, too
	started []router.Cycle // by task, -1: not yet
	ended   []router.Cycle // by task, -1: not yet
	left    int            // tasks that are not done
	ready   []int32        // found in this cycle, not yet begun

	base      []int32           `snapshot:"-"` // channels of node n start here
	sends     []queue           // by channel
	computing []queue           // by node: the first is under way
	ends      heap.Heap[ending] // of the computations under way
	taskOf    []int32           // by serial number of a message
	audit     audit
}

// queue is tasks that wait for the same channel or processor.
type queue struct {
	Tasks []int32
	First int
}

func (q *queue) empty() bool { return q.First == len(q.Tasks) }
func (q *queue) head() int32 { return q.Tasks[q.First] }

func (q *queue) push(task int32) { q.Tasks = append(q.Tasks, task) }

func (q *queue) pop() {
	if q.First++; q.empty() {
		q.Tasks, q.First = q.Tasks[:0], 0
	}
}

// ending is the end of a computation.
type ending struct {
	Cycle router.Cycle
	Task  int32
}

// Before orders endings by cycle, then by task.
func (e ending) Before(o ending) bool {
	return e.Cycle < o.Cycle || e.Cycle == o.Cycle && e.Task < o.Task
}

// newWorker prepares a valid graph for a network.
func newWorker(net *fabric.Network, g *Graph) *worker {
	w := &worker{
		net: net, graph: g, next: newFollowers(g, false), left: len(g.Tasks),
		waits: make([]int32, len(g.Tasks)), started: make([]router.Cycle, len(g.Tasks)), ended: make([]router.Cycle, len(g.Tasks)),
		base: make([]int32, net.Topology.Nodes()+1), computing: make([]queue, net.Topology.Nodes()),
	}
	for v := range net.Topology.Nodes() {
		w.base[v+1] = w.base[v] + net.Bank().Channels(router.NodeID(v))
	}
	w.sends = make([]queue, w.base[net.Topology.Nodes()])
	for i := range g.Tasks {
		w.started[i], w.ended[i] = -1, -1
		w.waits[i] = int32(len(g.before(int32(i))))
		if w.waits[i] == 0 {
			w.ready = append(w.ready, int32(i))
		}
	}
	w.audit.mask, w.audit.elements = uint32(1)<<net.Machine.Width-1, net.Machine.Elements()
	return w
}

// Evaluate implements fabric.Component: first what ended, then what may begin.
func (w *worker) Evaluate(s fabric.Signals) {
	for _, m := range s.Received() {
		task := w.taskOf[m.Serial]
		w.audit.compare(w.graph, task, m)
		w.release(w.graph.Tasks[task].Peer)
	}
	for len(w.ends) > 0 && w.ends[0].Cycle <= s.Now() {
		task := w.ends.Pop().Task
		node := w.graph.Tasks[task].Node
		w.computing[node].pop()
		w.finish(task, s.Now())
		w.compute(node, s.Now())
	}
	for node, c := range s.Freed() {
		w.send(s, w.base[node]+c)
	}
	for len(w.ready) > 0 {
		batch := w.ready
		w.ready = nil
		slices.Sort(batch)
		for _, task := range batch {
			w.begin(s, task)
		}
	}
}

// begin starts a task that waits for nothing any more.
func (w *worker) begin(s fabric.Signals, task int32) {
	t := &w.graph.Tasks[task]
	switch t.Kind {
	case Compute:
		q := &w.computing[t.Node]
		free := q.empty()
		q.push(task)
		if free {
			w.compute(t.Node, s.Now())
		}
	case Send:
		channel := w.channelOf(t)
		q := &w.sends[channel]
		free := q.empty()
		q.push(task)
		if free {
			w.send(s, channel)
		}
	default:
		w.started[task] = s.Now()
		w.finish(task, s.Now())
	}
}

// compute begins the next computation of a node.
func (w *worker) compute(node router.NodeID, now router.Cycle) {
	for q := &w.computing[node]; !q.empty(); {
		task := q.head()
		w.started[task] = now
		if cycles := w.graph.Tasks[task].Cycles; cycles > 0 {
			w.ends.Push(ending{now + cycles*router.Cycle(w.net.Machine.Ticks()), task})
			return
		}
		q.pop()
		w.finish(task, now)
	}
}

// send hands the messages that wait for a channel to the network until the channel is busy.
func (w *worker) send(s fabric.Signals, channel int32) {
	for q := &w.sends[channel]; !q.empty(); q.pop() {
		task := q.head()
		t := &w.graph.Tasks[task]
		serial, err := s.Send(fabric.Message{
			Source: t.Node, Destination: w.graph.Tasks[t.Peer].Node, Tag: uint32(task), Words: w.audit.words(task, t.Flits), Route: w.ports(t),
		})
		if err != nil {
			return // busy; whatever else it is ends the run
		}
		for int(serial) >= len(w.taskOf) {
			w.taskOf = append(w.taskOf, -1)
		}
		w.taskOf[serial] = task
		w.started[task] = s.Now()
		w.finish(task, s.Now())
	}
}

// finish ends a task and releases the tasks after it.
func (w *worker) finish(task int32, now router.Cycle) {
	w.ended[task] = now
	w.left--
	for _, follower := range w.next.of(task) {
		w.release(follower)
	}
}

// release takes back one thing that a task waits for.
func (w *worker) release(task int32) {
	if w.waits[task]--; w.waits[task] == 0 {
		w.ready = append(w.ready, task)
	}
}

// channelOf returns the channel by which a message leaves its node.
func (w *worker) channelOf(t *Task) int32 {
	m := &w.net.Machine
	if m.Channels != machine.Links {
		return w.base[t.Node]
	}
	first := w.net.Next(t.Node, w.graph.Tasks[t.Peer].Node)
	if t.Route != nil {
		first, _ = w.net.Topology.PortTo(t.Node, t.Route[1])
	}
	return w.base[t.Node] + int32(timing.ChannelOf(m, first))
}

// ports translates the route of a message, which is valid, from nodes to output ports.
func (w *worker) ports(t *Task) []router.Port {
	var ports []router.Port
	for k := 1; k < len(t.Route); k++ {
		port, _ := w.net.Topology.PortTo(t.Route[k-1], t.Route[k])
		ports = append(ports, port)
	}
	return ports
}

// Update implements fabric.Component.
func (w *worker) Update(fabric.Signals) {}

// OnlyMessages marks a fabric.Messenger.
func (w *worker) OnlyMessages() {}

// Wakes implements fabric.Sleeper.
func (w *worker) Wakes() router.Cycle {
	switch {
	case len(w.ready) > 0:
		return w.net.Now()
	case len(w.ends) > 0:
		return w.ends[0].Cycle
	}
	return fabric.Never
}

// Finished implements fabric.Finisher.
func (w *worker) Finished() bool { return w.left == 0 }
