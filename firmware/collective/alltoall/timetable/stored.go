// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"bytes"
	"embed"
	"strconv"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

// timetables holds the stored timetables: NAME.csv, the fastest timetable of a network for single
// flits; NAME.rounds.csv where another timetable has a shorter period; NAME.2.csv
// and NAME.4.csv where whole messages of 2 and 4 flits are faster than rounds of single
// flits.
//
//go:embed timetables/*.csv
var timetables embed.FS

var suffixes = [...]string{".csv", ".rounds.csv", ".2.csv", ".4.csv"}

// Stored returns the timetable that is kept for a network and messages of length
// flits on the Reference machine, if there is one: long ones go in rounds, of
// no more messages together than most.
func Stored(t *topology.Topology, length, most int) (*Timetable, bool) {
	if t.Valid() != nil {
		return nil, false
	}
	name := storedName(t)
	if name == "" || length < 1 || length > MaxLength {
		return nil, false
	}
	var best *Timetable
	for _, suffix := range suffixes {
		found := readStored(name+suffix, length)
		if found == nil || found.Rounds*len(found.Lengths)*(len(found.Lengths)-1) > most {
			continue
		}
		if best == nil || found.Cycles < best.Cycles {
			best = found
		}
	}
	if best == nil {
		return nil, false
	}
	best.Topology = t
	return best, true
}

// readStored reads a timetable that is kept; nil when there is none by that
// name, or the length is no multiple of its own. One that cannot be read is a
// bug.
func readStored(name string, length int) *Timetable {
	text, err := timetables.ReadFile("timetables/" + name)
	if err != nil {
		return nil
	}
	h, _, err := readHeader(name, string(text))
	if err == nil && length%int(h.flits) != 0 {
		return nil
	}
	table, err := Read(name, bytes.NewReader(text), length)
	if err != nil {
		panic("timetable: a stored timetable cannot be read: " + err.Error())
	}
	return table
}

// Runs reports whether stored timetables are for a machine, buffers or not.
func Runs(m machine.Machine) bool {
	return !m.PacketSwitched() && m.Ports == machine.AllPort && m.Channels == 1 && m.Duplex == machine.Full &&
		m.UnitTimes()
}

// storedName is the name of a grid: ring or torus when all nodes look the same,
// else path or mesh.
func storedName(t *topology.Topology) string {
	if !t.IsGrid() {
		return ""
	}
	kind, same := "mesh", true
	for d, size := range t.Dims {
		same = same && (t.Wrap[d] || size <= 2)
	}
	switch {
	case same && len(t.Dims) == 1:
		kind = "ring"
	case same:
		kind = "torus"
	case len(t.Dims) == 1:
		kind = "path"
	}
	var sides []string
	for d, size := range t.Dims {
		if t.Wrap[d] && !same {
			return ""
		}
		sides = append(sides, strconv.Itoa(size))
	}
	return kind + "-" + strings.Join(sides, "x")
}
