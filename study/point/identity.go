// SPDX-License-Identifier: Apache-2.0

package point

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
)

// ID names a point by its content: the settings, the content of the files that they name, what is measured, and the version
// of the program.
type ID [16]byte

// Identify returns the ID of a point for a version of the program.
func (r *Runner) Identify(s Settings, need Need, version string) (ID, error) {
	named := maps.Clone(s)
	for key, value := range s {
		path, ok := fileOf(key, value)
		if !ok {
			continue
		}
		digest, err := r.files.get(path, func() (string, error) { return digestOf(path) })
		if err != nil {
			return ID{}, err
		}
		named[key] = strings.TrimSuffix(value, path) + "sha256:" + digest
	}
	sum := sha256.Sum256([]byte(named.text() + fmt.Sprintf("%d\n%s\n", need, version)))
	return ID(sum[:16]), nil
}

// fileOf returns the file that a value names, as mesh.csv in graph:mesh.csv, if it names one.
func fileOf(key, value string) (string, bool) {
	path := value
	if _, file, ok := strings.Cut(value, ":"); ok {
		path = file
	}
	path = strings.TrimPrefix(path, "@")
	switch {
	case key == keyMachine:
		_, err := machine.Preset(value)
		return value, err != nil
	case path == value && key != keyFaults:
		return "", false
	}
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular()
}

func digestOf(path string) (string, error) {
	text, err := input.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}
