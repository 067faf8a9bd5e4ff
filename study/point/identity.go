// SPDX-License-Identifier: Apache-2.0

package point

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/internal/confine"
	"meshwright/internal/input"
)

// ID names a point by its content: the settings, the content of the files that they name, what is measured, and the version
// of the program.
type ID [16]byte

// revision counts the changes of what a point measures, for versions of the program that do not tell them apart.
const revision = 2

// Identify returns the ID of a point for a version of the program.
func (r *Runner) Identify(s Settings, need Need, version string) (ID, error) {
	named := maps.Clone(s)
	for key, value := range s {
		for _, path := range filesOf(key, value) {
			digest, err := r.files.get(key+" "+path, func() (string, error) { return digestOf(key, path) })
			if err != nil {
				return ID{}, err
			}
			named[key] = strings.Replace(named[key], path, "sha256:"+digest, 1)
		}
	}
	sum := sha256.Sum256([]byte(named.text() + fmt.Sprintf("%d\n%d\n%s\n", need, revision, version)))
	return ID(sum[:16]), nil
}

// Files lists the files that the settings name, and those that a machine file names.
func (s Settings) Files() []string {
	var list []string
	for key, value := range s {
		for _, path := range filesOf(key, value) {
			list = append(list, path)
			if key == KeyMachine {
				list = append(list, filesOfMachine(path)...)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// MachineFile is the file of the machine; "" of a preset or no machine.
func (s Settings) MachineFile() string {
	return strings.Join(filesOf(KeyMachine, s[KeyMachine]), "")
}

// filesOf lists the files that a value names, such as mesh.csv in graph:mesh.csv.
func filesOf(key, value string) []string {
	switch key {
	case KeyMachine:
		if _, err := machine.Preset(value); err == nil {
			return nil
		}
		return []string{value}
	case machine.LinksKey:
		return slices.DeleteFunc(machine.LinkFiles(value), func(file string) bool { return !isFile(file) })
	case keyFaults:
		return slices.DeleteFunc(strings.Fields(value), func(spec string) bool { return !isFile(spec) })
	}
	path := value
	if _, file, ok := strings.Cut(value, ":"); ok {
		path = file
	}
	if path = strings.TrimPrefix(path, "@"); path == value || !isFile(path) {
		return nil
	}
	return []string{path}
}

// filesOfMachine lists the files that a machine file names. One that cannot be read names none: its points fail.
func filesOfMachine(path string) []string {
	f, err := machine.Open(path)
	if err != nil {
		return nil
	}
	list := filesOf(keyTopology, f.Topology)
	if own := f.Machine.OwnTable(); own != nil {
		list = append(list, own.File)
	}
	list = append(list, filesOf(machine.LinksKey, f.Machine.Links.String())...)
	if f.Machine.Faults != nil {
		list = append(list, filesOf(keyFaults, strings.Join(f.Machine.Faults.Specs, " "))...)
	}
	return list
}

func isFile(path string) bool {
	info, err := confine.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// digestOf is the digest of a file, and of the files that it names if it is the file of a machine.
func digestOf(key, path string) (string, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write(text)
	if key == KeyMachine {
		for _, other := range filesOfMachine(path) {
			digest, err := digestOf(keyTopology, other)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "\n%s", digest)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
