// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/firmware/pe"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Replay says which copies of a plan's messages arrive when nodes and links are dead from cycle 0 on. It reads
// the lists that the PEs go by, and follows the copies from slot to slot. It needs no network, since no message
// of such a plan delays another: a copy is lost where its route is cut, and nowhere else.
type Replay struct {
	t      *topology.Topology
	base   []int32 // by node: its first link in the numbers of links
	hops   []relay // in the order of their cycles
	origin []int32 // by slot: the node whose message it is for
	into   []int32 // by slot: the hop that fills it, -1: it is full from the start
	kept   []kept
	expect []int32 // by node: 1 if messages end there
}

// relay is a hop from a slot of one PE to a slot of its neighbour.
type relay struct{ link, from, to int32 }

// kept is a message that a PE keeps, with the slots of its copies.
type kept struct {
	node, source int32
	words        int
	mark         int // place of the number of its copies in the block of the PE
	slots        []int32
}

// MaxSets is the number of sets of faults that are replayed at once.
const MaxSets = 64

// NewReplay reads a plan. The error, when the plan is none of this package, is an *input.Error.
func NewReplay(p *plan.Plan) (*Replay, error) {
	if err := p.Valid(); err != nil {
		return nil, err
	}
	if len(p.Programs) != 1 || p.Programs[0].Name != programName+".s" {
		return nil, input.Errorf("expected "+Name, "algorithm %s: its messages do not travel in copies", p.Algorithm)
	}
	r := &Replay{t: p.Topology, base: make([]int32, p.Topology.Nodes()), expect: make([]int32, p.Topology.Nodes())}
	d := decoder{Replay: r, role: plan.LoadRole(programName)}
	for n := 1; n < len(r.base); n++ {
		r.base[n] = r.base[n-1] + int32(r.t.Ports(router.NodeID(n-1)))
	}
	for n := range p.PEs {
		if p.PEs[n].Role != pe.Nothing {
			d.read(int32(n), p.PEs[n].Parameters)
		}
		if p.PEs[n].Block.Counts > 0 {
			r.expect[n] = 1
		}
	}
	d.join()
	return r, nil
}

// decoder reads the parameters that writer has written.
type decoder struct {
	*Replay
	role         *plan.Role
	sends, takes []end
}

// end is the beginning or the end of a hop, as a PE knows it.
type end struct {
	link, slot, tag int32
	cycle           uint32
}

// read reads the lists of a PE.
func (d *decoder) read(n int32, words []uint32) {
	at := d.role.At
	slots := map[uint32]int32{} // by address
	slotAt := func(address uint32) int32 {
		slot, ok := slots[address]
		if !ok {
			slot = int32(len(d.origin))
			slots[address] = slot
			d.origin, d.into = append(d.origin, none), append(d.into, none)
		}
		return slot
	}
	list := func(name, count, size string) [][]uint32 {
		var records [][]uint32
		rest := words[words[at(name)]:]
		for range words[at(count)] {
			records, rest = append(records, rest[:at(size)]), rest[at(size):]
		}
		return records
	}
	for _, m := range list("OWN_LIST", "OWN", "OWN_MESSAGE") {
		d.origin[slotAt(m[at("SLOT")])] = n
	}
	for _, a := range list("ACTION_LIST", "ACTIONS", "ACTION") {
		peer := router.NodeID(a[at("PEER")])
		port, _ := d.t.PortTo(router.NodeID(n), peer)
		e := end{d.base[n] + int32(port), slotAt(a[at("SLOT")]), int32(a[at("TAG")]), a[at("CYCLE")]}
		if a[at("TAKE")] == 0 {
			d.sends = append(d.sends, e)
			continue
		}
		e.link = d.base[peer] + int32(d.t.BackPort(router.NodeID(n), port))
		d.takes = append(d.takes, e)
	}
	rest := words[words[at("RESULT_LIST")]:]
	for range words[at("RESULTS")] {
		k := kept{node: n, words: int(rest[at("WORDS")]), mark: int(rest[at("MARK")]) - len(words)}
		copies := rest[at("COPIES")]
		for _, address := range rest[at("RESULT"):][:copies] {
			k.slots = append(k.slots, slotAt(address))
		}
		d.kept = append(d.kept, k)
		rest = rest[at("RESULT")+int(copies):]
	}
}

const none = -1

// join finds the take of each send: on a link they have the same order, since in a step it carries at most one
// message.
func (d *decoder) join() {
	byLink := func(a, b end) int { return cmp.Or(cmp.Compare(a.link, b.link), cmp.Compare(a.cycle, b.cycle)) }
	slices.SortFunc(d.sends, byLink)
	slices.SortFunc(d.takes, byLink)
	if len(d.sends) != len(d.takes) {
		panic(fmt.Sprintf("tolerant: %d sends and %d takes", len(d.sends), len(d.takes)))
	}
	order := make([]int32, len(d.sends))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(d.sends[i].cycle, d.sends[j].cycle), cmp.Compare(i, j))
	})
	for _, i := range order {
		s, t := d.sends[i], d.takes[i]
		if s.link != t.link || s.tag != t.tag || t.cycle <= s.cycle {
			panic(fmt.Sprintf("tolerant: message %d is sent on link %d in cycle %d, message %d is taken from link %d in cycle %d", s.tag, s.link, s.cycle, t.tag, t.link, t.cycle))
		}
		d.origin[t.slot], d.into[t.slot] = d.origin[s.slot], int32(len(d.hops))
		d.hops = append(d.hops, relay{s.link, s.slot, t.slot})
	}
	for i := range d.kept {
		d.kept[i].source = d.origin[d.kept[i].slots[0]]
	}
}

// Copies returns the number of copies of each message; 0 when there are no messages.
func (r *Replay) Copies() int {
	if len(r.kept) == 0 {
		return 0
	}
	return len(r.kept[0].slots)
}

// Player replays sets of faults, up to MaxSets at once: bit i of each word belongs to set i.
type Player struct {
	*Replay
	up    []uint64 // by link: it is not dead
	live  []uint64 // by node
	slots []uint64 // the copy is there
}

// Player returns a player; each belongs to one goroutine.
func (r *Replay) Player() *Player {
	links := 0
	for n := range r.base {
		links += r.t.Ports(router.NodeID(n))
	}
	return &Player{r, make([]uint64, links), make([]uint64, len(r.base)), make([]uint64, len(r.origin))}
}

// play follows all copies. Links of the faults are dead in both directions.
func (p *Player) play(sets [][]fault.Fault) {
	all := ^uint64(0)
	for i := range p.up {
		p.up[i] = all
	}
	for n := range p.live {
		p.live[n] = all
	}
	for i, set := range sets {
		for _, f := range set {
			p.kill(f, uint64(1)<<i)
		}
	}
	for s, hop := range p.into {
		if hop == none && p.origin[s] != none {
			p.slots[s] = p.live[p.origin[s]]
		}
	}
	for _, h := range p.hops {
		p.slots[h.to] = p.slots[h.from] & p.up[h.link]
	}
}

// kill enters a fault of a set.
func (p *Player) kill(f fault.Fault, set uint64) {
	if f.Kind == fault.Link {
		port, _ := p.t.PortTo(f.From, f.To)
		p.cut(f.From, port, set)
		return
	}
	p.live[f.From] &^= set
	for port := range router.Port(p.t.Ports(f.From)) {
		p.cut(f.From, port, set)
	}
}

// cut enters a dead link, in both directions.
func (p *Player) cut(n router.NodeID, port router.Port, set uint64) {
	if to := p.t.Neighbor(n, port); to != router.None {
		p.up[p.base[n]+int32(port)] &^= set
		p.up[p.base[to]+int32(p.t.BackPort(n, port))] &^= set
	}
}

// Failed returns the sets in which some live node lacks a message of a live node.
func (p *Player) Failed(sets [][]fault.Fault) uint64 {
	p.play(sets)
	failed := uint64(0)
	for i := range p.kept {
		k := &p.kept[i]
		came := uint64(0)
		for _, s := range k.slots {
			came |= p.slots[s]
		}
		failed |= p.live[k.node] & p.live[k.source] &^ came
	}
	return failed & (^uint64(0) >> (MaxSets - len(sets)))
}

// Unsent are messages for a node that nobody could have sent.
type Unsent struct {
	Messages, Words int
	Marks           map[int]bool // places of the numbers of their copies in the block of the PE
}

// Unsent returns, by node, the messages for it whose sources are dead from cycle 0 on.
func (r *Replay) Unsent(dead func(router.NodeID) bool) []Unsent {
	unsent := make([]Unsent, len(r.base))
	for i := range r.kept {
		k := &r.kept[i]
		if !dead(router.NodeID(k.source)) {
			continue
		}
		u := &unsent[k.node]
		u.Messages++
		u.Words += k.words
		if u.Marks == nil {
			u.Marks = map[int]bool{}
		}
		u.Marks[k.mark] = true
	}
	return unsent
}

// Account says what the live nodes get.
type Account struct {
	Live, Fewest int     // Fewest: copies of a message of a live node
	Nodes        []Short // the live nodes that lack messages, in rising order
}

// Short is a live node that lacks messages.
type Short struct {
	Node     router.NodeID
	Missing  int // messages of which no copy comes
	Words    int // of these messages
	FromLive int // of these messages those of live nodes
}

// Account returns what the live nodes get with a set of faults.
func (p *Player) Account(set []fault.Fault) Account {
	p.play([][]fault.Fault{set})
	a := Account{Fewest: none}
	for n, messages := range p.expect {
		if p.live[n]&1 != 0 {
			a.Live += int(messages)
		}
	}
	for i := range p.kept {
		k := &p.kept[i]
		if p.live[k.node]&1 == 0 {
			continue
		}
		came := 0
		for _, s := range k.slots {
			came += int(p.slots[s] & 1)
		}
		fromLive := p.live[k.source]&1 != 0
		if fromLive && (a.Fewest < 0 || came < a.Fewest) {
			a.Fewest = came
		}
		if came == 0 {
			a.miss(k, fromLive)
		}
	}
	a.Fewest = max(0, a.Fewest)
	return a
}

// miss enters a message that a live node lacks; the nodes come in rising order.
func (a *Account) miss(k *kept, fromLive bool) {
	n := router.NodeID(k.node)
	if len(a.Nodes) == 0 || a.Nodes[len(a.Nodes)-1].Node != n {
		a.Nodes = append(a.Nodes, Short{Node: n})
	}
	last := &a.Nodes[len(a.Nodes)-1]
	last.Missing++
	last.Words += k.words
	if fromLive {
		last.FromLive++
	}
}
