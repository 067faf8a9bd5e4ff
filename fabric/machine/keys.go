// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/code"
	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// Key is one parameter as users set it, in a file or as a flag of that name.
type Key struct {
	Name   string
	Help   string
	Unit   string   // of a number; "": a count, or no number
	Values []string // all that may be chosen; nil: a number
	Silent bool     // no result of a run depends on it
	Unsaid string   // a value that lists of settings leave out; "": none
	set    func(*Machine, string) error
	get    func(*Machine) string
}

// keys is the one list of parameters: files, flags, help and dumps follow it.
// Switching comes first, since the range of buffer and the effect of ports depend on it;
// ports come before nic.channels, which they set where packets are switched.
var keys = []Key{
	choiceKey("switching", "bufferless: a flit that cannot move on is a collision; wormhole: it waits; store-forward, cut-through: whole packets wait",
		func(m *Machine) *Switching { return &m.Switching }, Switchings()...),
	numberKey("buffer", "flits", "flits per input and virtual channel (store-forward, cut-through: 0 gives room for two of the largest packet)", func(m *Machine) *int { return &m.Buffer }),
	choiceKey(codeKey, "code of the flits in buffers; parity: detects a wrong bit; secded: corrects one wrong bit, detects two",
		func(m *Machine) *code.Code { return &m.Code }, code.Codes()...),
	choiceKey(storeKey, "what buffers are made of in hardware; registers; ram: block RAM (wormhole)",
		func(m *Machine) *Store { return &m.Store }, Registers, RAM),
	numberKey("vcs", "", "virtual channels per input (rings and tori: pairs, for the dateline)", func(m *Machine) *int { return &m.VCs }),
	choiceKey(ChoiceKey, "which virtual channel of a link a message takes; lane: that of its lane, on its whole route; free: any of its class that is free, link by link (wormhole; routing adaptive and the turn models always choose)",
		func(m *Machine) *Choice { return &m.Choice }, Lane, Free),
	portsKey(),
	{
		Name: "nic.channels", Help: "injection and ejection channels of a PE: 1, or links (one per link)",
		Values: []string{"1", "links"},
		set:    setChannels, get: func(m *Machine) string { return channelsName(m.Channels) },
	},
	choiceKey("nic.duplex", "full: a PE can send and receive in the same cycle; half: it cannot",
		func(m *Machine) *Duplex { return &m.Duplex }, Full, Half),
	numberKey("startup", "cycles", "cycles for which a message holds its channel before its first flit enters", func(m *Machine) *int { return &m.Startup }),
	numberKey("hop", "cycles", "cycles from chip to chip", func(m *Machine) *int { return &m.Hop }),
	claimKey(),
	numberKey("flit", "cycles", "cycles for which a flit occupies a link", func(m *Machine) *int { return &m.Flit }),
	{
		Name: LinksKey, Help: "links that are slower than hop and flit say; several with blanks between (wormhole): " + LinkForms,
		Unsaid: even,
		set:    setLinks, get: func(m *Machine) string { return m.Links.String() },
	},
	{
		Name: "setup", Help: "cycles that a packet pays on every link before its first flit, such as 2, 1.5 or 3/2 (store-forward, cut-through)", Unit: "cycles",
		set: setSetup, get: func(m *Machine) string { return m.Setup.String() },
	},
	numberKey("packet", "flits", "flits of the largest packet; 0: the largest of the job (store-forward, cut-through)", func(m *Machine) *int { return &m.Packet }),
	routingKey(),
	widthKey(),
	choiceKey("header", "wires: beside every flit, on wires of its own; flit: in a first flit without data",
		func(m *Machine) *Header { return &m.Header }, SideWires, HeadFlit),
	watchdogKey(),
}

func claimKey() Key {
	k := numberKey("claim", "cycles", "cycles that a head pays for its claim of an output; 0: it may leave as it claims; 1: in the next cycle, with a faster clock (wormhole)", func(m *Machine) *int { return &m.Claim })
	k.Values = []string{"0", "1"}
	return k
}

func watchdogKey() Key {
	k := numberKey("watchdog", "cycles", "cycles from one search for deadlocks to the next", func(m *Machine) *int { return &m.Watchdog })
	k.Silent = true
	return k
}

// The keys of the code of buffers, and of what they are made of.
const (
	codeKey  = "buffer.code"
	storeKey = "buffer.store"
)

// ChoiceKey is the key of the choice of virtual channels.
const ChoiceKey = "vc.choice"

// Keys lists the parameters in the order of the documentation.
func Keys() []Key { return slices.Clone(keys) }

// keyNames lists the parameters' names.
func keyNames() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// Set gives the parameter name a value. Its errors are *input.Error.
func (m *Machine) Set(name, value string) error {
	for _, k := range keys {
		if k.Name == name {
			return k.set(m, value)
		}
	}
	return input.Errorf(input.Suggest(name, keyNames()), "unknown key %q", name)
}

// SetGiven is Set for a value that a user gave for this machine, of which a key that has no effect is a slip: buffers of
// bufferless chips. Those of a preset stay, whatever its switching becomes.
func (m *Machine) SetGiven(name, value string) error {
	scratch := *m
	if err := scratch.Set(name, value); err != nil {
		return err
	}
	if name == "buffer" && scratch.Switching == Bufferless && scratch.Buffer > 1 {
		return input.Errorf("expected buffer 1", "buffer %d: a bufferless chip has no buffers", scratch.Buffer)
	}
	*m = scratch
	return nil
}

// Get returns the value of key k in m, as Set would take it; "0" or "" where
// it depends on the topology.
func (k Key) Get(m *Machine) string {
	if k.get == nil || m == nil {
		return ""
	}
	return k.get(m)
}

func numberKey(name, unit, help string, field func(*Machine) *int) Key {
	return Key{
		Name: name, Help: help, Unit: unit,
		set: func(m *Machine, value string) error {
			low, high := m.limitsOf(name)
			n, err := strconv.Atoi(value)
			if err != nil || n < low || n > high {
				return input.Errorf(wholeNumber(low, high)+ofSeveral(value), "%s: %q", name, value)
			}
			*field(m) = n
			return nil
		},
		get: func(m *Machine) string { return strconv.Itoa(*field(m)) },
	}
}

// widths are the widths of more than 32 bits.
var widths = []int{64, 128, 256, 512}

// widthKey is the key of the width: any number of bits up to 32, or one of the wide widths.
func widthKey() Key {
	k := numberKey("width", "bits", "payload bits of a flit: 8 to 32, 64, 128, 256 or 512", func(m *Machine) *int { return &m.Width })
	set := k.set
	k.set = func(m *Machine, value string) error {
		if n, err := strconv.Atoi(value); err == nil && slices.Contains(widths, n) {
			m.Width = n
			return nil
		}
		if err := set(m, value); err != nil {
			low, high := m.limitsOf("width")
			return input.Errorf(wholeNumber(low, high)+", or 64, 128, 256 or 512"+ofSeveral(value), "width: %q", value)
		}
		return nil
	}
	return k
}

// ofSeveral says what takes several values, where a user gives them to a key.
func ofSeveral(value string) string {
	if !strings.Contains(value, ",") {
		return ""
	}
	return "; for several values write a study: docs/studies.md"
}

// hint says which choice a user may have meant.
func hint(value string, choices []string) string {
	if several := ofSeveral(value); several != "" {
		return several
	}
	if meant := input.Meant(input.RoutingWord, value, "", choices); meant != "" {
		return "; " + meant
	}
	if near := input.Nearest(value, choices); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

func wholeNumber(low, high int) string {
	return fmt.Sprintf("expected a whole number from %d to %d", low, high)
}

func choiceKey[T ~string](name, help string, field func(*Machine) *T, choices ...T) Key {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = string(c)
	}
	return Key{
		Name: name, Help: help, Values: names,
		set: func(m *Machine, value string) error {
			if !slices.Contains(names, value) {
				return input.Errorf("expected "+input.Or(names)+hint(value, names), "%s: %q", name, value)
			}
			*field(m) = T(value)
			return nil
		},
		get: func(m *Machine) string { return string(*field(m)) },
	}
}

// portsKey is the key of the ports. Chips that switch packets have as many channels as ports, so that
// they follow the ports, unless they are set later.
func portsKey() Key {
	k := choiceKey("ports", "all: every link of a chip can work in every cycle; single: a chip sends at most one flit and receives at most one flit per cycle (store-forward, cut-through: sets nic.channels, too)",
		func(m *Machine) *Regime { return &m.Ports }, AllPort, SinglePort)
	set := k.set
	k.set = func(m *Machine, value string) error {
		err := set(m, value)
		if err == nil && m.PacketSwitched() {
			m.Channels = m.packetChannels()
		}
		return err
	}
	return k
}

func setChannels(m *Machine, value string) error {
	switch value {
	case "1":
		m.Channels = 1
	case "links":
		m.Channels = Links
	default:
		return input.Errorf("expected 1 or links", "nic.channels: %q", value)
	}
	return nil
}

// maxTicks bounds the ticks of a cycle; maxSetup bounds a set-up, in cycles.
const (
	maxTicks = 1000
	maxSetup = 1 << 20
)

func setSetup(m *Machine, value string) error {
	setup, err := rational.Parse(value)
	switch {
	case err != nil:
		var fault *input.Error
		if !errors.As(err, &fault) {
			return err
		}
		return input.Errorf(fault.Want, "setup: %s", fault.What)
	case setup.Den() > maxTicks:
		return input.Errorf(fmt.Sprintf("expected a denominator of at most %d", maxTicks), "setup: %q", value)
	case setup.Num() > setup.Den()*maxSetup:
		return input.Errorf(fmt.Sprintf("expected at most %d", maxSetup), "setup: %q", value)
	}
	m.Setup = setup
	return nil
}
