// SPDX-License-Identifier: Apache-2.0

package chakra

import (
	"fmt"

	"meshwright/internal/input"
)

// NodeType is the type of a node, as the schema numbers it.
type NodeType uint64

// The types of nodes.
const (
	Invalid NodeType = iota
	Metadata
	MemoryLoad
	MemoryStore
	Compute
	Send
	Receive
	Collective
	nodeTypes
)

// CollectiveType is the collective of a node, as the schema numbers it.
type CollectiveType int64

// The collectives.
const (
	AllReduce CollectiveType = iota
	Reduce
	AllGather
	Gather
	Scatter
	Broadcast
	AllToAll
	ReduceScatter
	ReduceScatterBlock
	Barrier
	collectiveTypes
)

// String is the name in the schema, in lower case.
func (c CollectiveType) String() string {
	names := [...]string{"all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"}
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("collective %d", int64(c))
	}
	return names[c]
}

// Node is one node of a trace. Of the attributes only those are kept that have a meaning here.
type Node struct {
	ID      uint64
	Name    string
	Type    NodeType
	After   []uint64 // data_deps
	Callers []uint64 // ctrl_deps: in traces of PyTorch the operation that called this one
	Micros  uint64   // duration_micros
	Cycles  int64    // attribute of traces that meshwright wrote: the exact duration, -1: none

	OnCPU bool // is_cpu_op
	Comm  bool // has comm_size
	Kind  CollectiveType
	Bytes uint64
	Peer  uint64 // comm_dst of a send, comm_src of a reception
	Self  int64  // comm_src of a send, comm_dst of a reception; -1: not said
	Tag   uint64
	Group string // pg_name, "": all ranks
	Root  uint64
	Route string // attribute of traces that meshwright wrote: nodes of the network, 0>1>5
	Ops   bool   // num_ops is given, but no duration
}

// Trace is the work of one rank.
type Trace struct {
	File    string
	Version string
	Nodes   []Node

	missing [2]missing // data_deps, ctrl_deps
}

// Workload is the traces of all ranks.
type Workload struct {
	Name   string
	Traces []Trace // by rank
}

// missing is dependences on nodes that a file does not have; they are left out.
type missing struct {
	count int
	first error
}

// Missing counts the dependences on nodes that the files do not have; control counts ctrl_deps, too. The error, an
// *input.Error, names the first.
func (w *Workload) Missing(control bool) (count int, first error) {
	for i := range w.Traces {
		for k, m := range w.Traces[i].missing {
			if k == 1 && !control {
				continue
			}
			if count += m.count; first == nil {
				first = m.first
			}
		}
	}
	return count, first
}

// fault is an error in a node.
func (t *Trace) fault(n *Node, want, format string, args ...any) error {
	return input.At(t.File, 0, want, "node %d: %s", n.ID, fmt.Sprintf(format, args...))
}
