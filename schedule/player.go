// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"cmp"
	"math"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/internal/input"
	"meshwright/router"
)

// InjectionConflict is the collision of a message that could not enter in its
// cycle, because its channel was busy or its startup would have begun before
// cycle 0. The player finds it; the network's own are in package router.
const InjectionConflict router.Conflict = "injection"

// Player sends a schedule through a network: every message so that its first
// flit is in the injection register in the cycle of its dispatch, with the
// machine's startup before that. In a bufferless network a message that cannot
// be on time is a collision and is not sent; in others it goes as soon as its
// channel is free, in the order of dispatch.
type Player struct {
	net        *fabric.Network
	schedule   *Schedule    `snapshot:"start"`
	order      []int32      `snapshot:"-"` // rows by dispatch
	next       int          // first of order that is not yet due
	model      timing.Model `snapshot:"-"`
	bufferless bool         `snapshot:"-"`

	channels []channel // of all nodes
	base     []int32   `snapshot:"-"` // channels of node n start here
	queued   []int32   // next row that waits for the same channel, -1: last; nil when bufferless
	waiting  int       // rows in queues
	rowOf    []int32   // by serial number in the network, -1: not the player's
	late     []router.Collision
	mask     uint32   // content: bits of an element of a word; 0: messages without content
	elements int      // of a word
	words    []uint32 `snapshot:"-"` // content of the message being sent
}

// channel is an injection channel as the player sees it.
type channel struct {
	free        router.Cycle // bufferless: first dispatch that it can keep
	last        int32        // bufferless: row it was given last, -1: none
	first, tail int32        // rows that wait, -1: none
}

// NewPlayer returns a player for net; attach it before the first cycle. The
// schedule must be valid on the net's topology, see Validate. Rows with routes
// need a net of routing "source". Errors are *input.Error.
func NewPlayer(net *fabric.Network, s *Schedule) (*Player, error) {
	if net == nil {
		return nil, input.Errorf("expected one that fabric.New has made", "no network")
	}
	if err := s.Validate(net.Topology); err != nil {
		return nil, err
	}
	return newPlayer(net, s)
}

// newPlayer is NewPlayer for a schedule that has been validated.
func newPlayer(net *fabric.Network, s *Schedule) (*Player, error) {
	if s.HasRoutes() && net.Machine.Routing != machine.Source {
		return nil, input.Errorf("expected routing source", "rows have routes, the network has routing %s", net.Machine.Routing)
	}
	p := &Player{
		net: net, elements: net.Machine.Elements(), schedule: s, order: make([]int32, len(s.Rows)),
		model: timing.Of(&net.Machine), bufferless: net.Machine.Switching == machine.Bufferless,
		base: make([]int32, net.Topology.Nodes()+1),
	}
	for v := range net.Topology.Nodes() {
		p.base[v+1] = p.base[v] + net.Bank().Channels(router.NodeID(v))
	}
	p.channels = make([]channel, p.base[net.Topology.Nodes()])
	for k := range p.channels {
		p.channels[k] = channel{last: -1, first: -1, tail: -1}
	}
	if !p.bufferless {
		p.queued = make([]int32, len(s.Rows))
	}
	for i := range p.order {
		p.order[i] = int32(i)
	}
	net.NumberMessages(p.number)
	slices.SortStableFunc(p.order, func(a, b int32) int { return cmp.Compare(s.Rows[a].Dispatch, s.Rows[b].Dispatch) })
	return p, nil
}

// Evaluate implements fabric.Component.
func (p *Player) Evaluate(s fabric.Signals) {
	if p.waiting > 0 {
		for node, c := range s.Freed() {
			p.sendFirst(s, p.base[node]+c)
		}
	}
	for ; p.next < len(p.order); p.next++ {
		row := p.order[p.next]
		if p.schedule.Rows[row].Dispatch-p.model.Startup > s.Now() {
			return
		}
		if p.bufferless {
			p.sendInTime(s, row)
		} else {
			p.enqueue(s, row)
		}
	}
}

// Update implements fabric.Component.
func (p *Player) Update(fabric.Signals) {}

// OnlyMessages marks a fabric.Messenger.
func (p *Player) OnlyMessages() {}

// Wakes implements fabric.Sleeper.
func (p *Player) Wakes() router.Cycle {
	if p.next == len(p.order) {
		return fabric.Never
	}
	return max(0, p.schedule.Rows[p.order[p.next]].Dispatch-p.model.Startup)
}

// Finished implements fabric.Finisher.
func (p *Player) Finished() bool { return p.next == len(p.order) && p.waiting == 0 }

// Message returns the schedule's number of the message that the network knows
// by serial; false when another component sent it.
func (p *Player) Message(serial int32) (int32, bool) {
	if serial < 0 || int(serial) >= len(p.rowOf) || p.rowOf[serial] < 0 {
		return 0, false
	}
	return p.schedule.Rows[p.rowOf[serial]].Message, true
}

// number is the message's in traces of the run: the schedule's, and for messages of
// other components one that is in no row.
func (p *Player) number(serial int32) int64 {
	if number, ok := p.Message(serial); ok {
		return int64(number)
	}
	return math.MaxInt32 + 1 + int64(serial)
}

// Collisions returns the first collisions of a bufferless network and the
// number of all, injection conflicts included, by cycle. Lost and Holder are
// the schedule's message numbers, -1 for none and for messages of others. A Player that NewPlayer has not made has none.
func (p *Player) Collisions() ([]router.Collision, int) {
	if p.net == nil {
		return nil, 0
	}
	inside, count := p.net.Collisions()
	all := slices.Concat(p.late, inside)
	for i := len(p.late); i < len(all); i++ {
		all[i].Lost, all[i].Holder = p.numberOf(all[i].Lost), p.numberOf(all[i].Holder)
	}
	slices.SortStableFunc(all, func(a, b router.Collision) int { return cmp.Compare(a.Cycle, b.Cycle) })
	return all, count + len(p.late)
}

func (p *Player) numberOf(serial int32) int32 {
	if number, ok := p.Message(serial); ok {
		return number
	}
	return -1
}

// sendInTime sends a row whose startup begins now, unless it would be late.
func (p *Player) sendInTime(s fabric.Signals, row int32) {
	r := &p.schedule.Rows[row]
	c := &p.channels[p.channelOf(r)]
	if r.Dispatch < c.free || r.Dispatch < s.Now()+p.model.Startup || !p.send(s, row) {
		collision := router.Collision{
			Cycle: r.Dispatch, Node: r.Source, Port: router.NoPort, Conflict: InjectionConflict, Lost: r.Message, Holder: -1,
		}
		if c.last >= 0 && r.Dispatch < c.free {
			collision.Holder = p.schedule.Rows[c.last].Message
		}
		p.late = append(p.late, collision)
		return
	}
	c.last, c.free = row, r.Dispatch+p.model.Hold(r.Flits)
}

// enqueue puts a due row behind those that wait for its channel.
func (p *Player) enqueue(s fabric.Signals, row int32) {
	k := p.channelOf(&p.schedule.Rows[row])
	c := &p.channels[k]
	p.queued[row] = -1
	if c.first < 0 {
		c.first = row
	} else {
		p.queued[c.tail] = row
	}
	c.tail = row
	p.waiting++
	if c.first == row {
		p.sendFirst(s, k)
	}
}

// sendFirst sends the first row that waits for channel k, if the channel is free.
func (p *Player) sendFirst(s fabric.Signals, k int32) {
	c := &p.channels[k]
	if c.first < 0 || !p.send(s, c.first) {
		return
	}
	c.first = p.queued[c.first]
	p.waiting--
}

// send hands a row to the network.
func (p *Player) send(s fabric.Signals, row int32) bool {
	r := &p.schedule.Rows[row]
	m := fabric.Message{Source: r.Source, Destination: r.Destination, Tag: uint32(r.Message), Length: r.Flits, Route: p.ports(r)}
	if p.mask != 0 {
		p.words = appendContent(p.words[:0], r, p.elements, p.mask)
		m.Words = p.words
	}
	serial, err := s.Send(m)
	if err != nil {
		return false // busy; whatever else it is ends the run
	}
	for int(serial) >= len(p.rowOf) {
		p.rowOf = append(p.rowOf, -1)
	}
	p.rowOf[serial] = row
	return true
}

// ports translates a row's route from nodes to output ports.
func (p *Player) ports(r *Row) []router.Port { return r.ports(p.net.Topology) }

func (p *Player) port(from, to router.NodeID) router.Port { return portTo(p.net.Topology, from, to) }

// channelOf returns the channel by which a row leaves its source.
func (p *Player) channelOf(r *Row) int32 {
	m := &p.net.Machine
	var first router.Port
	switch {
	case m.Channels != machine.Links: // the only one
	case r.Route != nil:
		first = p.port(r.Source, r.Route[1])
	default:
		first = p.net.Next(r.Source, r.Destination)
	}
	return p.base[r.Source] + int32(timing.ChannelOf(m, first))
}
