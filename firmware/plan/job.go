// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Job says which words are to be moved, on which machine.
type Job struct {
	Topology *topology.Topology
	Machine  machine.Machine
	Root     router.NodeID   // of a collective that is Rooted
	Lengths  []int           // flits of every node's block, a word each, see Holders: of an exchange for each other node, of sums (reduce, allreduce, reduce-scatter) each node's whole vector, of a broadcast only the root's
	Payload  [][]uint32      // every node's words at the start, Machine.Elements numbers a word, cut to the machine's width; nil: made from Seed
	Seed     uint64          // of the payload, and of search
	Order    []router.NodeID // scatter: order of dispatch, every destination once; nil: the algorithm's; of packets see below
	Tree     string          // spanning tree of scatter and gather, one of TreeNames; "": the topology's default
	Cover    string          // edge-disjoint trees: how they are made, one of the cover's names; "": the topology's best
	Trees    int             // edge-disjoint: trees of the cover, shared-edges: trees to choose from; 0: as many as are of use
	Steps    int             // search: changes that it tries; 0: some two seconds' worth
	A, B     int             // bridgeheads per bridgehead and steps of a round, of algorithms that have them; 0: the best
	Colours  int             // parts of a block that take different routes through the dimensions; 0: as many as are of use
	Parts    int             // pieces in which a pipelined message travels; 0: the best number
	Sync     bool            // a sender waits for a token of the receiver
	TimeOnly bool            // the plan has a time and no words: blocks may be of any length; of a kind that HasTimes
	Among    []string        // auto: the algorithms to choose from; nil: all that fit
	Copies   int             // of each message, over trees or routes without a common link; 0: one
	Checksum string          // of each message, one of its algorithm's; "": none
	Start    string          // dimension with which a gossip begins, one of its algorithm's; "": the algorithm's own

	Limit  time.Duration // of a search for a plan: the best plan that it has then is Stopped; 0: none
	Effort float64       // how much searches do, in times of what they usually do: LeastEffort to 100; 0: 1

	KeepList bool // the plan keeps its list of transfers, or what its messages carry, see Plan.List and Plan.Carried

	// Of scatter and gather on machines that switch packets. There Order may
	// also be the order of reception of a gather, and may name a node as often
	// as it has packets: its k-th place is that of its k-th packet.
	Packets [][]int // flits of every node's packets in order; nil, or nil of a node: a message is a packet
	Split   string  // BestSplit: each message evenly in as many packets as are best for it alone; "": as Packets says
}

// MaxWords bounds the sum of all lengths: addresses are 32-bit signed numbers.
const MaxWords = 1 << 28

// mostCounted is where a sum of lengths that is too large anyway stays.
const mostCounted = 1 << 60

// Task is a job that has been checked, with the payload in one piece.
type Task struct {
	Job         // Machine resolved, Lengths with 0 at the root where there is one
	Kind        Kind
	Offset      []int                  // block i is words[offset[i]:offset[i+1]]
	Ctx         context.Context        // of Generate: all work ends with it
	Search      context.Context        // ends with Ctx, or when the Limit of the job is over: searches then keep the best that they have
	Words       []uint32               // all blocks, in rising order of the nodes
	Count       int                    // blocks that are not empty
	PacketSizes [][]int                // packets of every node, after cut
	bounds      *bounds                // of the job as it was given
	Whole       *Whole                 // the network of which Topology is what known faults leave; nil: they are one network
	Measure     Measurement            // nil: nobody can
	RoutingTree *topology.SpanningTree // whose routes the network has to be told, after tree; nil: it has them
}

// Measurement runs a plan, as contest.Plan's Simulate does.
type Measurement func(ctx context.Context, p *Plan, limit router.Cycle) (cycles router.Cycle, ok bool, err error)

// BoundOn replaces the bounds of a task by those of another topology with the same links, which knows more about their shape.
func (t *Task) BoundOn(shaped *topology.Topology) (err error) {
	other := *t
	other.Topology = shaped
	t.bounds, err = boundsOf(&other)
	return err
}

// NewTask checks a job of a collective.
func NewTask(ctx context.Context, j Job, kind Kind) (*Task, error) {
	if err := j.Topology.Valid(); err != nil {
		return nil, err
	}
	nodes := j.Topology.Nodes()
	if kind.Rooted && (j.Root < 0 || int(j.Root) >= nodes) {
		return nil, input.Errorf(NodeRange(nodes), "root %d is not a node", j.Root)
	}
	if j.Effort != 0 {
		if err := CheckEffort(j.Effort); err != nil {
			return nil, err
		}
	}
	if len(j.Lengths) != nodes {
		return nil, input.Errorf("expected one for each node", "%d lengths for %d nodes", len(j.Lengths), nodes)
	}
	if kind.Rooted && nodes > 1 && j.Topology.Degree(j.Root) == 0 {
		return nil, input.Errorf("expected a root with links", "root %d of %s has no links", j.Root, j.Topology)
	}
	if j.Tree != "" && j.Machine.Routing != machine.Source {
		j.Machine.Routing = machine.Table
	}
	m, err := j.Machine.Resolve(j.Topology)
	if err != nil {
		return nil, err
	}
	if m.Routing.Classes() > 1 || m.Routing.Reorders() {
		return nil, input.Errorf("expected dor, yx, table, updown or source", "routing %s: a plan needs to know the routes", m.Routing)
	}
	if m.Reorders(j.Topology) {
		return nil, input.Errorf("expected lane", "%s %s with vcs %d: messages between two nodes may overtake one another, and programs take them in the order of sending", machine.ChoiceKey, m.Choice, m.VCs)
	}
	t := &Task{Ctx: ctx, Search: ctx, Job: j, Kind: kind, Offset: make([]int, nodes+1)}
	t.Machine = m
	t.Lengths = append([]int(nil), j.Lengths...)
	drop(t)
	for n, length := range t.Lengths {
		share, err := share(t, router.NodeID(n))
		if err != nil {
			return nil, err
		}
		t.Offset[n+1] = min(t.Offset[n]+share, mostCounted)
		if length > 0 {
			t.Count++
		}
	}
	if err := checkPackets(t); err != nil {
		return nil, err
	}
	if t.TimeOnly {
		if err := t.timeable(); err != nil {
			return nil, err
		}
		t.bounds, err = boundsOf(t)
		return t, err
	}
	if words := t.Offset[nodes]; words > MaxWords {
		return nil, tooManyWords(t, "expected at most 2^28", fmt.Sprintf("%d words in all PEs together", words))
	}
	if err := fits(t); err != nil {
		return nil, err
	}
	if err := needRun(t); err != nil {
		return nil, err
	}
	if err := fill(t); err != nil {
		return nil, err
	}
	if kind.Holders == Equal {
		if err := summable(t); err != nil {
			return nil, err
		}
	}
	t.bounds, err = boundsOf(t)
	return t, err
}

// fill copies or makes the payload.
func fill(t *Task) error {
	t.Words = make([]uint32, t.TotalWords()*t.Machine.Elements())
	if t.Payload == nil {
		random := rand.New(rand.NewPCG(t.Seed, 0x6d657368))
		for i := range t.Words {
			t.Words[i] = random.Uint32() & t.WordMask()
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
		share, block := t.Offset[n+1]-t.Offset[n], t.Block(router.NodeID(n))
		if len(t.Payload[n]) != len(block) {
			return input.Errorf("expected as many as its length", "payload of node %d has %d words, its length is %d", n, t.WordsOf(t.Payload[n]), share)
		}
		for i, element := range t.Payload[n] {
			block[i] = element & t.WordMask()
		}
	}
	return nil
}

// TotalWords returns the words of all blocks.
func (t *Task) TotalWords() int { return t.Offset[len(t.Lengths)] }

// WordsOf counts the words of a list of elements.
func (t *Task) WordsOf(elements []uint32) int { return len(elements) / t.Machine.Elements() }

// WordMask has the bits of an element of a payload word.
func (t *Task) WordMask() uint32 { return mask(t.Machine.Width) }

func mask(width int) uint32 { return uint32(1)<<width - 1 }

// Block returns the words of a node's block.
func (t *Task) Block(n router.NodeID) []uint32 {
	elements := t.Machine.Elements()
	return t.Words[t.Offset[n]*elements : t.Offset[n+1]*elements]
}

// Length returns the flits of a node's block as time.
func (t *Task) Length(n router.NodeID) router.Cycle { return router.Cycle(t.Lengths[n]) }

// IndependentLinks reports whether all links of a PE work at the same time, see
// timing.IndependentLinks.
func (t *Task) IndependentLinks() bool { return timing.IndependentLinks(&t.Machine) }

func (t *Task) Bufferless() bool { return t.Machine.Switching == machine.Bufferless }

// Timing returns the costs of the task's messages, in ticks.
func (t *Task) Timing() timing.Model { return timing.Of(&t.Machine) }

// summable makes sure that no sum needs more bits than a flit has: a machine
// sums up in 32 bits, and cuts words when it sends them. Random words are
// made small enough; given ones are refused when their sum is too large.
func summable(t *Task) error {
	width, nodes := t.Machine.Width, len(t.Lengths)
	if width >= 32 {
		return nil // sums are modulo 2^32 everywhere, element by element
	}
	if t.Payload == nil {
		most := mask(width) / uint32(nodes) // of a word
		if most == 0 {
			return input.Errorf(fmt.Sprintf("expected at least %d", bits.Len(uint(nodes))), "width %d: a sum of %d words may not fit", width, nodes)
		}
		for i := range t.Words {
			t.Words[i] = uint32(uint64(t.Words[i]) * uint64(most+1) >> width)
		}
		return nil
	}
	for i := range t.Lengths[0] {
		sum := uint64(0)
		for n := range nodes {
			sum += uint64(t.Words[t.Offset[n]+i])
		}
		if sum > uint64(mask(width)) {
			return input.Errorf(fmt.Sprintf("expected at most %d, or width 32", mask(width)), "width %d: the sum of all words %d is %d", width, i, sum)
		}
	}
	return nil
}

// Variant is a candidate besides the rows of the table: an algorithm with
// options that it does not take by itself.
type Variant struct {
	Name, Algorithm string
	IsRow           bool // the row of the algorithm plans the same: the variant takes its place
	Plan            func(*Task) (*Plan, error)
}
