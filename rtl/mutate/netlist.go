// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// netlist is a design in Yosys's JSON form; the parts that are not looked at stay as they are.
type netlist struct {
	Creator string             `json:"creator"`
	Modules map[string]*module `json:"modules"`
}

type module struct {
	Attributes json.RawMessage  `json:"attributes"`
	Ports      map[string]*port `json:"ports"`
	Cells      map[string]*cell `json:"cells"`
}

type port struct {
	Direction string            `json:"direction"`
	Bits      []json.RawMessage `json:"bits"`
}

type cell struct {
	Type        string                       `json:"type"`
	Parameters  map[string]string            `json:"parameters"`
	Attributes  map[string]string            `json:"attributes"`
	Directions  map[string]string            `json:"port_directions"`
	Connections map[string][]json.RawMessage `json:"connections"`
}

// read reads a netlist from the folder.
func (w *Work) read(name string) (*netlist, error) {
	text, err := os.ReadFile(w.path(name))
	if err != nil {
		return nil, err
	}
	n := &netlist{}
	if err := json.Unmarshal(text, n); err != nil {
		return nil, fmt.Errorf("yosys: its netlist: %w", err)
	}
	return n, nil
}

// constants returns the bits of a module's inputs that are the same constant at all its instances in module top. Time
// advances at every edge in the bench.
func (n *netlist) constants(name string) map[string][]string {
	fixed := map[string][]string{"tick_i": {"1"}}
	for _, c := range n.Modules["top"].Cells {
		if c.Type != name {
			continue
		}
		for port, bits := range c.Connections {
			if c.Directions[port] != "input" || port == "tick_i" {
				continue
			}
			known := fixed[port] != nil
			if !known {
				fixed[port] = make([]string, len(bits))
			}
			for i, bit := range bits {
				value := strings.Trim(string(bit), `"`)
				if value != "0" && value != "1" || !strings.HasPrefix(string(bit), `"`) || known && fixed[port][i] != value {
					value = ""
				}
				fixed[port][i] = value
			}
		}
	}
	return fixed
}

// openRegisters takes the registers out of a module of single-bit cells, and gives it ports for what they hold and will
// hold. A register on which no output depends gets none.
func (m *module) openRegisters() error {
	seen := m.behindOutputs()
	number := 0
	for _, name := range slices.Sorted(maps.Keys(m.Cells)) {
		c := m.Cells[name]
		if !strings.Contains(c.Type, "dff") && !strings.Contains(c.Type, "DFF") && !strings.Contains(c.Type, "latch") {
			continue
		}
		if c.Type != register {
			return fmt.Errorf("mutate: the chip has a register of type %s, which proofs do not know", c.Type)
		}
		delete(m.Cells, name)
		if !seen[string(c.Connections["Q"][0])] {
			continue
		}
		m.Ports[fmt.Sprintf("q%d", number)] = &port{"input", c.Connections["Q"]}
		m.Ports[fmt.Sprintf("d%d", number)] = &port{"output", c.Connections["D"]}
		number++
	}
	return nil
}

// register is the type of the registers of single bits.
const register = "$_DFF_P_"

// behindOutputs returns the bits on which an output depends, in this cycle or a later one.
func (m *module) behindOutputs() map[string]bool {
	drivers := map[string]*cell{}
	for _, c := range m.Cells {
		for port, bits := range c.Connections {
			if c.Directions[port] == "output" {
				for _, bit := range bits {
					drivers[string(bit)] = c
				}
			}
		}
	}
	seen := map[string]bool{}
	var todo []string
	reach := func(bits []json.RawMessage) {
		for _, bit := range bits {
			if !seen[string(bit)] {
				seen[string(bit)] = true
				todo = append(todo, string(bit))
			}
		}
	}
	for _, p := range m.Ports {
		if p.Direction == "output" {
			reach(p.Bits)
		}
	}
	for len(todo) > 0 {
		c := drivers[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if c == nil {
			continue
		}
		for port, bits := range c.Connections {
			if c.Directions[port] == "input" {
				reach(bits)
			}
		}
	}
	return seen
}
