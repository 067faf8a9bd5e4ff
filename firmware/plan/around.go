// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/pe"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Whole is the network of a task that is planned on what known faults leave of it.
type Whole struct {
	*topology.Survivors
	Machine machine.Machine // resolved for the whole network
}

// NewTaskAround checks a job on what faults leave of its network. The task is one of the live nodes by
// their new numbers; dead nodes have no words. Only plans whose messages go to neighbours can
// be made of it: these plans are translated to the whole network.
func NewTaskAround(ctx context.Context, j Job, kind Kind, s *topology.Survivors) (*Task, error) {
	m, err := j.Machine.Resolve(j.Topology)
	if err != nil {
		return nil, err
	}
	left, err := jobOfLiveNodes(j, kind, s)
	if err != nil {
		return nil, err
	}
	t, err := NewTask(ctx, left, kind)
	if err != nil {
		return nil, err
	}
	t.Whole = &Whole{s, m}
	t.bounds, err = boundsAround(t)
	return t, err
}

// boundsAround returns the bounds of a task that is planned on what known faults leave. Its firmware runs on the chips of the whole network. Where no node
// is dead, each of its plans is one of the sound network, too, whose bounds know the shape of that network.
func boundsAround(t *Task) (*bounds, error) {
	loose := *t
	loose.Topology, loose.Machine.VCs = t.Whole.Loose, t.Whole.Machine.VCs
	b, err := boundsOf(&loose)
	if err != nil || len(t.Whole.Node) < t.Whole.Whole.Nodes() {
		return b, err
	}
	sound := *t
	sound.Topology, sound.Machine = t.Whole.Whole, t.Whole.Machine
	of, err := boundsOf(&sound)
	return b.and(of), err
}

// jobOfLiveNodes is a job without its dead nodes.
func jobOfLiveNodes(j Job, kind Kind, s *topology.Survivors) (Job, error) {
	nodes := j.Topology.Nodes()
	if len(j.Lengths) != nodes || j.Payload != nil && len(j.Payload) != nodes {
		return j, input.Errorf("expected one for each node", "%d lengths and %d payloads for %d nodes", len(j.Lengths), len(j.Payload), nodes)
	}
	left := j
	left.Topology, left.Root = s.Topology, 0
	left.Machine.Routing = ""
	if kind.Rooted {
		if err := j.Topology.ValidNode("root", j.Root); err != nil {
			return j, err
		}
		if left.Root = s.Place[j.Root]; left.Root == router.None {
			return j, input.Errorf("expected a live node", "root %d is dead", j.Root)
		}
	}
	left.Lengths, left.Payload = nil, nil
	for _, n := range s.Node {
		left.Lengths = append(left.Lengths, j.Lengths[n])
		if j.Payload != nil {
			left.Payload = append(left.Payload, liveWords(j, kind, s, n))
		}
	}
	return left, nil
}

// liveWords are the given words of a live node, in an exchange without the words for dead nodes.
func liveWords(j Job, kind Kind, s *topology.Survivors, n router.NodeID) []uint32 {
	words, length := j.Payload[n], j.Lengths[n]
	if kind.Holders != Each || len(words) != length*(len(s.Place)-1) {
		return words
	}
	var left []uint32
	for to, place := range s.Place {
		if place != router.None && router.NodeID(to) != n {
			from := (to - after(router.NodeID(to), n)) * length
			left = append(left, words[from:from+length]...)
		}
	}
	return left
}

// planOnWhole turns transfers between neighbours into firmware for the whole network. Dead nodes have none.
func (t *Task) planOnWhole(l *transfer.List, blocks func(router.NodeID) Block) (*Plan, error) {
	w, whole, list := t.Whole, *t, *l
	whole.Whole = nil
	whole.Topology, whole.Machine, whole.Root = w.Whole, w.Machine, w.Node[t.Root]
	list.Nodes, list.Transfers = w.Whole.Nodes(), make([]transfer.Transfer, len(l.Transfers))
	for i, x := range l.Transfers {
		if _, ok := t.Topology.PortTo(x.From, x.To); x.From != x.To && !ok || x.Route != nil {
			panic("plan: a message around faults that does not go to a neighbour")
		}
		x.From, x.To = w.Node[x.From], w.Node[x.To]
		list.Transfers[i] = x
	}
	p, err := whole.TransferPlan(&list, func(n router.NodeID) Block {
		if place := w.Place[n]; place != router.None {
			return blocks(place)
		}
		return Block{}
	})
	if err != nil {
		return nil, err
	}
	for n, place := range w.Place {
		if place == router.None {
			p.PEs[n] = PE{Role: pe.Nothing}
		}
	}
	return p, nil
}

// ShowSurvivors adds what a plan around faults leaves out to its facts.
func (t *Task) ShowSurvivors(p *Plan) {
	if t.Whole == nil {
		return
	}
	nodes, links := t.Whole.Dead()
	oneWay := (len(t.Whole.Loose.Links()) - len(t.Topology.Links())) / 2 // Loose has them in both directions
	facts := []Fact{
		{Key: "avoided_nodes", Name: "dead nodes, avoided", Value: router.Cycle(nodes), Unit: Counted},
		{Key: "avoided_links", Value: router.Cycle(links), Unit: Counted},
		{Key: "", Name: "dead links, avoided (both ways)", Value: router.Cycle(links/2 - oneWay), Unit: Counted},
	}
	if oneWay > 0 {
		facts = append(facts, Fact{Key: "", Name: "dead one way, avoided both ways", Value: router.Cycle(oneWay), Unit: Counted})
	}
	p.Facts = append(facts, p.Facts...)
}
