// SPDX-License-Identifier: Apache-2.0

// Package machine holds the parameters of a machine: how its chips switch,
// buffer and route, and what a network interface costs. A [Machine] comes from
// a preset, a YAML file, or flags that override either, key by key.
package machine

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"meshwright/fabric/code"
	"meshwright/fabric/fault"
	"meshwright/fabric/nexthop"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// Switching is a switching discipline: it decides what happens to a flit that cannot move on.
type Switching string

// The switching disciplines.
const (
	Bufferless Switching = "bufferless" // it is lost: a collision
	Wormhole   Switching = "wormhole"   // it waits in its buffer, its worm behind it

	// Packets are sent whole, one after the other, and only into buffers with
	// room for all of their flits.
	StoreForward Switching = "store-forward" // a packet goes on when its last flit has come
	CutThrough   Switching = "cut-through"   // a packet goes on when its first flit has come
)

// Switchings lists the switching disciplines.
func Switchings() []Switching { return []Switching{Bufferless, Wormhole, StoreForward, CutThrough} }

// Regime says how many links of a chip may work in one cycle.
type Regime string

// The port regimes.
const (
	AllPort    Regime = "all"    // every link independently
	SinglePort Regime = "single" // one flit sent and one received a cycle, relayed ones included
)

// Duplex says whether a PE may send and receive in the same cycle.
type Duplex string

// The duplex modes of a network interface.
const (
	Full Duplex = "full"
	Half Duplex = "half"
)

// Routing names the function that chooses a flit's output.
type Routing string

// The routing functions.
const (
	DimensionOrder Routing = "dor"            // lowest dimension first, shorter way round
	ReverseOrder   Routing = "yx"             // highest dimension first
	O1Turn         Routing = "o1turn"         // each message in one of the two orders
	Valiant        Routing = "valiant"        // to a node between, from there to the destination, both in dimension order
	Adaptive       Routing = "adaptive"       // any shortest route over free links, with escape channels in dimension order
	WestFirst      Routing = "west-first"     // shortest routes over free links, without turns to west; as the next three
	NorthLast      Routing = "north-last"     // without turns from north
	NegativeFirst  Routing = "negative-first" // without turns from a positive direction to a negative one
	OddEven        Routing = "odd-even"       // without turns from east in even columns, and to west in odd ones
	Table          Routing = "table"          // next hop by destination, per router
	UpDown         Routing = "updown"         // the same, of routes that go up to the root of a tree, then down
	Source         Routing = "source"         // list of output ports in the header
)

// Store says what the buffers of a chip are made of in hardware.
type Store string

// The stores.
const (
	Registers Store = "registers"
	RAM       Store = "ram" // block RAM
)

// Choice says which virtual channel of a link a message takes.
type Choice string

// The choices.
const (
	Lane Choice = "lane" // the channel of its lane, which its network interface chose
	Free Choice = "free" // any channel of its class that is free, link by link
)

// Links is the value of Channels that gives a PE one channel per link.
const Links = 0

// Machine is the set of parameters; it is plain and fixed during a run.
type Machine struct {
	Name      string    `snapshot:"-"` // preset or file it came from
	Switching Switching // default wormhole
	Buffer    int       // flits per input and virtual channel, 1 to 1024; not used when bufferless; for packets see FitPackets
	Code      code.Code // of the flits in buffers, default none
	Store     Store     // what buffers are made of in hardware, default registers; the cycles are the same
	VCs       int       // virtual channels per input, 1 to 16; 0: two on rings and tori, else one
	Choice    Choice    // default lane; adaptive routing and turn models always choose freely
	Ports     Regime    // default all
	Channels  int       // injection and ejection channels of a PE: 1, or Links
	Duplex    Duplex    // default full
	Startup   int       // cycles a message holds its channel before its first flit enters
	Hop       int       // cycles per hop for a flit, at least 1
	Claim     int       // cycles that a head pays for its claim of an output, 0 or 1; 0 where nothing is claimed
	Flit      int       // cycles per flit and link, at least 1
	Routing   Routing   // "": dor on grids, table elsewhere
	Width     int       // payload bits of a flit: 8 to 32, 64, 128, 256 or 512
	Header    Header    // default wires
	Watchdog  int       // cycles from one search for deadlocks to the next, at least 1

	Ways   *nexthop.Table `snapshot:"-"` // of routing table: the user's own; nil: one that is made
	Links  *Uneven        `snapshot:"-"` // links that are slower than Hop and Flit say; nil: all are alike
	Faults *fault.List    `snapshot:"-"` // what goes wrong in a network of this machine; nil: nothing

	// Of machines that switch packets only, see PacketSwitched.
	Setup  rational.Rational // cycles that a packet pays on every link before its first flit
	Packet int               // flits of data of the largest packet; 0: that of the messages, see FitPackets
}

// limits of the integer keys, by key.
var limits = map[string][2]int{
	"buffer": {1, 1024}, "vcs": {1, 16}, "startup": {0, 1 << 30}, "hop": {1, 64}, "claim": {0, 1}, "flit": {1, 64},
	"width": {8, 32}, "watchdog": {1, 1 << 30}, "packet": {0, maxPacket},
}

// maxPacket bounds a packet, in flits: its words are in memory.
const maxPacket = 1 << 28

// limitsOf returns the least and the greatest value of an integer key.
func (m *Machine) limitsOf(key string) (low, high int) {
	if key == "buffer" && m.PacketSwitched() {
		return 0, 2 * maxPacket
	}
	return limits[key][0], limits[key][1]
}

// Resolve fills in what depends on the topology and rejects combinations that
// no chip can have, a topology that is not one, and values that Set would not
// take. Its errors are *input.Error.
func (m Machine) Resolve(t *topology.Topology) (Machine, error) {
	if err := t.Valid(); err != nil {
		return m, err
	}
	m = m.withDefaults()
	if err := m.valid(); err != nil {
		return m, err
	}
	if m.Routing == "" {
		m.Routing = Table
		if t.IsGrid() {
			m.Routing = DimensionOrder
		}
	}
	if err := m.validRouting(t); err != nil {
		return m, err
	}
	if err := m.validHeader(t); err != nil {
		return m, err
	}
	if m.Switching != Wormhole && m.Store != Registers {
		return m, input.Errorf("expected registers", "%s %s: not on a machine of switching %s", storeKey, m.Store, m.Switching)
	}
	if m.Switching != Wormhole && m.Claim != 0 {
		return m, input.Errorf("expected 0", "claim %d: not on a machine of switching %s", m.Claim, m.Switching)
	}
	if m.Switching != Wormhole && m.Choice != Lane {
		return m, input.Errorf("expected lane", "%s %s: not on a machine of switching %s", ChoiceKey, m.Choice, m.Switching)
	}
	if err := m.validLinks(t); err != nil {
		return m, err
	}
	if m.PacketSwitched() {
		return m.resolvePackets()
	}
	if err := m.refusePackets(); err != nil {
		return m, err
	}
	if m.Switching == Bufferless {
		if m.Code != code.None {
			return m, input.Errorf("expected none", "%s %s: a bufferless chip has no buffers", codeKey, m.Code)
		}
		if m.VCs > 1 {
			return m, input.Errorf("expected vcs 1", "vcs %d: a bufferless chip has no virtual channels", m.VCs)
		}
		m.VCs, m.Buffer = 1, 1
	}
	if m.VCs == 0 {
		m.VCs = m.fewestChannels(t)
	}
	return m, m.validChannels(t)
}

// Valid refuses values that Set would not take. The error is an *input.Error.
func (m Machine) Valid() error {
	m = m.withDefaults()
	return m.valid()
}

// withDefaults fills in the choices that are left open.
func (m Machine) withDefaults() Machine {
	m.Switching = cmp.Or(m.Switching, Wormhole)
	m.Ports = cmp.Or(m.Ports, AllPort)
	m.Duplex = cmp.Or(m.Duplex, Full)
	m.Code = cmp.Or(m.Code, code.None)
	m.Store = cmp.Or(m.Store, Registers)
	m.Header = cmp.Or(m.Header, SideWires)
	m.Choice = cmp.Or(m.Choice, Lane)
	return m
}

// valid rejects values that Set would not take. Buffers and packets that are
// fitted to messages may be larger than those that users set.
func (m *Machine) valid() error {
	const madeBy = "machine.Preset, machine.Open or machine.Parse"
	if m.Hop == 0 && m.Flit == 0 && m.Width == 0 { // none of them may be 0
		return input.Errorf("expected one that "+madeBy+" has made", "no machine")
	}
	if m.Buffer < 0 {
		return input.Errorf("expected at least 0", "buffer %d", m.Buffer)
	}
	if m.Packet < 0 {
		return input.Errorf("expected at least 0", "packet %d", m.Packet)
	}
	scratch := *m
	for _, k := range keys {
		open := k.Name == "vcs" && m.VCs == 0 || k.Name == "routing" && (m.Routing == "" || m.OwnTable() != nil)
		if open || k.Name == "buffer" || k.Name == "packet" || k.Name == LinksKey { // links are a file's, which has been read
			continue
		}
		value := k.get(m)
		err := k.set(&scratch, value)
		var wrong *input.Error
		if value == "0" && errors.As(err, &wrong) { // a field that is not filled in
			return input.At(wrong.File, wrong.Line, wrong.Want+"; "+madeBy+" fill all fields in", "%s", wrong.What)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Dateline reports whether the topology has rings, on which dimension-order routing, and that
// of twisted tori, needs a pair of virtual channels to be free of deadlock.
func Dateline(t *topology.Topology) bool { return t.Rings() }

// StoredBits returns the bits of a flit's payload as a buffer stores it, the check bits of
// the code included; 0 on machines without buffers.
func (m *Machine) StoredBits() int {
	if m.Switching == Bufferless {
		return 0
	}
	return m.Width + m.Code.Checks(m.Width)
}

// Elements returns the elements of a word, 32 bits each: 1 up to a width of 32, else width/32. Words in
// memories and messages are their elements, the lowest first.
func (m *Machine) Elements() int { return max(1, m.Width/elementBits) }

// FlitsOf returns the flits that carry so many bytes; the last one may have room left.
func (m *Machine) FlitsOf(bytes int) int { return (8*bytes + m.Width - 1) / m.Width }

// elementBits is the width of an element, and the widest word that has only one.
const elementBits = 32

// WithoutBuffers returns the machine as if its chips had no buffers, and so no virtual
// channels, no code, no store, no claims, no packets and no upsets.
func (m Machine) WithoutBuffers() Machine {
	m.Switching, m.Buffer, m.VCs, m.Choice, m.Claim, m.Code, m.Store, m.Faults = Bufferless, 1, 1, Lane, 0, code.None, Registers, m.Faults.WithoutUpsets()
	m.Packet, m.Setup = 0, rational.Rational{}
	return m
}

// FastestLinks returns the machine as if all links were as fast as its fastest ones, and its chips had no buffers: no schedule takes less time on m than on it.
func (m Machine) FastestLinks() Machine {
	m.Links = nil
	if m.Routing.Classes() > 1 || m.Routing.Reorders() {
		m.Routing = ""
	}
	return m.WithoutBuffers()
}

// WithoutWaiting returns the machine on which a check plays a schedule in which no message waits for another: without
// buffers, but with them where links are slower than others, since worms wait for a slow link in the buffers before it.
func (m Machine) WithoutWaiting() Machine {
	if m.Links == nil || m.Switching != Wormhole {
		return m.WithoutBuffers()
	}
	m.Claim, m.Code, m.Faults = 0, code.None, m.Faults.WithoutUpsets()
	m.Packet, m.Setup = 0, rational.Rational{}
	return m
}

// FullRate reports whether worms that follow one another move as fast as a link takes their flits, on all links alike: buffers are large
// enough, no head pays for a claim, and no link is slower than others.
func (m *Machine) FullRate() bool {
	return m.Switching == Bufferless || m.Punctual() && m.RoomForRate()
}

// Punctual reports whether messages that meet no other take the times that follow from the keys: no head pays for a claim, and no link is slower
// than others.
func (m *Machine) Punctual() bool { return m.Claim == 0 && m.Links == nil }

// RoomForRate reports whether buffers are large enough for the full rate of the machine's fastest links.
func (m *Machine) RoomForRate() bool {
	return m.Switching == Bufferless || m.Buffer >= m.bufferForRate()
}

// bufferForRate returns the flits of a buffer for the full rate of the machine's fastest links: its room comes back in hop + 1 cycles.
func (m *Machine) bufferForRate() int { return LinkTime{m.Hop, m.Flit}.bufferForRate() }

func (l LinkTime) bufferForRate() int { return l.Hop/max(1, l.Flit) + 1 }

// BelowFullRate says that buffers are too small for a worm to use all of a link of a topology, of the fastest ones, of the slower ones, or of both; "" if they are not.
func (m *Machine) BelowFullRate(t *topology.Topology) string {
	if m.Switching != Wormhole {
		return ""
	}
	var below []string
	if !m.RoomForRate() {
		text := fmt.Sprintf("hop %d", m.Hop)
		if m.Flit > 1 {
			text += fmt.Sprintf(" and flit %d", m.Flit)
		}
		below = append(below, text+" ("+input.Count(m.bufferForRate(), "flit")+")")
	}
	if slow := m.neediest(t); slow != (LinkTime{m.Hop, m.Flit}) && m.Buffer < slow.bufferForRate() {
		below = append(below, fmt.Sprintf("links with hop %d and flit %d (%s)", slow.Hop, slow.Flit, input.Count(slow.bufferForRate(), "flit")))
	}
	if len(below) == 0 {
		return ""
	}
	return fmt.Sprintf("buffer %d is below the full rate of ", m.Buffer) + strings.Join(below, ", and of ")
}

// neediest returns the times of a link that needs the largest buffer for its full rate: the machine's keys, unless a slower link needs more.
func (m *Machine) neediest(t *topology.Topology) LinkTime {
	most := LinkTime{m.Hop, m.Flit}
	times, err := m.LinkTimes(t)
	if times == nil || err != nil {
		return most
	}
	for i, hop := range times.Hop {
		if link := (LinkTime{int(hop), int(times.Flit[i])}); link.bufferForRate() > most.bufferForRate() {
			most = link
		}
	}
	return most
}

// FullRateWants says what a machine without the full rate would need for it, as an error does.
func (m *Machine) FullRateWants() string {
	return "expected " + input.And(m.FullRateKeys()) + ", for the full rate"
}

// FullRateKeys lists the keys, with their values, that a machine without the full rate would need for it.
func (m *Machine) FullRateKeys() (list []string) {
	if m.Claim != 0 {
		list = append(list, "claim 0")
	}
	if m.Links != nil {
		list = append(list, LinksKey+" "+even)
	}
	if least := m.bufferForRate(); m.Buffer < least {
		list = append(list, fmt.Sprintf("buffer %d or more", least))
	}
	return list
}

// SlowRate describes the keys by which a machine does not have the full rate.
func (m *Machine) SlowRate() string {
	if m.Claim != 0 {
		return fmt.Sprintf("claim %d", m.Claim)
	}
	if m.Links != nil {
		return LinksKey + " " + m.Links.String()
	}
	return fmt.Sprintf("buffer %d", m.Buffer)
}

// Paced returns the machine with flits so slow, and hops so long, that no worm stalls for room or for claims: messages that never meet on it never meet on
// m either. It is m where FullRate holds. Of links that are slower than others it knows nothing.
func (m Machine) Paced() Machine {
	if m.Links = nil; !m.FullRate() {
		m.Hop += m.Claim
		m.Flit = max(m.Hop/m.Buffer, m.Claim) + 1
	}
	return m
}

func channelsName(channels int) string {
	if channels == Links {
		return "links"
	}
	return strconv.Itoa(channels)
}

// Describe lists the settings that differ from the preset wormhole's.
func (m *Machine) Describe() string {
	text := string(m.Switching)
	reference, _ := Preset(string(Wormhole))
	for _, k := range keys {
		if value := k.get(m); k.Name != "switching" && value != k.get(&reference) {
			text += " " + k.Name + "=" + value
		}
	}
	if m.Faults != nil {
		text += " " + faultsKey + "=" + m.Faults.String()
	}
	return text
}
