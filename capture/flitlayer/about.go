// SPDX-License-Identifier: Apache-2.0

package flitlayer

import (
	"strings"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
)

// About is what a capture says of the network, in the option shb_hardware of its section:
//
//	meshwright; switching=wormhole; buffer=2; …; window=no; machine=wormhole; topology=mesh:4x4
//
// with every key of a machine in the order of machine.Keys.
type About struct {
	Machine  machine.Machine // resolved; its faults are not told
	Topology string          // as topology.Parse takes it
	Window   bool            // the capture has only some cycles, or only some links
}

const (
	aboutStart    = "meshwright"
	aboutEnd      = "; "
	aboutWindow   = "window"
	aboutName     = "machine"
	aboutTopology = "topology"
)

// String writes the option.
func (a *About) String() string {
	var b strings.Builder
	b.WriteString(aboutStart)
	put := func(key, value string) { b.WriteString(aboutEnd + key + "=" + value) }
	for _, k := range machine.Keys() {
		if value := k.Get(&a.Machine); value != k.Unsaid || value == "" {
			put(k.Name, value)
		}
	}
	window := "no"
	if a.Window {
		window = "yes"
	}
	put(aboutWindow, window)
	put(aboutName, a.Machine.Name)
	put(aboutTopology, a.Topology)
	return b.String()
}

// ParseAbout reads the option; ok is false for a text of another program. Its errors are *input.Error.
func ParseAbout(text string) (a About, ok bool, err error) {
	rest, ok := strings.CutPrefix(text, aboutStart+aboutEnd)
	if !ok {
		return a, false, nil
	}
	next := func(key string) (string, error) {
		value, found := strings.CutPrefix(rest, key+"=")
		if !found {
			return "", input.Errorf("expected "+key+"=…", "the network is described by %q", input.Clip(rest))
		}
		if key == aboutTopology {
			return value, nil
		}
		value, rest, _ = strings.Cut(value, aboutEnd)
		return value, nil
	}
	for _, k := range machine.Keys() {
		if k.Unsaid != "" && !strings.HasPrefix(rest, k.Name+"=") {
			continue
		}
		value, err := next(k.Name)
		if err != nil {
			return a, true, err
		}
		if err := a.Machine.Set(k.Name, value); err != nil {
			return a, true, err
		}
	}
	window, err := next(aboutWindow)
	if err != nil {
		return a, true, err
	}
	a.Window = window != "no"
	if a.Machine.Name, err = next(aboutName); err != nil {
		return a, true, err
	}
	a.Topology, err = next(aboutTopology)
	return a, true, err
}
