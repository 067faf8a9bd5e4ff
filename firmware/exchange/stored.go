// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"embed"
	"strconv"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

// timetables are those that were found once: NAME.csv, the fastest one of a
// network, and NAME.rounds.csv where others follow one another faster.
//
//go:embed timetables/*.csv
var timetables embed.FS

// Stored returns the timetable that is kept for a network and messages of length
// flits on the Reference machine, if there is one: several flits go in as many
// rounds.
func Stored(t *topology.Topology, length int) (*Timetable, bool) {
	name := storedName(t)
	if name == "" || length < 1 || length > maxLength {
		return nil, false
	}
	var best *Timetable
	for _, suffix := range []string{".csv", ".rounds.csv"} {
		f, err := timetables.Open("timetables/" + name + suffix)
		if err != nil {
			continue
		}
		found, err := Read(name+suffix, f, length)
		f.Close()
		if err == nil && (best == nil || found.Cycles < best.Cycles) {
			best = found
		}
	}
	if best == nil {
		return nil, false
	}
	best.Topology = t
	return best, true
}

// Runs reports whether stored timetables are for a machine, buffers or not.
func Runs(m machine.Machine) bool {
	return !m.PacketSwitched() && m.Ports == machine.AllPort && m.Channels == 1 && m.Duplex == machine.Full &&
		m.Startup == 0 && m.Hop == 1 && m.Flit == 1
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
