// SPDX-License-Identifier: Apache-2.0

// Package point runs one point of a study: a collective or random traffic on a machine, and the hardware of a chip. A point
// is a set of texts by key, as a study file gives them. Its keys are the machine's keys, the options of the algorithms,
// and those of the verbs run, traffic and synth; its measures have the names that these verbs have in JSON.
package point

import (
	"slices"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// Settings are the values of a point, by key.
type Settings map[string]string

// Key is what a point may set.
type Key struct{ Name, Help string }

// The keys that decide what a point runs.
const (
	keyTopology   = "topology"
	keyMachine    = "machine"
	keyFaults     = "faults"
	keyCollective = "collective"
	keyAlgorithm  = "algorithm"
	keyLength     = "length"
	keyBytes      = "bytes"
	keyLengths    = "lengths"
	keyWords      = "words"
	keyRate       = "rate"
	// Seed is the key that repeats count up.
	Seed = "seed"
)

// The defaults of keys, here and on the command line.
const (
	DefaultLength = 8
	DefaultFlits  = "8"
	DefaultCycles = 10_000
	DefaultDrain  = 100_000
	DefaultSeeds  = "1-3"
)

// jobKeys are the keys of collectives apart from the options of algorithms.
var jobKeys = []Key{
	{keyCollective, "collective to run"},
	{keyAlgorithm, "algorithm of the collective (default: auto)"},
	{keyLength, "flits of every message"},
	{keyBytes, "bytes of every message, in whole flits"},
	{keyLengths, "flits of each node's message, or @FILE"},
	{keyWords, "most words, in all PEs together, of an all-gather that runs: the time of a larger one is predicted"},
	{"packets", "packets of each message on machines that switch packets"},
	{"root", "root node of the collective"},
}

// loadKeys are the keys of random traffic.
var loadKeys = []Key{
	{keyRate, "flits per node and cycle, above 0, at most 1"},
	{"pattern", "pattern of destinations (default: uniform)"},
	{"flits", "flits of a packet, or a mix with weights"},
	{"reply", "flits of the packet that answers each"},
	{"burst", "mean cycles of a burst"},
	{"burst-rate", "flits per cycle of a source that is on"},
	{"warmup", "cycles before the measurement (default: auto)"},
	{"cycles", "cycles of the measurement"},
	{"drain", "most cycles until the measured packets have been delivered"},
}

// hardwareKeys are the keys of synthesis.
var hardwareKeys = []Key{
	{"target", "kind of cells (default: ice40)"},
	{"seeds", "seeds of the placements: a range, or one seed"},
}

// Keys lists all keys.
func Keys() []Key {
	keys := []Key{{keyTopology, "network"}, {keyMachine, "preset or YAML file"}, {keyFaults, "what goes wrong; several with blanks between"}, {Seed, "seed of everything that is random"}}
	for _, k := range machine.Keys() {
		keys = append(keys, Key{k.Name, k.Help})
	}
	keys = slices.Concat(keys, jobKeys)
	for _, o := range collective.Options() {
		keys = append(keys, Key{o.Name, o.Help})
	}
	return slices.Concat(keys, loadKeys, hardwareKeys)
}

// foreign returns a key of the settings that is among some keys; "" if none is.
func (s Settings) foreign(keys []Key) string {
	for _, k := range keys {
		if _, ok := s[k.Name]; ok {
			return k.Name
		}
	}
	return ""
}

// mostChecked bounds the networks that Check makes, in nodes.
const mostChecked = 4096

// Check refuses a value that no point can have, as far as this is quickly known: the name of a topology, machine,
// collective or algorithm. Files are not read. The error is an *input.Error.
func Check(key, value string) error {
	switch key {
	case keyTopology:
		return checkTopology(value)
	case keyMachine:
		if strings.ContainsAny(value, "./") {
			return nil
		}
		_, err := machine.Open(value)
		return err
	case keyCollective:
		_, err := plan.KindOf(value)
		return err
	case keyAlgorithm:
		return checkAlgorithm(value)
	}
	return nil
}

func checkTopology(spec string) error {
	switch kind, _, _ := strings.Cut(spec, ":"); topology.Kind(kind) {
	case topology.Tree, topology.Graph: // of a file
		return nil
	}
	if nodes, _ := topology.SizeOf(spec); nodes > mostChecked {
		return nil
	}
	_, err := topology.Parse(spec)
	return err
}

// checkAlgorithm wants the name of an algorithm of any collective; "" is the default.
func checkAlgorithm(name string) error {
	names := []string{""}
	for _, a := range collective.Table() {
		names = append(append(names, a.Name), a.Aliases...)
	}
	if slices.Contains(names, name) {
		return nil
	}
	want := "expected a name that meshwright list prints"
	if near := input.Nearest(name, names); near != "" {
		want = "did you mean " + near + "?"
	}
	return input.Errorf(want, "unknown algorithm %q", input.Clip(name))
}
