// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"context"
	"math/rand/v2"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Job says which words are to be moved, on which machine.
type Job struct {
	Topology *topology.Topology
	Machine  machine.Machine
	Root     router.NodeID   // of a collective that is Rooted
	Lengths  []int           // words of every node's block, see Holders; what a node cannot have is ignored
	Payload  [][]uint32      // every node's words at the start, cut to the machine's width; nil: made from Seed
	Seed     uint64          // of the payload, and of search
	Order    []router.NodeID // scatter: order of dispatch, every destination once; nil: the algorithm's; of packets see below
	Tree     string          // spanning tree of scatter and gather, one of TreeNames; "": the topology's default
	Cover    string          // edge-disjoint trees: how they are made, one of the cover's names; "": the topology's best
	Trees    int             // edge-disjoint: trees of the cover, shared-edges: trees to choose from; 0: as many as are of use
	Steps    int             // search: changes that it tries; 0: some two seconds' worth
	A, B     int             // bridgeheads per bridgehead and steps of a round, of algorithms that have them; 0: the best
	Colours  int             // parts of a block that go different ways through the dimensions; 0: as many as are of use
	Parts    int             // pieces in which a pipelined message travels; 0: the best number
	Sync     bool            // a sender waits for a token of the taker
	Start    string          // dimension with which a gossip begins, one of its algorithm's; "": the algorithm's own

	// Of scatter and gather on machines that switch packets. There Order may
	// also be the order of reception of a gather, and may name a node as often
	// as it has packets: its k-th place is that of its k-th packet.
	Packets [][]int // flits of every node's packets in order; nil, or nil of a node: a message is a packet
	Split   string  // BestSplit: each message evenly in as many packets as are best for it alone; "": as Packets says
}

// maxWords bounds the sum of all lengths: addresses are 32-bit signed numbers.
const maxWords = 1 << 28

// mostCounted is where a sum of lengths that is too large anyway stays.
const mostCounted = 1 << 60

// task is a job that has been checked, with the payload in one piece.
type task struct {
	Job    // Machine resolved, Lengths with 0 at the root where there is one
	kind   Kind
	offset []int                  // block i is words[offset[i]:offset[i+1]]
	ctx    context.Context        // of Generate: long searches end with it
	words  []uint32               // all blocks, in rising order of the nodes
	count  int                    // blocks that are not empty
	parts  [][]int                // packets of every node, after cut
	bounds bounds                 // of the job as it was given
	told   *topology.SpanningTree // whose routes the network has to be told, after tree; nil: it has them
}

// newTask checks a job of a collective.
func newTask(ctx context.Context, j Job, kind Kind) (*task, error) {
	if err := j.Topology.Valid(); err != nil {
		return nil, err
	}
	nodes := j.Topology.Nodes()
	if kind.Rooted && (j.Root < 0 || int(j.Root) >= nodes) {
		return nil, input.Errorf(nodeRange(nodes), "root %d is not a node", j.Root)
	}
	if len(j.Lengths) != nodes {
		return nil, input.Errorf("expected one for each node", "%d lengths for %d nodes", len(j.Lengths), nodes)
	}
	if kind.Rooted && j.Topology.Degree(j.Root) == 0 {
		return nil, input.Errorf("expected a root with links", "root %d of %s has no links", j.Root, j.Topology)
	}
	if j.Tree != "" && j.Machine.Routing != machine.Source {
		j.Machine.Routing = machine.Table
	}
	m, err := j.Machine.Resolve(j.Topology)
	if err != nil {
		return nil, err
	}
	t := &task{ctx: ctx, Job: j, kind: kind, offset: make([]int, nodes+1)}
	t.Machine = m
	t.Lengths = append([]int(nil), j.Lengths...)
	t.drop()
	for n, length := range t.Lengths {
		share, err := t.share(router.NodeID(n))
		if err != nil {
			return nil, err
		}
		t.offset[n+1] = min(t.offset[n]+share, mostCounted)
		if length > 0 {
			t.count++
		}
	}
	if words := t.offset[nodes]; words > maxWords {
		return nil, input.Errorf("expected at most 2^28", "%d words in all PEs together", words)
	}
	if err := t.fits(); err != nil {
		return nil, err
	}
	if err := t.checkPackets(); err != nil {
		return nil, err
	}
	if err := t.needRun(); err != nil {
		return nil, err
	}
	if err := t.fill(); err != nil {
		return nil, err
	}
	if kind.Holders == Equal {
		if err := t.summable(); err != nil {
			return nil, err
		}
	}
	t.bounds, err = t.findBounds()
	return t, err
}

// fill copies or makes the payload.
func (t *task) fill() error {
	t.words = make([]uint32, t.offset[len(t.Lengths)])
	if t.Payload == nil {
		random := rand.New(rand.NewPCG(t.Seed, 0x6d657368))
		for i := range t.words {
			t.words[i] = random.Uint32() & t.mask()
		}
		return nil
	}
	if len(t.Payload) != len(t.Lengths) {
		return input.Errorf("expected one for each node", "%d payloads for %d nodes", len(t.Payload), len(t.Lengths))
	}
	for n, length := range t.Lengths {
		if length == 0 {
			continue
		}
		if share := t.offset[n+1] - t.offset[n]; len(t.Payload[n]) != share {
			return input.Errorf("expected as many as its length", "payload of node %d has %d words, its length is %d", n, len(t.Payload[n]), share)
		}
		for i, word := range t.Payload[n] {
			t.words[t.offset[n]+i] = word & t.mask()
		}
	}
	return nil
}

// mask has the bits of a payload word.
func (t *task) mask() uint32 { return mask(t.Machine.Width) }

func mask(width int) uint32 { return uint32(1)<<width - 1 }

// block returns the words of a node's block.
func (t *task) block(n router.NodeID) []uint32 { return t.words[t.offset[n]:t.offset[n+1]] }

// length returns the flits of a node's block as time.
func (t *task) length(n router.NodeID) router.Cycle { return router.Cycle(t.Lengths[n]) }

// perLink reports whether the channels of a PE work independently of one another.
func (t *task) perLink() bool {
	return t.Machine.Channels == machine.Links && t.Machine.Ports == machine.AllPort
}

func (t *task) bufferless() bool { return t.Machine.Switching == machine.Bufferless }

// pause is how long a channel rests between two messages, in ticks: when the
// startup does not fit into the time of the last flit. The next message is
// taken a tick after that flit at the earliest.
func (t *task) pause() router.Cycle {
	return router.Cycle(max(0, t.Machine.StartupTicks()+1-t.Machine.FlitTicks()))
}
