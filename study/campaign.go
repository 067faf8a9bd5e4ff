// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"fmt"
	"math/bits"
	"reflect"

	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Campaign tries sets of faults on a plan whose messages travel in copies. Each set is of Count faults
// that last from cycle 0 on. All sets are replayed; some of them also run in the cycle model, which must agree.
type Campaign struct {
	Plan  *plan.Plan
	Among fault.Random // its Count is that of a set
	Sets  int          // random ones; 0: all
	Seed  uint64       // of random sets
	Model int          // sets that also run in the model

	Workers int // goroutines; 0: one for each core
}

// CampaignResult is what a campaign found.
type CampaignResult struct {
	Copies     int  // of each message
	Withstands int  // any so many faults are survived, by the routes of the copies; tolerant.Any: any number
	Sets       int  // to try
	All        bool // these are all that there are
	Tried      int  // fewer than Sets after an interrupt
	Failed     int  // of the sets tried: some live node lacks a message of a live node
	Apart      int  // of the failed sets those that cut a live node off from another, or from the root
	Model      int  // sets that have also run in the model, with the same result
	First      *Counterexample
}

// Counterexample is a set of faults that is not survived.
type Counterexample struct {
	Set     int           // its number, from 1
	Faults  []fault.Fault // of the set
	Needed  []fault.Fault // some of them that suffice: without any one of these the rest is survived
	Account tolerant.Account
	Apart   []router.NodeID // see Apart; nil: the network holds together
}

// replayBytes is the memory of a message that is replayed: its hop, its slots, and their state for each worker.
const replayBytes = 150

// maxSets bounds the sets of a campaign.
const maxSets = 100_000_000

// campaign is a campaign while it runs.
type campaign struct {
	*Campaign
	ctx    context.Context
	replay *tolerant.Replay
	root   router.NodeID // that must live; router.None: none
	draw   *sets
	failed []uint64 // by batch of tolerant.MaxSets sets
	apart  []int    // by batch
	tried  []bool   // by batch
	result *CampaignResult
}

// Run runs the campaign. After an interrupt it returns what was found so far, with the context's error.
// Other errors are *input.Error, *memory.TooLarge and *Disagreement.
func (c *Campaign) Run(ctx context.Context) (*CampaignResult, error) {
	if err := c.Plan.Valid(); err != nil {
		return nil, err
	}
	r := &campaign{Campaign: c, ctx: ctx}
	err := memory.Need(ctx, "a campaign on "+c.Plan.Topology.String(), memory.Of(replayBytes*float64(c.Plan.Messages)))
	if err != nil {
		return nil, err
	}
	if r.replay, err = tolerant.NewReplay(c.Plan); err != nil {
		return nil, err
	}
	r.root = c.Plan.OnlyRoot()
	if r.draw, err = newSets(c, r.root); err != nil {
		return nil, err
	}
	r.result = &CampaignResult{Copies: r.replay.Copies(), Sets: r.draw.count, All: c.Sets == 0, Withstands: r.replay.Withstands(c.Among.Nodes, c.Among.Links)}
	err = r.try()
	r.sum()
	if err == nil {
		err = r.confirm()
	}
	return r.result, err
}

// try replays all sets.
func (r *campaign) try() error {
	batches := (r.draw.count + tolerant.MaxSets - 1) / tolerant.MaxSets
	r.failed, r.apart, r.tried = make([]uint64, batches), make([]int, batches), make([]bool, batches)
	phase := progress.Begin(r.ctx, fmt.Sprintf("replay %s of faults, %d each", input.Count(r.draw.count, "set"), tolerant.MaxSets), batches)
	defer phase.End()
	return parallel.Each(r.ctx, phase, r.workers(), batches, func() func(int) error {
		player := r.replay.Player()
		return func(batch int) error {
			sets := r.draw.from(batch*tolerant.MaxSets, tolerant.MaxSets)
			failed := player.Failed(sets)
			r.failed[batch] = failed
			for ; failed != 0; failed &= failed - 1 {
				if r.cuts(sets[bits.TrailingZeros64(failed)]) != nil {
					r.apart[batch]++
				}
			}
			r.tried[batch] = true
			return nil
		}
	})
}

func (r *campaign) workers() int {
	if r.Workers > 0 {
		return r.Workers
	}
	return parallel.Workers()
}

// cuts returns the live nodes that a set cuts off.
func (r *campaign) cuts(set []fault.Fault) []router.NodeID {
	return fault.Apart(r.Plan.Topology, fault.BothWays(set), r.root)
}

// sum sums up what was tried, and takes the first counterexample apart.
func (r *campaign) sum() {
	for batch, tried := range r.tried {
		if !tried {
			continue
		}
		first := batch * tolerant.MaxSets
		r.result.Tried += min(tolerant.MaxSets, r.draw.count-first)
		r.result.Failed += bits.OnesCount64(r.failed[batch])
		r.result.Apart += r.apart[batch]
		if r.result.First == nil && r.failed[batch] != 0 {
			r.result.First = r.shrink(first + bits.TrailingZeros64(r.failed[batch]))
		}
	}
}

// shrink leaves out one fault after another, as long as some live node still lacks a message.
func (r *campaign) shrink(set int) *Counterexample {
	c := &Counterexample{Set: set + 1, Faults: r.draw.from(set, 1)[0]}
	player := r.replay.Player()
	c.Needed = c.Faults
	for i := 0; i < len(c.Needed); {
		rest := append(append([]fault.Fault(nil), c.Needed[:i]...), c.Needed[i+1:]...)
		if player.Failed([][]fault.Fault{rest}) == 0 {
			i++
			continue
		}
		c.Needed, i = rest, 0 // a fault that was needed before may be so no more
	}
	c.Account = player.Account(c.Needed)
	c.Apart = r.cuts(c.Needed)
	return c
}

// confirm runs some of the sets in the model, evenly spread, and the counterexample.
func (r *campaign) confirm() error {
	count := min(r.Model, r.draw.count)
	workers := r.workers()
	if err := memory.Need(r.ctx, "a campaign on "+r.Plan.Topology.String(), memory.Of(float64(workers)*float64(r.Plan.Memory()))); err != nil {
		workers = 1
	}
	phase := progress.Begin(r.ctx, "run "+input.Count(count, "set")+" in the model", count)
	defer phase.End()
	err := parallel.Each(r.ctx, phase, workers, count, func() func(int) error {
		player := r.replay.Player()
		return func(i int) error {
			set := int(float64(i) * float64(r.draw.count) / float64(count))
			return r.compare(player, r.draw.from(set, 1)[0])
		}
	})
	if err != nil {
		return err
	}
	r.result.Model = count
	if r.result.First == nil {
		return nil
	}
	return r.compare(r.replay.Player(), r.result.First.Needed)
}

// compare runs a set in the model, and demands the account of the replay.
func (r *campaign) compare(player *tolerant.Player, set []fault.Fault) error {
	p := *r.Plan
	p.Machine.Faults = &fault.List{Faults: fault.BothWays(set)}
	run, err := collective.Execute(r.ctx, &p)
	if err != nil {
		return err
	}
	if run.Arrivals == nil {
		return run.Failure
	}
	want := player.Account(set)
	got := tolerant.Account{Live: run.Arrivals.Live, Fewest: run.Arrivals.Fewest}
	for i, at := range run.Arrivals.Incomplete {
		short := tolerant.Short{Node: at.Node, Missing: at.Missing, Words: at.Wrong}
		if i < len(want.Nodes) {
			short.FromLive = want.Nodes[i].FromLive // the model does not tell whose messages are missing
		}
		got.Nodes = append(got.Nodes, short)
	}
	if !reflect.DeepEqual(want, got) {
		return &Disagreement{p.Collective, p.Topology, set, want, got}
	}
	return nil
}

// Disagreement is a set of faults whose replay differs from its run in the model.
type Disagreement struct {
	Collective    string
	Topology      *topology.Topology
	Faults        []fault.Fault
	Replay, Model tolerant.Account
}

// Error names the faults and both results.
func (d *Disagreement) Error() string {
	return fmt.Sprintf("%s on %s with %s: the replay says %s, the model says %s", d.Collective, d.Topology, FaultText(d.Faults), accountText(&d.Replay), accountText(&d.Model))
}

func accountText(a *tolerant.Account) string {
	text := fmt.Sprintf("%d of %s lack messages, fewest copies %d", len(a.Nodes), input.Count(a.Live, "live PE"), a.Fewest)
	if len(a.Nodes) > 0 {
		n := a.Nodes[0]
		text += fmt.Sprintf(", first PE %d lacks %s of %s", n.Node, input.Count(n.Missing, "message"), input.Count(n.Words, "word"))
	}
	return text
}

// FaultText names faults in a line: nodes by number, links by their two ends.
func FaultText(faults []fault.Fault) string {
	text := ""
	for i, f := range faults {
		if i > 0 {
			text += ", "
		}
		if f.Kind == fault.Link {
			text += fmt.Sprintf("link %d-%d", f.From, f.To)
		} else {
			text += fmt.Sprintf("node %d", f.From)
		}
	}
	return text
}
