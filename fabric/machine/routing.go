// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"strings"

	"meshwright/fabric/nexthop"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// alongDimensions reports whether a routing needs the dimensions of a grid.
func (r Routing) alongDimensions() bool { return r != Table && r != UpDown && r != Source }

// Classes returns how many classes of virtual channels a routing has: messages of O1TURN
// have a class for each order, messages of Valiant's routing one for each phase.
func (r Routing) Classes() int {
	if r == O1Turn || r == Valiant {
		return 2
	}
	return 1
}

// TurnModel reports whether a routing is a turn model: heads choose among the shortest routes without certain turns.
func (r Routing) TurnModel() bool {
	return r == WestFirst || r == NorthLast || r == NegativeFirst || r == OddEven
}

// Reorders reports whether messages between the same two nodes may overtake one another,
// whatever their sender does: their heads choose in every cycle where they go.
func (r Routing) Reorders() bool { return r == Adaptive || r.TurnModel() }

// takes reports whether a routing is for a topology.
func (r Routing) takes(t *topology.Topology) bool {
	if r.TurnModel() && (t.Rings() || r != NegativeFirst && len(t.Dims) != 2) {
		return false
	}
	return t.IsGrid() || !r.alongDimensions()
}

// refused is the error for a topology that the routing does not take.
func (r Routing) refused(t *topology.Topology) error {
	want, networks := "expected "+input.Or(RoutingsOf(t)), "meshes of two dimensions"
	switch {
	case r == NegativeFirst:
		networks = "meshes"
	case !r.TurnModel():
		return input.Errorf(want, "routing %s has no dimensions to order on %s", r, t)
	}
	return input.Errorf(want, "routing %s is for %s, not for %s", r, networks, t)
}

// RoutingsOf returns the routings that a topology takes, in the order of Routings.
func RoutingsOf(t *topology.Topology) []string {
	var names []string
	for _, r := range Routings() {
		if r.Name.takes(t) {
			names = append(names, string(r.Name))
		}
	}
	return names
}

// Tabled reports whether the chips have tables of routes that neither the dimensions of a grid nor the shape of another network tells. A tree has
// no other ways.
func (m *Machine) Tabled() bool {
	return m.Routing == UpDown || m.OwnTable() != nil || m.AroundFaults()
}

// goesAround reports whether the tables of a routing can go around known faults.
func (m *Machine) goesAround() bool {
	return m.Routing == UpDown || m.Routing == Table && m.OwnTable() == nil
}

// AroundFaults reports whether the chips have tables of routes that go around known faults.
func (m *Machine) AroundFaults() bool { return m.goesAround() && m.Faults != nil && m.Faults.Known }

// KnowsFaults refuses a machine whose known faults take something from a network, and whose routes do not go around them. The error is an *input.Error.
func (m *Machine) KnowsFaults(t *topology.Topology) error {
	if m.goesAround() {
		return nil
	}
	if gone, err := m.Faults.Gone(t, router.None); err != nil || gone.None() {
		return err
	}
	return input.Errorf("expected routing updown or table", "routing %s does not go around known faults", m.Routing) // a table of the user's is refused before
}

// RoutingForm is a routing as users name it.
type RoutingForm struct {
	Name  Routing
	Alias string // another name, "" if there is none
	About string // one line
}

// String is the name, with the other one.
func (f RoutingForm) String() string {
	if f.Alias == "" {
		return string(f.Name)
	}
	return string(f.Name) + " (or " + f.Alias + ")"
}

// ownTable is what stands before the file of a table.
const ownTable = string(Table) + ":"

// TableFile returns the file of a routing that names one.
func TableFile(routing string) (file string, ok bool) { return strings.CutPrefix(routing, ownTable) }

// OwnTable is the table of the user's from which the chips route; nil if they have another routing.
func (m *Machine) OwnTable() *nexthop.Table {
	if m.Routing != Table {
		return nil
	}
	return m.Ways
}

// RoutingName is the routing as users name it, with the file of a table of their own.
func (m *Machine) RoutingName() string {
	if own := m.OwnTable(); own != nil {
		return ownTable + own.File
	}
	return string(m.Routing)
}

// dimensionOrderToo is another name of dimension order.
const dimensionOrderToo = "xy"

// Routings returns all routings, in the order of the documentation.
func Routings() []RoutingForm {
	return []RoutingForm{
		{DimensionOrder, dimensionOrderToo, "lowest dimension first"},
		{ReverseOrder, "", "highest dimension first"},
		{O1Turn, "", "each message in one of the two orders"},
		{Valiant, "", "by way of a node that a hash chooses"},
		{Adaptive, "", "shortest routes over free links, with escape channels"},
		{WestFirst, "", "turn model: shortest routes over free links, no turn to west"},
		{NorthLast, "", "turn model: no turn from north"},
		{NegativeFirst, "", "turn model: no turn from a positive to a negative direction"},
		{OddEven, "", "turn model: no turn from east in even columns, none to west in odd ones"},
		{Table, "", "a next-hop table in each chip; " + ownTable + "FILE: the table of a CSV file " + nexthop.Columns},
		{UpDown, "", "a table of routes that go up a tree first and then down, which never deadlock (packets: with ports all)"},
		{Source, "", "a list of ports in the header"},
	}
}

// routingKey is the key of the routing. Users may call dimension order xy.
func routingKey() Key {
	var names []Routing
	var help []string
	for _, r := range Routings() {
		names, help = append(names, r.Name), append(help, r.String()+": "+r.About)
	}
	k := choiceKey("routing", strings.Join(help, "; "), func(m *Machine) *Routing { return &m.Routing }, names...)
	set := k.set
	k.set = func(m *Machine, value string) (err error) {
		var ways *nexthop.Table
		if file, ok := TableFile(value); ok {
			if file == "" {
				return input.Errorf("expected "+ownTable+"FILE", "%s: %q", k.Name, value)
			}
			if ways, err = nexthop.Read(file); err != nil {
				return err
			}
			value = string(Table)
		}
		if value == dimensionOrderToo {
			value = string(DimensionOrder)
		}
		if err := set(m, value); err != nil {
			return err
		}
		m.Ways = ways
		return nil
	}
	k.get = (*Machine).RoutingName
	return k
}

// validRouting rejects routings that the topology or the chips cannot have.
func (m *Machine) validRouting(t *topology.Topology) error {
	if !m.Routing.takes(t) {
		return m.Routing.refused(t)
	}
	if own := m.OwnTable(); own != nil {
		gone, err := m.Faults.Gone(t, router.None)
		if err != nil {
			return err
		}
		if !gone.None() {
			return input.Errorf("expected routing updown or table, which go around them", "routing %s and known faults", m.RoutingName())
		}
		_, err = own.On(t)
		return err
	}
	if (m.Routing.Classes() > 1 || m.Routing.Reorders()) && m.Switching != Wormhole {
		return input.Errorf("expected dor, yx, table or source", "routing %s: %s chips have no virtual channels", m.Routing, m.Switching)
	}
	return nil
}

// paired reports whether rings make every lane a dateline pair of virtual channels.
func (m *Machine) paired(t *topology.Topology) bool {
	return Dateline(t) && m.Routing != Adaptive && m.Routing != UpDown && m.OwnTable() == nil
}

// ChannelClasses returns in how many classes the virtual channels of a link are, by their numbers: a message takes those of the class
// that its routing and the dateline say.
func (m *Machine) ChannelClasses(t *topology.Topology) int {
	if m.Datelines(t) {
		return 2 * m.Routing.Classes()
	}
	return m.Routing.Classes()
}

// ChoosesChannels reports whether heads choose, in every cycle, among several virtual channels of the one link that their routing names.
func (m *Machine) ChoosesChannels(t *topology.Topology) bool {
	return m.Choice == Free && !m.Routing.Reorders() && m.VCs > m.ChannelClasses(t)
}

// Reorders reports whether messages between the same two nodes may overtake one another, whatever their sender does: their heads choose
// in every cycle where they go, or in which channel.
func (m *Machine) Reorders(t *topology.Topology) bool {
	return m.Routing.Reorders() || m.ChoosesChannels(t)
}

// Datelines reports whether the chips use virtual channels in dateline pairs.
func (m *Machine) Datelines(t *topology.Topology) bool { return m.paired(t) && m.VCs > 1 }

// EscapeChannels returns how many virtual channels of a link are escape channels of adaptive
// routing: one on meshes, one for each side of the dateline on rings and tori.
func (m *Machine) EscapeChannels(t *topology.Topology) int {
	switch {
	case m.Routing != Adaptive:
		return 0
	case Dateline(t):
		return 2
	}
	return 1
}

// fewestChannels returns the fewest virtual channels with which a machine is free of deadlock.
func (m *Machine) fewestChannels(t *topology.Topology) int {
	if m.Routing == Adaptive {
		return m.EscapeChannels(t) + 1
	}
	channels := m.Routing.Classes()
	if m.paired(t) {
		channels *= 2
	}
	return channels
}

// validChannels rejects numbers of virtual channels that the routing cannot use.
func (m *Machine) validChannels(t *topology.Topology) error {
	fewest := m.fewestChannels(t)
	switch {
	case m.Routing == Adaptive && m.VCs < fewest:
		return input.Errorf(fmt.Sprintf("expected at least %d", fewest), "vcs %d: routing adaptive needs %s and an adaptive channel", m.VCs, input.Count(fewest-1, "escape channel"))
	case m.Routing.Classes() > 1 && m.VCs%fewest != 0:
		return input.Errorf(fmt.Sprintf("expected a multiple of %d", fewest), "vcs %d: routing %s has two classes%s", m.VCs, m.Routing, ofWhat(m.paired(t)))
	case m.paired(t) && m.VCs > 1 && m.VCs%2 != 0:
		return input.Errorf("expected 1 or an even number", "vcs %d: rings and tori use them in dateline pairs", m.VCs)
	}
	return nil
}

func ofWhat(paired bool) string {
	if paired {
		return " of dateline pairs"
	}
	return " of channels"
}

// Lanes returns among how many lanes the network interfaces spread the messages of a class. A lane
// is a virtual channel, or a dateline pair.
func (m *Machine) Lanes(t *topology.Topology) int {
	if m.Reorders(t) {
		return 1
	}
	return m.VCs / m.ChannelClasses(t)
}
