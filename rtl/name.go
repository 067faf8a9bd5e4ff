// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"meshwright/internal/input"
	"meshwright/rtl/verilog"
)

// This file gives the modules of an export names of its own, so that several networks fit into one design. The top is called
// as the user likes. Library modules, which stand in folders lib, have this name in front. The benches keep their names:
// they are no part of a design.

// maxName bounds the names of an export: file systems bound the names of files.
const maxName = 100

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// CheckName judges a name for the top module of an export. The error is an *input.Error about --name.
func CheckName(name string) error {
	refuse := func(want string) error { return input.At("--name", 0, want, "%q", input.Clip(name)) }
	switch {
	case !nameForm.MatchString(name):
		return refuse("expected a name of Verilog: a letter, then letters, digits and _")
	case len(name) > maxName:
		return refuse(fmt.Sprintf("expected at most %d characters", maxName))
	case verilog.IsReserved(name):
		return refuse("expected another name: this one is a word of Verilog or SystemVerilog")
	case slices.Contains(benchModules(), name):
		return refuse("expected another name: a module of the bench has this one")
	case slices.ContainsFunc(slices.Concat(sourceFiles(), streamLibrary(), []string{linkFault}), func(file string) bool { return moduleOf(file) == name }):
		return refuse("expected another name: a module of the library has this one")
	}
	return nil
}

// benchModules lists the modules that stand beside the network in an export's folder.
func benchModules() []string {
	names := []string{streamBench, "frame_waves", "coverage", strings.TrimSuffix(waveFile, ".v")}
	for _, file := range strings.Fields(strings.Join([]string{benchFiles(), faultDriver, errorCheck, codeCheck}, " ")) {
		names = append(names, moduleOf(file))
	}
	for _, file := range streamBenchFiles() {
		names = append(names, moduleOf(file))
	}
	return names
}

// moduleOf returns the module of a file, which has its name.
func moduleOf(file string) string { return strings.TrimSuffix(path.Base(file), ".v") }

// Name gives the top module of the export a name, and all modules of the library this name in front. CheckName must have
// accepted it.
func (r *Recorder) Name(name string) { r.name = name }

// named returns the file of a library module in the export.
func (d *Design) named(file string) string {
	if d.name == "" {
		return file
	}
	return path.Join(path.Dir(file), d.name+"_"+path.Base(file))
}

// namedFiles returns the files of library modules in the export.
func (d *Design) namedFiles(files []string) []string {
	var list []string
	for _, file := range files {
		list = append(list, d.named(file))
	}
	return list
}

// hardware lists the modules of the library that are a part of a user's design, as the library calls them.
func (d *Design) hardware() []string {
	if d.Streams {
		return append(d.library(), streamLibrary()...)
	}
	return d.library()
}

// rename gives the modules of the library their names in this export, in all files of a folder that has been written.
func (d *Design) rename(dir string) error {
	if d.name == "" {
		return nil
	}
	names := map[string]string{}
	for _, file := range d.hardware() {
		names[moduleOf(file)] = moduleOf(d.named(file))
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return d.renameIn(path, names)
	})
	if err != nil {
		return err
	}
	for _, file := range d.hardware() {
		from, to := filepath.Join(dir, file), filepath.Join(dir, d.named(file))
		if err := d.explain(from); err != nil {
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	return nil
}

// renameIn renames modules in a file, if it is one of Verilog or of Verilator's settings.
func (d *Design) renameIn(path string, names map[string]string) error {
	var rename func(string) string
	switch filepath.Ext(path) {
	case ".v", ".sv":
		rename = func(text string) string { return verilog.RenameModules(text, names) }
	case ".vlt":
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(names)) {
			pairs = append(pairs, `-module "`+name+`"`, `-module "`+names[name]+`"`)
		}
		rename = strings.NewReplacer(append(pairs, `"*top.v"`, `"*`+d.name+`.v"`)...).Replace
	default:
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(rename(string(text))), 0o644)
}

// explain says behind the first line of a library module, its licence, how its comments name other modules.
func (d *Design) explain(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	return os.WriteFile(path, []byte(first+"\n// Modules of the library have "+d.name+"_ in front in this export; comments leave it out.\n"+rest), 0o644)
}
