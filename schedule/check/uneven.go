// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"context"
	"slices"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule"
)

// This file checks machines on which some links are slower than others. A worm waits for a slow link in the buffers before it, so that
// these machines are checked with their buffers and virtual channels. The times of a message that is alone follow flit by flit (type
// course). A schedule has no collision if all messages can move at these times: if none ever waits for another.

// BufferConflict is the collision of a message with one that is still in the buffer behind a link: it stands in front, or takes the room.
// Only machines whose links are not alike have it.
const BufferConflict router.Conflict = "buffer"

// uneven is a check of a machine with links that are slower than others.
type uneven struct {
	*plan // the rows and their routes; it knows the times of the fastest links alone

	hops, paces []router.Cycle // by slot: of the link
	lanes       int
	datelines   bool
	courses     []course // by row of the plan
	uses        []use    // what all messages use, by time
	things      things
}

// courseBytes is the memory of the time of a flit on a link, useBytes that of a use: alone, and while it is sorted and open.
const (
	courseBytes = 8
	useBytes    = 100
)

// checkUneven is Check for a resolved machine whose links have times of their own.
func checkUneven(s *schedule.Schedule, t *topology.Topology, m machine.Machine, o *options) (*Report, error) {
	u, err := newUneven(s, t, m)
	if err != nil {
		return nil, err
	}
	phase := progress.Begin(o.ctx, "check what "+input.Count(len(s.Rows), "message")+" use", 0)
	defer phase.End()
	if err := u.follow(o.ctx); err != nil {
		return nil, err
	}
	if err := memory.Need(o.ctx, "a check of "+input.Count(len(s.Rows), "message")+" on links that are not alike", memory.Of(useBytes*float64(u.countUses()))); err != nil {
		return nil, err
	}
	u.listUses()
	r := &Report{Messages: len(s.Rows)}
	e := effort{o.ctx, phase}
	u.list(e, r)
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	u.measure(r, o.arrivals)
	if err := u.lose(r); err != nil {
		return nil, err
	}
	floor := o.floor
	if floor == nil {
		floor = FloorOf
	}
	if r.LowerBound = floor(s, t, u.m.FastestLinks()); r.LowerBound > 0 {
		r.Ratio = float64(r.Cycles) / float64(r.LowerBound)
	}
	return r, nil
}

// newUneven returns the check of a valid schedule that fits the machine.
func newUneven(s *schedule.Schedule, t *topology.Topology, m machine.Machine) (*uneven, error) {
	if m.Routing.Classes() > 1 || m.Routing.Reorders() {
		return nil, input.Errorf("expected dor, yx, table, updown or source", "routing %s: a check knows only routings with one route between two nodes", m.Routing)
	}
	if m.ChoosesChannels(t) {
		return nil, input.Errorf("expected lane", "%s %s: a check knows only the virtual channels of lanes", machine.ChoiceKey, m.Choice)
	}
	if m.Claim != 0 {
		return nil, input.Errorf("expected claim 0", "claim %d: a check knows no claims", m.Claim)
	}
	times, err := m.LinkTimes(t)
	if err != nil {
		return nil, err
	}
	p, err := layOut(s, t, m)
	if err != nil {
		return nil, err
	}
	p.sort()
	u := &uneven{plan: p, lanes: m.Lanes(t), datelines: m.Datelines(t), courses: make([]course, len(p.rows))}
	u.hops, u.paces = make([]router.Cycle, len(p.lines.link)), make([]router.Cycle, len(p.lines.link))
	for link := range t.EachLink() {
		slot, of := p.lines.portSlot(link.From, link.FromPort), times.Of(link.From, link.FromPort)
		u.hops[slot], u.paces[slot] = router.Cycle(of.Hop), router.Cycle(of.Flit)
	}
	u.things = newThings(u)
	return u, nil
}

// follow works out the courses of all messages.
func (u *uneven) follow(ctx context.Context) error {
	size := 0.0
	for row := range u.rows {
		u.courses[row].links = u.linksOf(row)
		size += float64(u.flits(row)) * float64(len(u.courses[row].links)+2)
	}
	if err := memory.Need(ctx, "the times of "+input.Count(len(u.rows), "message")+", flit by flit", memory.Of(courseBytes*size)); err != nil {
		return err
	}
	for row := range u.rows {
		u.pace(row)
		if row&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// flits returns the flits of a row, the header flit included.
func (u *uneven) flits(row int) int { return u.m.WithHeader(int(u.rows[row].flits)) }

// list names the first collisions, and counts all up to Counted.
func (u *uneven) list(e effort, r *Report) {
	named := newCollector(u.rows)
	u.search(e, named)
	r.OK = len(named.pairs) == 0
	if len(named.pairs) > Listed {
		named.prune()
	}
	for _, key := range named.sorted() {
		r.First = append(r.First, u.describe(key, named.pairs[key], u.smallestDelay))
	}
	if r.Collisions = len(r.First); r.Collisions == Listed {
		all := newCounter(u.rows)
		u.search(e, all)
		r.Collisions, r.More = len(all.tally), all.more
	}
}

// search hands all collisions to a collector.
func (u *uneven) search(e effort, c *collector) {
	u.tellStartups(c)
	u.findOverlaps(e, c)
	u.findFull(e, c)
}

// measure fills in the times of the messages and of the links.
func (u *uneven) measure(r *Report, arrivals bool) {
	if arrivals {
		r.Arrivals = make([]router.Cycle, len(u.rows))
		r.Heads, r.Hops = make([]router.Cycle, len(u.rows)), make([]int32, len(u.rows))
	}
	r.Links = make([]LinkUse, len(u.lines.link))
	for row := range u.rows {
		c, of := &u.courses[row], u.rows[row].of
		end := u.arrival(row)
		r.Quiet = max(r.Quiet, end)
		if !u.s.Rows[of].Control {
			r.Cycles = max(r.Cycles, end)
		}
		if arrivals {
			r.Arrivals[of], r.Hops[of] = end, int32(len(c.links))
			r.Heads[of] = c.taken()[0] + u.model.Flit
		}
		for _, l := range c.links {
			r.Links[u.lines.link[l.slot]].Flits += uint64(u.flits(row))
			r.FlitHops += uint64(u.flits(row))
		}
	}
	u.measureBusy(r)
	r.Hottest = hottestOf(r.Links)
}

// measureBusy fills in for how long links are busy until the network is quiet. The uses of a link come by their beginning.
func (u *uneven) measureBusy(r *Report) {
	busyUntil := make([]router.Cycle, len(u.lines.link))
	for i := range u.uses {
		x := &u.uses[i]
		if x.thing >= int32(len(busyUntil)) { // not the flits of a link: see newThings
			continue
		}
		from, to := max(x.from, busyUntil[x.thing]), min(x.to, r.Quiet)
		if from < to {
			r.Links[u.lines.link[x.thing]].Busy += uint64(to - from)
			busyUntil[x.thing] = to
		}
	}
}

// arrival returns when the PE has a row's last flit.
func (u *uneven) arrival(row int) router.Cycle {
	taken := u.courses[row].taken()
	return taken[len(taken)-1] + u.model.Flit
}

// lose lists the messages that links lose.
func (u *uneven) lose(r *Report) error {
	if u.m.Faults == nil {
		return nil
	}
	faults, err := u.m.Faults.On(u.t, 1, u.m.Width, u.m.StoredBits())
	if err != nil {
		return err
	}
	var lost []Loss
	for row := range u.rows {
		c, of := &u.courses[row], u.rows[row].of
		for k, l := range c.links {
			if at := c.crossed(k)[0]; faults.Loses(u.lines.tail[l.slot], u.lines.head[l.slot], at) != fault.Sound {
				lost = append(lost, Loss{u.s.Rows[of].Message, int(of), int(u.lines.link[l.slot]), at})
				if r.Arrivals != nil {
					r.Arrivals[of] = -1
				}
				break
			}
		}
	}
	slices.SortFunc(lost, func(a, b Loss) int { return cmp.Compare(a.Row, b.Row) })
	r.Lost, r.Losses = len(lost), lost[:min(Listed, len(lost))]
	return nil
}
