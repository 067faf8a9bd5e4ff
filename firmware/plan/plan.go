// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/contest"
	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
	"meshwright/firmware/transfer"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule"
)

// Plan is a collective as firmware: programs, and the content of every PE's memory at the
// start and at the end. Execute does not change it.
type Plan struct {
	Collective, Algorithm string
	Topology              *topology.Topology
	Machine               machine.Machine        // resolved
	Root                  router.NodeID          // scatter, gather
	Tree                  *topology.SpanningTree // routes; nil: the machine's own
	Programs              []*isa.Program         // one a role
	PEs                   []PE                   // by node
	Messages, Flits       int                    // data messages that are sent, and their flits
	bounds                *bounds                // of the job
	tag                   uint32                 // the greatest of the messages, see NeedHeader
	links                 int                    // of the longest route of a message, see NeedHeader
	Predicted             contest.Estimate       // of the time
	Measured              router.Cycle           // its time in a run that has been made to compare it with others; 0: none
	Chosen                *contest.Outcome       // how auto chose the algorithm; nil: the job named it
	Trees                 int                    // scatter, gather: over which the blocks are shared out; 0: that of the routes
	SplitBlocks           int                    // blocks in more than one piece
	Facts                 []Fact                 // what the algorithm knows besides: for display
	List                  *transfer.List         // what the programs were made of, if Job.KeepList asks for it and there is one
	Carried               []schedule.Blocks      // by the tag of a message: what it carries, if Job.KeepList asks for it and the algorithm makes no List but knows
	Stopped               bool                   // the limit of the job ended the search for it: there may be a faster plan
	TimeOnly              bool                   // it has no programs and no words, see Job.TimeOnly
	MayCrowd              bool                   // a buffer may hold more than the largest packet: the messages take any route, see FromTransfers
}

// Fact is a figure that an algorithm predicts, or by which it is judged.
type Fact struct {
	Key, Name string // in JSON, in tables; "": not there
	Value     router.Cycle
	Unit      Unit
	Alike     bool   // it is a time that holds only where all links are alike
	OrByBound bool   // of a Truth: it holds, too, when the run takes no longer than Plan.UncombinedBound
	Exceeded  string // of a bound that a run may exceed: why, for the table of a run that takes longer
}

// Fact returns the value of the fact with a key; 0 if there is none.
func (p *Plan) Fact(key string) router.Cycle {
	for _, f := range p.Facts {
		if f.Key == key {
			return f.Value
		}
	}
	return 0
}

// WithoutStartups makes the startups of a plan that sends nothing 0: its algorithm counts those of the messages that it would send.
func (p *Plan) WithoutStartups() {
	for i := range p.Facts {
		if p.Facts[i].Key == StartupsFact(0).Key && p.Messages == 0 {
			p.Facts[i].Value = 0
		}
	}
}

// Unit is the unit of a Fact's value.
type Unit string

// The units of facts.
const (
	Cycles  Unit = "cycles"
	Flits   Unit = "flits"
	Counted Unit = ""      // a number of things
	Truth   Unit = "truth" // 1: yes, 0: no
)

// PE is one processing element's part in a plan. Its memory is the parameters,
// from address 0, behind them the block, and behind that the scratch words.
type PE struct {
	Role       int32 // index in Plan.Programs, pe.Nothing: idle
	Parameters []uint32
	Block      Block
	Scratch    int             // words behind the block that the program may write as it likes, 0 at the start
	Routes     [][]router.Port // the route table of send and sendv, numbered from 1
}

// Block is a piece of a PE's memory that must hold certain words in the end.
type Block struct {
	Words []uint32 // shared by the PEs: do not write
	Given Range    // the words that are there from the start
	Start []uint32 // all words as they are at the start, Given or not; nil: those not given are not there yet

	Counts int // of the last words: each counts the copies of a message that came, fewer where faults lost some
}

// Range is the words From to To-1 of a block.
type Range = transfer.Range

// Start returns a PE's memory at the start. A word that is to come differs in
// all its bits from the one it must become, so that none can be missed.
func (p *Plan) Start(n router.NodeID) []uint32 {
	return slices.Concat(p.Parameters(n), p.behindParameters(n))
}

// Parameters returns the elements of a PE's parameters.
func (p *Plan) Parameters(n router.NodeID) []uint32 {
	words, elements := p.PEs[n].Parameters, p.Machine.Elements()
	if elements == 1 {
		return words
	}
	all := make([]uint32, len(words)*elements)
	for i, word := range words {
		all[i*elements] = word
	}
	return all
}

// behindParameters returns the elements of the words of Start behind the parameters.
func (p *Plan) behindParameters(n router.NodeID) []uint32 {
	e := &p.PEs[n]
	elements := p.Machine.Elements()
	memory := make([]uint32, len(e.Block.Words)+e.Scratch*elements)
	if e.Block.Start != nil {
		copy(memory, e.Block.Start)
		return memory
	}
	words, flip := e.Block.Words, mask(p.Machine.Width)
	for i, word := range words {
		memory[i] = word ^ flip
	}
	if from, to := max(0, e.Block.Given.From)*elements, min(e.Block.Given.To*elements, len(words)); from < to {
		copy(memory[from:to], words[from:to])
	}
	return memory
}

// sharesParameters tells long lists of parameters, and those that would take several elements a word.
// The PE's memory has no copy of them unless the program writes there.
func (p *Plan) sharesParameters(e *PE) bool {
	return len(e.Parameters) >= longList || p.Machine.Elements() > 1
}

// longList is the number of words from which parameters are long.
const longList = 256

// End returns the expected content of a PE's memory at the end. The scratch words are 0
// here and do not matter.
func (p *Plan) End(n router.NodeID) []uint32 {
	e := &p.PEs[n]
	return slices.Concat(p.Parameters(n), e.Block.Words, make([]uint32, e.Scratch*p.Machine.Elements()))
}

// Network builds the network and the PEs of a plan, the PEs attached.
func (p *Plan) Network(ctx context.Context) (*fabric.Network, *pe.Array, error) {
	if err := p.Valid(); err != nil {
		return nil, nil, err
	}
	var options []fabric.Option
	if p.Tree != nil {
		options = append(options, fabric.AlongTree(p.Tree))
	}
	faults, err := p.faults()
	if err != nil {
		return nil, nil, err
	}
	options = append(options, fabric.WithFaults(faults))
	network, err := fabric.New(p.Topology, p.Machine, options...)
	if err != nil {
		return nil, nil, err
	}
	load := pe.Load{Runs: make([]int32, len(p.PEs)), Memory: make([][]uint32, len(p.PEs))}
	for _, source := range p.Programs {
		program, err := pe.Decode(source)
		if err != nil {
			return nil, nil, err
		}
		load.Programs = append(load.Programs, program)
	}
	if err := p.enterMemories(ctx, &load); err != nil {
		return nil, nil, err
	}
	for n := range p.PEs {
		load.Runs[n] = p.PEs[n].Role
		if p.PEs[n].Routes != nil {
			if load.Routes == nil {
				load.Routes = make([][][]router.Port, len(p.PEs))
			}
			load.Routes[n] = p.PEs[n].Routes
		}
	}
	array, err := pe.New(load)
	if err != nil {
		return nil, nil, err
	}
	network.Attach(array)
	return network, array, nil
}

// enterMemories fills in the memories of all PEs.
func (p *Plan) enterMemories(ctx context.Context, load *pe.Load) error {
	if slices.ContainsFunc(p.PEs, func(e PE) bool { return p.sharesParameters(&e) }) {
		load.Shared = make([][]uint32, len(p.PEs))
	}
	return p.EachPE(ctx, "fill the memories", func(n router.NodeID) error {
		if e := &p.PEs[n]; p.sharesParameters(e) {
			load.Shared[n], load.Memory[n] = e.Parameters, p.behindParameters(n)
		} else {
			load.Memory[n] = p.Start(n)
		}
		return nil
	})
}

// EachPE calls do for every PE, on all cores when the PEs have many words. It returns the error of the
// first PE that has one, or that of the context.
func (p *Plan) EachPE(ctx context.Context, what string, do func(router.NodeID) error) error {
	return eachNode(ctx, what, len(p.PEs), p.words() >= manyWords, do)
}

// manyWords are worth all cores.
const manyWords = 1 << 20

// eachNode calls do for every node, on all cores when there is much to do. It returns the error of the
// first node that has one, or that of the context.
func eachNode(ctx context.Context, what string, nodes int, much bool, do func(router.NodeID) error) error {
	const pieces = 256
	size, workers := max(1, nodes), 1
	if much {
		size, workers = max(1, nodes/pieces), parallel.Workers()
	}
	phase := progress.Begin(ctx, what, 0)
	defer phase.End()
	return parallel.Each(ctx, phase, workers, (nodes+size-1)/size, func() func(int) error {
		return func(piece int) error {
			for n := piece * size; n < min(nodes, (piece+1)*size); n++ {
				if err := do(router.NodeID(n)); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// words counts the numbers in all memories.
func (p *Plan) words() int {
	words := 0
	for n := range p.PEs {
		e := &p.PEs[n]
		words += len(e.Parameters) + len(e.Block.Words) + e.Scratch*p.Machine.Elements()
	}
	return words
}

// faults returns the faults of the machine, drawn so that the root of a rooted
// collective is sound.
func (p *Plan) faults() (*fault.List, error) { return p.Machine.Faults.Draw(p.Topology, p.OnlyRoot()) }

// OnlyRoot returns the root of a rooted collective; router.None of others.
func (p *Plan) OnlyRoot() router.NodeID {
	if kind, err := KindOf(p.Collective); err == nil && kind.Rooted {
		return p.Root
	}
	return router.None
}

// RequireRoutes refuses a machine whose faults leave the collective without hope, see fault.List.Refuse.
func (p *Plan) RequireRoutes() error {
	faults, err := p.faults()
	if err != nil {
		return err
	}
	return faults.Refuse(p.Topology, p.OnlyRoot())
}

// NeedHeader keeps that a message has a tag and takes so many links.
func (p *Plan) NeedHeader(tag uint32, links int) {
	p.tag, p.links = max(p.tag, tag), max(p.links, links)
}

// TagByNodes keeps that the tags of a scatter's or a gather's messages are the nodes of their blocks, so many links from the root.
func (p *Plan) TagByNodes(lengths []int, depth []int32) {
	for n, words := range lengths {
		if words > 0 && router.NodeID(n) != p.Root {
			p.NeedHeader(uint32(n), int(depth[n]))
		}
	}
}

// FitsHeaders refuses a plan whose greatest tag and longest route do not fit together into the headers of its machine: a chip has room
// for both. Its error is an *input.Error.
func (p *Plan) FitsHeaders() error {
	if p.Machine.HeaderFlits() == 0 {
		return nil
	}
	m, err := p.Machine.Resolve(p.Topology)
	if err != nil {
		return err
	}
	return m.FitsHeader(p.Topology, p.tag, max(1, p.links))
}

// NewPlan returns the plan of a task in which all PEs are idle.
func (t *Task) NewPlan(roles ...*Role) *Plan {
	p := &Plan{
		Topology: t.Topology, Machine: t.Machine, Root: t.Root, Tree: t.RoutingTree, PEs: make([]PE, t.Topology.Nodes()),
		bounds: t.bounds,
	}
	for n := range p.PEs {
		p.PEs[n].Role = pe.Nothing
	}
	for i, r := range roles {
		r.Index = int32(i)
		p.Programs = append(p.Programs, r.program)
	}
	return p
}

// Source is a PE that has its block from the start.
func (t *Task) Source(r *Role, own *Parameters, n router.NodeID) PE {
	return PE{Role: r.Index, Parameters: own.Words, Block: Block{Words: t.Block(n), Given: Range{From: 0, To: t.Lengths[n]}}}
}

// StartupsFact says how many startups the longest chain of messages has.
func StartupsFact(startups int) Fact {
	return Fact{Key: "startups", Name: "startups in a row", Value: router.Cycle(startups), Unit: Counted}
}
