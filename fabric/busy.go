// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"cmp"
	"iter"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// A link is busy from the tick in which a flit begins to use it until its time on
// the link is over; a packet begins with its set-up. The further cycles of a hop
// are the route of a flit that has left: the link takes the next one meanwhile. See
// machine.BusyTicks for the sum.

// LinkUse counts what a link did during a run, in ticks. The sum of the counts is the time
// until the network was quiet, see Network.Quiet; while flits are in flight it is the time
// until now.
type LinkUse struct {
	Link    int // index in Topology.Links
	Flits   uint64
	Busy    uint64 // a flit, or a packet's set-up, had the link
	Blocked uint64 // it was free, and a flit or packet that was offered could not have it
	Idle    uint64 // neither
}

// LinkUse returns the counts of every link, in the order of Topology.Links.
func (n *Network) LinkUse() []LinkUse {
	var use []LinkUse
	for _, u := range n.LinkUses() {
		use = append(use, u)
	}
	return use
}

// LinkUses ranges over the links and their counts, in the same order, without a list of them.
func (n *Network) LinkUses() iter.Seq2[topology.Link, LinkUse] {
	end := uint64(n.bank.Now())
	if n.empty() {
		end = uint64(n.used)
	}
	return func(yield func(topology.Link, LinkUse) bool) {
		i := 0
		for link := range n.Topology.EachLink() {
			flits := n.bank.Carried(link.From, link.FromPort)
			u := LinkUse{Link: i, Flits: flits, Busy: n.busyTicks(link, flits, end)}
			u.Busy = min(end, u.Busy) // a stopped run has not seen the end of its last flits
			u.Blocked = min(end-u.Busy, n.bank.BlockedCycles(link.From, link.FromPort))
			u.Idle = end - u.Busy - u.Blocked
			if i++; !yield(link, u) {
				return
			}
		}
	}
}

// busyTicks returns the ticks for which so many flits, and their packets' set-ups, have a link, those after the end of a run left out where the
// link is slower than others.
func (n *Network) busyTicks(link topology.Link, flits, end uint64) uint64 {
	if n.times != nil {
		beyond := router.Cycle(0)
		if n.empty() {
			beyond = max(0, n.bank.RestsUntil(link.From, link.FromPort)-router.Cycle(end))
		}
		return flits*uint64(n.FlitTime(link.From, link.FromPort)) - uint64(beyond)
	}
	return n.Machine.BusyTicks(flits, n.bank.Setups(link.From, link.FromPort))
}

// Hottest returns the link that was busy for longest, the first of several, and its counts; ok is false if none was busy.
func (n *Network) Hottest() (hottest topology.Link, use LinkUse, ok bool) {
	for link, u := range n.LinkUses() {
		if Hotter(u, use) < 0 {
			hottest, use, ok = link, u, true
		}
	}
	return hottest, use, ok
}

// Hotter compares what two links did: the one that was busy for longer is first, and of equally busy ones that with more flits.
func Hotter(a, b LinkUse) int {
	return cmp.Or(cmp.Compare(b.Busy, a.Busy), cmp.Compare(b.Flits, a.Flits))
}

// Quiet returns when the network became quiet: the time, in ticks, until which flits of
// any kind, control words included, used links or ejection channels. After it no flit is
// in flight, or the flits in flight will never move. A link that is slower than others may rest longer.
func (n *Network) Quiet() router.Cycle { return n.used }

// LastTaken returns the time, in ticks, at which PEs had taken the last flit of any
// kind. It is earlier than Quiet when links lose flits after it.
func (n *Network) LastTaken() router.Cycle { return n.taken }

// BusyShare returns the part of the time until the network was quiet in which a
// link was busy, from 0 to 1.
func (n *Network) BusyShare(u LinkUse) float64 { return Share(u.Busy, n.used) }

// Share returns the part that some ticks are of a time, 0 of no time.
func Share(ticks uint64, of router.Cycle) float64 {
	if of <= 0 {
		return 0
	}
	return float64(ticks) / float64(of)
}

// Holds returns the ticks in which a flit that crosses a link in tick now keeps
// the link busy: from to until-1. A packet's flit crosses in the last tick of its
// time on the link; a head has the set-up before.
func (n *Network) Holds(now router.Cycle, node router.NodeID, p router.Port, f router.Flit) (from, until router.Cycle) {
	flit := n.FlitTime(node, p)
	if !n.Machine.PacketSwitched() {
		return now, now + flit
	}
	from = now + 1 - flit
	if f.Flags&router.Head != 0 {
		from -= router.Cycle(n.Machine.SetupTicks())
	}
	return from, now + 1
}

// noteUse notes until when links and ejection channels are in use that are so in
// this tick, now.
func (n *Network) noteUse(now router.Cycle) {
	if n.nic.taking() {
		n.taken = n.ArrivalTime(now)
		n.used = max(n.used, n.taken)
	}
	if n.bank.Crossing() {
		n.used = max(n.used, now+n.nic.holds)
	}
}
