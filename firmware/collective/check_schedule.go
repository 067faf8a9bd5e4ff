// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"context"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// Checked is what a check finds out about a schedule. Times are in ticks, of which Machine.Ticks are a cycle.
type Checked struct {
	OK      bool                // nothing collides, or all packets arrive and buffers are large enough; no fault loses a message; and it is the collective that it is meant to be
	Machine machine.Machine     // on which it was checked
	Worms   *check.Report       // with the arrivals; nil on a machine that switches packets
	Packets *check.PacketReport // nil on other machines
	Flow    *Followed           // nil: the schedule is not meant to be a collective

	Cycles     router.Cycle
	LowerBound router.Cycle // no schedule of the collective takes less; of these messages, each by itself, where none is meant
	Ratio      float64      // Cycles / LowerBound; 0 when the schedule is not OK, or there is no bound
}

// CheckSchedule checks a schedule without a run, as the verb check does. A machine that does not switch packets is taken without buffers, see machine.Machine.WithoutWaiting: worms that
// wait for one another are beyond a check. With the collective that the schedule is meant to be, it also follows the blocks that
// the rows name (schedule.Row.Blocks), and takes the lower bound from that collective. The errors are *input.Error, *memory.TooLarge, and that of the context.
func CheckSchedule(ctx context.Context, s *schedule.Schedule, t *topology.Topology, m machine.Machine, meant Meant) (*Checked, error) {
	c, err := checkMessages(ctx, s, t, m)
	if err != nil || meant.Collective == "" {
		return c, err
	}
	resolved, err := c.Machine.Resolve(t)
	if err != nil {
		return nil, err
	}
	if c.Flow, err = meant.follow(ctx, s, t, resolved, c.entries(s), c.arrivals()); err != nil {
		return nil, err
	}
	c.OK, c.LowerBound = c.OK && c.Flow.OK, c.Flow.Bound.Cycles
	c.rate()
	return c, nil
}

// checkMessages checks a schedule that is not meant to be a collective.
func checkMessages(ctx context.Context, s *schedule.Schedule, t *topology.Topology, m machine.Machine) (*Checked, error) {
	if m.PacketSwitched() {
		r, err := check.Packets(s, t, m, check.Under(ctx))
		if err != nil {
			return nil, err
		}
		if m, err = m.FitPackets(r.Largest); err != nil {
			return nil, err
		}
		c := &Checked{OK: r.OK && len(r.Losses) == 0, Machine: m, Packets: r, Cycles: r.Cycles, LowerBound: r.LowerBound}
		c.rate()
		return c, nil
	}
	m = m.WithoutWaiting()
	r, err := check.Check(s, t, m, check.Under(ctx), check.KeepArrivals())
	if err != nil {
		return nil, err
	}
	c := &Checked{OK: r.OK && r.Lost == 0, Machine: m, Worms: r, Cycles: r.Cycles, LowerBound: r.LowerBound}
	c.rate()
	return c, nil
}

// entries are the ticks in which the first flits stand in the injection registers: those of worms are their dispatches, since nothing waits
// without buffers, and so are those of packets that never enter.
func (c *Checked) entries(s *schedule.Schedule) []router.Cycle {
	entered := make([]router.Cycle, len(s.Rows))
	for row := range s.Rows {
		if entered[row] = s.Rows[row].Dispatch; c.Packets != nil && c.Packets.Entered[row] >= 0 {
			entered[row] = c.Packets.Entered[row]
		}
	}
	return entered
}

// arrivals are the ticks by row in which the messages arrive, -1: never.
func (c *Checked) arrivals() []router.Cycle {
	if c.Packets != nil {
		return c.Packets.Arrivals
	}
	return c.Worms.Arrivals
}

// rate finds the ratio.
func (c *Checked) rate() {
	if c.Ratio = 0; c.OK && c.LowerBound > 0 {
		c.Ratio = float64(c.Cycles) / float64(c.LowerBound)
	}
}
