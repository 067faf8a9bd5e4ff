// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"meshwright/fabric/fault"
	"meshwright/internal/input"
	"meshwright/internal/yamltext"
)

// File is the content of a machine file: parameters, and the topology if the file names one.
type File struct {
	Machine  Machine
	Topology string

	lines map[string]int // of its keys
}

// Line returns the line in which a key stands; 0 if it does not.
func (f *File) Line(key string) int { return f.lines[key] }

// Open returns the machine that name stands for: a preset, or a YAML file. A
// file starts from the preset that its key "preset" names (default wormhole).
// Its errors are *input.Error.
func Open(name string) (File, error) {
	if slices.Contains(PresetNames(), name) {
		m, err := Preset(name)
		return File{Machine: m}, err
	}
	if name != input.Stdin && !strings.ContainsAny(name, "./") {
		want := input.Suggest(name, PresetNames())
		if name == string(CutThrough) {
			want = fmt.Sprintf("expected %s, with key switching %s", StoreForward, CutThrough)
		} else if input.Nearest(name, PresetNames()) == "" {
			want += ", or a YAML file such as ./chip.yaml"
		}
		return File{}, input.Errorf(want, "unknown machine %q", name)
	}
	text, err := input.ReadFileWithin(name, input.Bounds{Bytes: maxFile, Line: maxFile})
	if err != nil {
		return File{}, err
	}
	return Parse(name, text)
}

// maxFile bounds a machine file, in bytes: its keys take less than a thousand.
const maxFile = 1 << 20

// Parse reads a machine file's text; name is for errors.
func Parse(name string, text []byte) (File, error) {
	doc, err := yamltext.Parse(name, text, "machine", "parameters", "expected keys such as buffer: 4")
	if err != nil {
		return File{}, err
	}
	settings, err := flatten(name, "", doc)
	if err != nil {
		return File{}, err
	}
	return apply(name, settings)
}

// setting is one key of the file, nested ones joined by dots.
type setting struct {
	key, value string
	line       int
}

func flatten(name, prefix string, node *yaml.Node) ([]setting, error) {
	if node.Kind != yaml.MappingNode {
		return nil, input.At(name, node.Line, "expected key: value", "not a list of keys")
	}
	var settings []setting
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		full := prefix + key.Value
		switch {
		case value.Kind == yaml.ScalarNode:
			settings = append(settings, setting{full, value.Value, key.Line})
		case value.Kind == yaml.SequenceNode && (full == faultsKey || full == LinksKey):
			var specs []string
			for _, spec := range value.Content {
				if spec.Kind != yaml.ScalarNode || spec.Value == "" {
					return nil, input.At(name, spec.Line, "expected a list of texts", "key %q has a list, keys or nothing in its list", full)
				}
				specs = append(specs, spec.Value)
			}
			value := strings.Join(specs, "\n")
			if full == LinksKey && len(specs) == 0 {
				value = even
			}
			settings = append(settings, setting{full, value, key.Line})
		case value.Kind == yaml.MappingNode && full == "nic":
			nested, err := flatten(name, full+".", value)
			if err != nil {
				return nil, err
			}
			settings = append(settings, nested...)
		case !known(full):
			return nil, unknownKey(name, full, key.Line)
		default:
			return nil, input.At(name, key.Line, "expected one value", "key %q has several", full)
		}
	}
	return settings, nil
}

// faultSpecs divides the value of the key faults: the texts of a list, or as in the JSON of a report a text with blanks between.
func faultSpecs(value string) []string {
	fields := strings.Fields(value)
	if strings.Contains(value, "\n") || len(fields) == 0 || fault.IsFile(fields[0]) {
		return strings.Split(value, "\n")
	}
	return fields
}

func known(key string) bool { return slices.Contains(fileKeys(), key) }

func fileKeys() []string { return append(keyNames(), nameKey, "topology", "preset", faultsKey) }

// nameKey is the key of what reports call the machine; without it they name the file.
const nameKey = "name"

// faultsKey is the key of a list of faults, or of one.
const faultsKey = "faults"

func unknownKey(name, key string, line int) error {
	return input.At(name, line, input.Suggest(key, fileKeys()), "unknown key %q", key)
}

// keyPlace sorts the keys on which other keys depend before these.
func keyPlace(key string) int {
	switch key {
	case "switching":
		return 0
	case "ports":
		return 1
	}
	return 2
}

// apply sets the preset first, whatever line it stands in, then the other keys.
func apply(name string, settings []setting) (File, error) {
	f := File{}
	preset := setting{value: "wormhole"}
	seen := map[string]int{}
	for _, s := range settings {
		if !known(s.key) {
			return f, unknownKey(name, s.key, s.line)
		}
		if seen[s.key] != 0 {
			return f, input.At(name, s.line, "expected each key once", "key %q stands in line %d already", s.key, seen[s.key])
		}
		seen[s.key] = s.line
		if s.key == "preset" {
			preset = s
		}
	}
	f.lines = seen
	m, err := Preset(preset.value)
	if err != nil {
		return f, input.Locate(err, name, preset.line)
	}
	f.Machine, f.Machine.Name = m, name
	slices.SortStableFunc(settings, func(a, b setting) int { return keyPlace(a.key) - keyPlace(b.key) })
	for _, s := range settings {
		switch s.key {
		case "preset":
		case nameKey:
			if f.Machine.Name = s.value; s.value == "" {
				return f, input.At(name, s.line, "expected a name", "an empty name")
			}
		case "topology":
			f.Topology = s.value
		case faultsKey:
			if f.Machine.Faults, err = fault.Parse(faultSpecs(s.value), fault.DefaultSeed); err != nil {
				return f, input.Locate(err, name, s.line)
			}
		default:
			if err := f.Machine.SetGiven(s.key, s.value); err != nil {
				return f, input.Locate(err, name, s.line)
			}
		}
	}
	return f, nil
}
