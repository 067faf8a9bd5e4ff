// SPDX-License-Identifier: Apache-2.0

// Package point runs one point of a study: a collective or random traffic on a machine, and the hardware of a chip. A point
// is a set of texts by key, as a study file gives them. Its keys are the machine's keys, the options of the algorithms,
// and those of the verbs run, traffic and synth; its measures have the names that these verbs have in JSON.
package point

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/confine"
	"meshwright/internal/input"
)

// Settings are the values of a point, by key.
type Settings map[string]string

// Key is what a point may set. Unit is that of a number; "" of a count, or of what is no number.
type Key struct{ Name, Help, Unit string }

// The keys that decide what a point runs.
const (
	keyTopology   = "topology"
	keyFaults     = "faults"
	keyCollective = "collective"
	keyAlgorithm  = "algorithm"
	keyStart      = "start"
	keyLength     = "length"
	keyBytes      = "bytes"
	keyLengths    = "lengths"
	keyWords      = "words"
	keyPackets    = "packets"
	keyLimit      = "limit"
	keyEffort     = "effort"
	keyRate       = "rate"
	keyResolution = "resolution"
	keyMost       = "latency-limit"
	keyCycles     = "cycles"
	keyDrain      = "drain"
	// KeyMachine and KeySwitching decide which values other keys of the machine take.
	KeyMachine   = "machine"
	KeySwitching = "switching"
	// KeyPattern names a trace in place of random traffic, too.
	KeyPattern = "pattern"
	keyPattern = KeyPattern
	// Seed is the key that repeats count up.
	Seed = "seed"
	// KeyCollective and KeyRoot: only some collectives have a root.
	KeyCollective, KeyRoot = keyCollective, "root"
)

// The defaults of keys, here and on the command line.
const (
	DefaultLength = 8
	DefaultFlits  = "8"
	DefaultCycles = 10_000
	DefaultDrain  = 100_000
	// DefaultResolution is that of searches for the load that saturates a network.
	DefaultResolution = 0.01
	DefaultSeeds      = "1-3"
)

// defaultPattern is that of random traffic.
const defaultPattern = "uniform"

// mostBytes is more than the bytes of a message.
const mostBytes = 1 << 40

// jobKeys are the keys of collectives apart from the options of algorithms.
var jobKeys = []Key{
	{keyCollective, "collective to run", ""},
	{keyAlgorithm, "algorithm of the collective, or several between commas, of which the fastest runs (default: auto)", ""},
	{keyLength, "flits of every message", "flits"},
	{keyBytes, "bytes of every message, such as 4096 or 64KiB, in whole flits", "bytes"},
	{keyLengths, "flits of each node's message, or @FILE", ""},
	{keyWords, "most words, in all PEs together, of an all-gather that runs: the time of a larger one is predicted", "words"},
	{keyPackets, "packets of each message on machines that switch packets", ""},
	{KeyRoot, "root node of the collective", ""},
	{keyLimit, "limit on the time of a search for a plan, such as 10s", "seconds"},
	{keyEffort, "how much searches for a plan do, in times of what they usually do: 0.01 to 100", ""},
}

// rateKeys are the keys of random traffic at one rate, and searchKeys those of a search over the rates.
var (
	rateKeys   = []Key{{keyRate, "flits per source and cycle, above 0, at most 1", perCycle}}
	searchKeys = []Key{{keyResolution, "how close the search for the load that saturates comes, in flits per source and cycle", perCycle}}
)

// loadKeys are the keys of random traffic at any rate.
var loadKeys = []Key{
	{keyPattern, "pattern of destinations (default: uniform), or trace:FILE, a list of packets", ""},
	{"flits", "flits of a packet, or a mix with weights", "flits"},
	{"reply", "flits of the packet that answers each", "flits"},
	{"burst", "mean cycles of a burst", "cycles"},
	{"burst-rate", "flits per cycle of a source that is on", "flits per cycle"},
	{keyMost, "mean packet latency above which a load counts as not stable (default: no limit)", "cycles"},
	{"warmup", "cycles before the measurement (default: auto)", "cycles"},
	{keyCycles, "cycles of the measurement", "cycles"},
	{keyDrain, "most cycles until the measured packets have been delivered", "cycles"},
}

// hardwareKeys are the keys of synthesis.
var hardwareKeys = []Key{
	{"target", "kind of cells (default: ice40)", ""},
	{"seeds", "seeds of the placements: a range, or one seed", ""},
}

// Keys lists all keys.
func Keys() []Key {
	keys := []Key{{keyTopology, "network", ""}, {KeyMachine, "preset or YAML file", ""}, {keyFaults, "what goes wrong; several with blanks between, such as random:1 known, or none", ""}, {Seed, "seed of everything that is random", ""}}
	for _, k := range machine.Keys() {
		keys = append(keys, Key{k.Name, k.Help, k.Unit})
	}
	keys = slices.Concat(keys, jobKeys)
	for _, o := range collective.Options() {
		keys = append(keys, Key{Name: o.Name, Help: o.Help})
	}
	return slices.Concat(keys, rateKeys, searchKeys, loadKeys, hardwareKeys)
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

// checks are the keys whose values Check judges.
var checks = map[string]func(value string) error{
	keyTopology: checkTopology,
	KeyMachine:  checkMachine,
	keyFaults:   checkFaults,
	keyCollective: func(name string) error {
		_, err := plan.KindOf(name)
		return err
	},
	keyAlgorithm: checkAlgorithm,
	keyLengths:   checkList,
	keyPackets:   checkList,
	keyPattern:   checkPattern,
	keyLimit: func(text string) error {
		_, err := limitOf(text)
		return err
	},
	keyEffort: func(text string) error {
		_, err := effortOf(text)
		return err
	},
	keyLength: checkNumber(keyLength, 0, mostFlits),
	keyBytes: func(text string) error {
		_, err := ParseBytes(text)
		return input.Locate(err, keyBytes, 0)
	},
	keyCycles: checkNumber(keyCycles, 1, mostCycles),
	keyDrain:  checkNumber(keyDrain, 0, mostCycles),
	Seed: func(seed string) error {
		_, err := Settings{Seed: seed}.seed()
		return err
	},
	keyRate: func(rate string) error {
		_, err := Settings{keyRate: rate}.float(keyRate, 0)
		return err
	},
	keyMost: func(text string) error {
		_, err := Settings{keyMost: text}.mostLatency()
		return err
	},
	keyResolution: func(text string) error {
		_, err := Settings{keyResolution: text}.resolution()
		return err
	},
}

// Checked reports whether Check judges the values of a key.
func Checked(key string) bool { return checks[key] != nil || isMachineKey(key) }

// Check refuses a value that no point can have, as far as this is quickly known: the name of a topology, machine,
// collective or algorithm, of a file that does not exist, a value that the key does not take, or one that none of the
// machines takes. Files other than those of faults are not read. The error is an *input.Error.
func Check(key, value string, machines []machine.Machine) error {
	if check := checks[key]; check != nil {
		return check(value)
	}
	if isMachineKey(key) {
		return checkMachineKey(key, value, machines)
	}
	return nil
}

func isMachineKey(key string) bool {
	return slices.ContainsFunc(machine.Keys(), func(k machine.Key) bool { return k.Name == key })
}

// checkMachineKey refuses a value that none of the machines takes: their switching decides which buffers they may have, and whether they have packets.
func checkMachineKey(key, value string, machines []machine.Machine) error {
	var first error
	for _, m := range machines {
		err := m.SetGiven(key, value)
		if err == nil {
			err = m.RefusesPacketKey(key)
		}
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// Machines lists the machines that points with some names of machines and kinds of switching can have; "" stands for a
// point without the key. It takes all presets if a name is not that of a preset: files are not read.
func Machines(names, switchings []string) []machine.Machine {
	names = slices.Clone(names)
	for i, name := range names {
		if name == "" {
			names[i] = string(machine.Wormhole)
		} else if !slices.Contains(machine.PresetNames(), name) {
			names = machine.PresetNames()
			break
		}
	}
	var list []machine.Machine
	for _, name := range names {
		preset, err := machine.Preset(name)
		if err != nil {
			panic("point: " + err.Error())
		}
		list = append(list, switched(preset, switchings)...)
	}
	return list
}

// switched lists a machine with each kind of switching; "" leaves it as it is, and so does a word that means nothing,
// which Check refuses.
func switched(preset machine.Machine, switchings []string) []machine.Machine {
	var list []machine.Machine
	for _, switching := range switchings {
		m := preset
		if switching != "" {
			_ = m.Set(KeySwitching, switching)
		}
		list = append(list, m)
	}
	return list
}

// checkNumber makes the check of a key with a whole number.
func checkNumber(key string, least, most int) func(string) error {
	return func(value string) error {
		_, err := Settings{key: value}.number(key, 0, least, most)
		return err
	}
}

// checkExists refuses a file that does not exist.
func checkExists(path string) error {
	if path == "" || path == input.Stdin {
		return nil
	}
	if _, err := confine.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return input.Errorf("expected a file that can be read", "%s: no such file or directory", input.Clip(path))
}

func checkMachine(name string) error {
	if strings.ContainsAny(name, "./") {
		return checkExists(name)
	}
	_, err := machine.Open(name)
	return err
}

// checkFaults reads a list of faults, which is short.
func checkFaults(list string) error {
	_, err := fault.Parse(strings.Fields(list), 0)
	return err
}

// checkList judges the file of a list such as @lengths.csv.
func checkList(value string) error {
	if path, ok := strings.CutPrefix(value, "@"); ok {
		return checkExists(path)
	}
	return nil
}

// checkPattern judges the file of a pattern of random traffic that has one.
func checkPattern(pattern string) error {
	if path, ok := traffic.PatternFile(pattern); ok {
		return checkExists(path)
	}
	return nil
}

func checkTopology(spec string) error {
	switch kind, path, _ := strings.Cut(spec, ":"); topology.Kind(kind) {
	case topology.Tree, topology.Graph:
		return checkExists(path)
	}
	if nodes, _ := topology.SizeOf(spec); nodes > mostChecked {
		return nil
	}
	_, err := topology.Parse(spec)
	return err
}

// checkAlgorithm judges an algorithm of any collective, or a list of them; "" is the default.
func checkAlgorithm(list string) error {
	names := strings.Split(list, ",")
	for _, name := range names {
		if len(names) > 1 && (name == "" || name == collective.Auto) {
			return input.Errorf("expected names of algorithms between commas, without auto", "algorithms %q", input.Clip(list))
		}
		if err := checkOneAlgorithm(name); err != nil {
			return err
		}
	}
	return nil
}

func checkOneAlgorithm(name string) error {
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
	} else if parts := having(names, name); parts != nil {
		want = "did you mean " + input.Or(parts) + "?"
	}
	return input.Errorf(want, "unknown algorithm %q", input.Clip(name))
}

// mostSuggested bounds the names that an error suggests.
const mostSuggested = 5

// having lists the names of which a word is a part, such as recursive-halving of halving; nil if there are none, or many.
func having(names []string, word string) []string {
	var list []string
	for _, name := range names {
		if strings.Contains(name, word) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if len(list) > mostSuggested {
		return nil
	}
	return list
}
