// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"slices"
	"strings"

	"meshwright/fabric/code"
	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// presets by name. What each figure rests on stands beside it.
var presets = []Machine{
	// Bhatt, Pucci, Ranade, Rosenberg: no buffers, one port, one cycle a hop, no startup.
	{
		Name: "bufferless", Switching: Bufferless, Buffer: 1, Code: code.None, Store: Registers, Choice: Lane, Ports: SinglePort, Channels: 1, Duplex: Full,
		Hop: 1, Flit: 1, Width: 32, Header: SideWires, Watchdog: 1000,
	},
	// Juurlink, Sibeyn, Rao: wormhole, all ports at once; buffers of four flits, as in the wormhole routers it is measured beside.
	{
		Name: "wormhole", Switching: Wormhole, Buffer: 4, Code: code.None, Store: Registers, Choice: Lane, Ports: AllPort, Channels: Links, Duplex: Full,
		Hop: 1, Flit: 1, Width: 32, Header: SideWires, Watchdog: 1000,
	},
	// Intel Paragon XP/S: 2-D mesh, dimension order, 16-bit links of 175 MB/s, one network interface
	// that a node can use in one direction at a time (Juurlink, Sibeyn, Rao). A cycle is 16 bits / 175 MB/s =
	// 11.4 ns. Assumed: a startup of 40 us = 3500 cycles (published figures run from 30 to 100 us by
	// system software), a router delay of 40 ns = 4 cycles, buffers of 8 flits.
	{
		Name: "paragon", Switching: Wormhole, Buffer: 8, Code: code.None, Store: Registers, Choice: Lane, Ports: AllPort, Channels: 1, Duplex: Half,
		Startup: 3500, Hop: 4, Flit: 1, Width: 16, Header: SideWires, Routing: DimensionOrder, Watchdog: 20000,
	},
	// Tsai: packets stored and forwarded, one port, first come first served; a set-up of one cycle a packet and link,
	// as much as a flit takes; buffers of two packets, so that one comes while the other goes.
	{
		Name: "store-forward", Switching: StoreForward, Code: code.None, Store: Registers, Choice: Lane, Ports: SinglePort, Channels: 1, Duplex: Full,
		Hop: 1, Flit: 1, Width: 32, Header: SideWires, Watchdog: 1000, Setup: rational.One(),
	},
}

// PresetNames lists the presets.
func PresetNames() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.Name
	}
	return names
}

// Title returns the name of the machine, and its switching if that is not the one of the preset with this name.
func (m *Machine) Title() string {
	if p, err := Preset(m.Name); err == nil && p.Switching != m.Switching {
		return m.Name + ", switching " + string(m.Switching)
	}
	return m.Name
}

// Differences lists the keys that have other values than on each of some machines, in the order of Keys, as in "ports single, startup 40".
func (m *Machine) Differences(from ...*Machine) string {
	var list []string
	for _, k := range keys {
		value := k.Get(m)
		if !slices.ContainsFunc(from, func(other *Machine) bool { return k.Get(other) == value }) {
			list = append(list, k.Name+" "+value)
		}
	}
	return strings.Join(list, ", ")
}

// Preset returns the machine of that name; the error is an *input.Error.
func Preset(name string) (Machine, error) {
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
	}
	return Machine{}, input.Errorf(input.Suggest(name, PresetNames()), "unknown machine %q", name)
}
