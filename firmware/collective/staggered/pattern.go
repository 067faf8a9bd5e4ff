// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"slices"

	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/transfer"
)

// message brings units of a part from a node to another.
type message struct {
	from, to int32
	units    []int32 // in rising order
	after    []int32 // the messages that have to be whole at its sender before it is handed over
}

// pattern is the messages of a part, whatever its words. A part has as many units of each node, which are about equally long: unit k of node v is k*nodes + v.
type pattern struct {
	nodes, each int       // units of a node
	messages    []message // first those of the reduce-scatter, then those of the all-gather
	sums        int       // messages of the reduce-scatter
	next        [][]int32 // by message: those that wait for it
}

// newPattern makes the pattern of an all-gather in which each unit comes once to every node but its own, behind the message that brings it to the sender. Turned round in time it is the reduce-scatter.
func newPattern(nodes, each int, out []message, scatters, gathers bool) *pattern {
	p := &pattern{nodes: nodes, each: each}
	if scatters {
		p.scatter(out)
	}
	if gathers {
		p.gather(out)
	}
	p.next = make([][]int32, len(p.messages))
	for i := range p.messages {
		m := &p.messages[i]
		slices.Sort(m.after)
		m.after = slices.Clip(slices.Compact(m.after))
		for _, before := range m.after {
			p.next[before] = append(p.next[before], int32(i))
		}
	}
	return p
}

// units returns how many there are of all nodes.
func (p *pattern) units() int { return p.nodes * p.each }

// scatter adds the reduce-scatter: an all-gather from its end to its beginning. Each sum waits for those that come to its sender.
func (p *pattern) scatter(out []message) {
	p.sums = len(out)
	last := int32(len(out) - 1)
	p.messages = make([]message, len(out), 2*len(out))
	for i := range out {
		p.messages[last-int32(i)] = message{from: out[i].to, to: out[i].from, units: out[i].units}
	}
	p.follow(out, func(i, by int32) {
		m := &p.messages[last-by]
		m.after = append(m.after, last-i)
	}, func(int32, int32) {})
}

// gather adds the all-gather. Each message waits for those that bring its units, or at a unit's own node for all sums of it.
func (p *pattern) gather(out []message) {
	half := int32(p.sums)
	sums := make([][]int32, p.units()) // by unit: the last sums of it
	if p.sums > 0 {
		p.follow(out, func(int32, int32) {}, func(i, unit int32) { sums[unit] = append(sums[unit], half-1-i) })
	}
	for i := range out {
		p.messages = append(p.messages, message{from: out[i].from, to: out[i].to, units: out[i].units})
	}
	p.follow(out, func(i, by int32) {
		m := &p.messages[half+i]
		m.after = append(m.after, half+by)
	}, func(i, unit int32) {
		m := &p.messages[half+i]
		m.after = append(m.after, sums[unit]...)
	})
}

// follow calls a function for each message of an all-gather and each unit of it: with the message that brought the unit to its sender, or with the unit if it is the sender's own.
func (p *pattern) follow(out []message, brought func(message, by int32), own func(message, unit int32)) {
	units := p.units()
	last := make([]int32, p.nodes*units) // by node and unit: the message that brings it, plus 1
	for i := range out {
		m := &out[i]
		for _, u := range m.units {
			if by := last[int(m.from)*units+int(u)]; by > 0 {
				brought(int32(i), by-1)
			} else {
				own(int32(i), u)
			}
			last[int(m.to)*units+int(u)] = int32(i) + 1
		}
	}
}

// along lists the messages of an all-gather by a form.
func (f form) along(g stages.Grid, pace stages.Pace, nodes int) (out []message, err error) {
	lengths := slices.Repeat([]int{f.each}, nodes)
	l, err := f.List(g, lengths, pace)
	if err != nil {
		return nil, err
	}
	if f.words > 0 {
		timed, err := f.List(g, slices.Repeat([]int{f.words}, nodes), pace) // the same messages, longer
		if err != nil {
			return nil, err
		}
		for i := range l.Transfers {
			l.Transfers[i].Step = int(timed.Transfers[i].Start)
		}
	}
	l = sendtree.Once(l, lengths) // what comes twice would be summed up twice
	for i := range l.Transfers {
		if x := &l.Transfers[i]; x.Out.Words() > 0 {
			out = append(out, message{from: int32(x.From), to: int32(x.To), units: unitsOf(x.Out, f.each, nodes)})
		}
	}
	return out, nil
}

// unitsOf numbers the words of a list of blocks of so many units.
func unitsOf(s transfer.Set, each, nodes int) (units []int32) {
	for _, r := range s {
		for w := r.From; w < r.To; w++ {
			units = append(units, int32(w%each*nodes+w/each))
		}
	}
	slices.Sort(units)
	return units
}
