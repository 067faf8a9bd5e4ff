// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"meshwright/internal/input"
)

// File is what a machine file holds: parameters, and the topology if it names one.
type File struct {
	Machine  Machine
	Topology string
}

// Open returns the machine that name stands for: a preset, or a YAML file. A
// file starts from the preset that its key "preset" names (default wormhole).
// Its errors are *input.Error.
func Open(name string) (File, error) {
	if slices.Contains(PresetNames(), name) {
		m, err := Preset(name)
		return File{Machine: m}, err
	}
	if !strings.ContainsAny(name, "./") {
		_, err := Preset(name)
		return File{}, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return File{}, input.At(name, 0, "", "%v", err)
	}
	return Parse(name, text)
}

// Parse reads a machine file's text; name is for errors.
func Parse(name string, text []byte) (File, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return File{}, yamlError(name, err)
	}
	if len(doc.Content) == 0 {
		return File{}, input.At(name, 0, "expected keys such as buffer: 4", "no parameters")
	}
	settings, err := flatten(name, "", doc.Content[0])
	if err != nil {
		return File{}, err
	}
	return apply(name, settings)
}

// yamlError moves the line that the YAML reader found to where all errors have it.
func yamlError(name string, err error) error {
	text := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " ")
	line := 0
	if n, _ := fmt.Sscanf(text, "line %d: ", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
	}
	return input.At(name, line, "", "%s", text)
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

func known(key string) bool { return slices.Contains(fileKeys(), key) }

func fileKeys() []string { return append(KeyNames(), "topology", "preset") }

func unknownKey(name, key string, line int) error {
	return input.At(name, line, input.Suggest(key, fileKeys()), "unknown key %q", key)
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
	m, err := Preset(preset.value)
	if err != nil {
		return f, locate(err, name, preset.line)
	}
	f.Machine, f.Machine.Name = m, name
	for _, s := range settings {
		switch s.key {
		case "preset":
		case "topology":
			f.Topology = s.value
		default:
			if err := f.Machine.Set(s.key, s.value); err != nil {
				return f, locate(err, name, s.line)
			}
		}
	}
	return f, nil
}

// locate adds file and line to an input error.
func locate(err error, file string, line int) error {
	var fault *input.Error
	if errors.As(err, &fault) {
		return &input.Error{File: file, Line: line, What: fault.What, Want: fault.Want}
	}
	return err
}
