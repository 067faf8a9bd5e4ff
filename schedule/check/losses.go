// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric/fault"
	"meshwright/router"
)

// Loss is a message that a fault of the machine loses.
type Loss struct {
	Message int32
	Row     int          // in Schedule.Rows
	Link    int          // index in Topology.Links
	Cycle   router.Cycle // in which its head crosses the link; with packets: tick
}

// lose lists the messages that links lose whose heads cross them on time: all
// heads do on a machine without buffers, if there are no collisions.
func (p *plan) lose(r *Report) error {
	if p.m.Faults == nil {
		return nil
	}
	faults, err := p.m.Faults.On(p.t, 1, p.m.Width, p.m.StoredBits())
	if err != nil {
		return err
	}
	rows := make([]int, len(p.rows)) // by number in the schedule
	for row := range p.rows {
		rows[p.rows[row].of] = row
	}
	for number, row := range rows {
		if loss, lost := p.loss(faults, row); lost {
			if r.Lost++; r.Lost <= Listed {
				r.Losses = append(r.Losses, loss)
			}
			if r.Arrivals != nil {
				r.Arrivals[number] = -1
			}
		}
	}
	return nil
}

// loss follows the head of a row to the first link that loses it.
func (p *plan) loss(faults *fault.Faults, row int) (Loss, bool) {
	for _, part := range p.pieces[p.begin[row]:p.begin[row+1]] {
		at := part.at
		for slot := part.first; slot < part.last; slot++ {
			if faults.Loses(p.lines.tail[slot], p.lines.head[slot], at) != fault.Sound {
				of := p.rows[row].of
				return Loss{p.s.Rows[of].Message, int(of), int(p.lines.link[slot]), at}, true
			}
			at += p.hop
		}
	}
	return Loss{}, false
}

// loses reports whether a link loses the packet that it carries, whose head is over it.
func (a *account) loses(slot int32) bool {
	if a.faults == nil {
		return false
	}
	return a.faults.Loses(a.lines.tail[slot], a.lines.head[slot], a.headTick(slot)) != fault.Sound
}

// headTick returns the tick in which the head of a link's packet crosses it.
func (a *account) headTick(slot int32) router.Cycle {
	return a.units[a.links[slot].from].granted + a.setup + a.flit - 1
}

// lose notes the packet that a link has lost.
func (a *account) lose(slot int32) {
	row := a.links[slot].packet
	a.report.Losses = append(a.report.Losses, Loss{a.s.Rows[row].Message, int(row), int(a.lines.link[slot]), a.headTick(slot)})
}
