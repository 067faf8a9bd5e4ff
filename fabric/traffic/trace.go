// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"strconv"

	"meshwright/internal/input"
	"meshwright/router"
)

// Trace is a list of packets in the order of their generation.
type Trace struct {
	packets []packet
	sources []router.NodeID // different ones, in rising order
	nodes   int
	largest int
}

// traceForm names the columns of a trace file.
const traceForm = "cycle,source,destination,flits"

// maxTraceCycle bounds the time of a packet.
const maxTraceCycle = 1_000_000_000_000

// ReadTrace reads a trace for so many nodes. Its errors are *input.Error.
func ReadTrace(file string, nodes int) (*Trace, error) {
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return scanTrace(text, file, nodes)
}

func scanTrace(text []byte, file string, nodes int) (*Trace, error) {
	t := &Trace{nodes: nodes}
	sends := make([]bool, nodes)
	err := input.Rows(file, text, traceForm, func(fields []string, _ int) error {
		p, err := parsePacket(fields, nodes)
		if err != nil {
			return err
		}
		if last := len(t.packets) - 1; last >= 0 && p.generated < t.packets[last].generated {
			return input.Errorf("expected rising cycles", "cycle %d after cycle %d: the trace goes back in time", p.generated, t.packets[last].generated)
		}
		sends[p.source] = true
		t.largest = max(t.largest, int(p.flits))
		t.packets = append(t.packets, p)
		return nil
	})
	if err == nil && len(t.packets) == 0 {
		err = input.At(file, 0, "expected rows of "+traceForm, "no packets")
	}
	if err != nil {
		return nil, err
	}
	for node, sends := range sends {
		if sends {
			t.sources = append(t.sources, router.NodeID(node))
		}
	}
	return t, nil
}

func parsePacket(fields []string, nodes int) (packet, error) {
	cycle, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || cycle < 0 || cycle > maxTraceCycle {
		return packet{}, input.Errorf("expected 0 to "+strconv.Itoa(maxTraceCycle), "cycle %q", input.Clip(fields[0]))
	}
	source, err := parseNode(fields[1], nodes)
	if err != nil {
		return packet{}, err
	}
	destination, err := parseNode(fields[2], nodes)
	if err != nil {
		return packet{}, err
	}
	if source == destination {
		return packet{}, input.Errorf("expected two nodes", "node %d sends to itself", source)
	}
	flits, err := strconv.Atoi(fields[3])
	if err != nil || flits < 1 || flits > maxFlits {
		return packet{}, input.Errorf("expected 1 to "+strconv.Itoa(maxFlits), "%q flits", input.Clip(fields[3]))
	}
	return packet{source: source, destination: destination, flits: int32(flits), generated: router.Cycle(cycle)}, nil
}

// Largest returns the flits of the largest packet.
func (t *Trace) Largest() int { return t.largest }

// Source makes the component on a network whose clock has so many ticks a cycle.
func (t *Trace) Source(ticks int) *Source {
	return newSource(t.nodes, t.sources, &replay{packets: t.packets, ticks: router.Cycle(ticks)})
}

// replay is a generator of the packets of a trace.
type replay struct {
	packets []packet     `snapshot:"start"`
	ticks   router.Cycle `snapshot:"start"`
	done    int          // packets
}

func (g *replay) next() (packet, bool) {
	if g.done == len(g.packets) {
		return packet{}, false
	}
	p := g.packets[g.done]
	g.done++
	p.generated *= g.ticks
	p.asked = p.generated
	return p, true
}
