// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"meshwright/internal/input"
)

// Files are Verilog files of the user. A file may include files of all folders in which files are.
type Files struct {
	Paths      []string
	Data       []string  // files or folders that the Verilog reads by their own names, as $readmemh does
	Parameters []Setting // of the module
	Ties       []Setting // inputs that are constant
}

// Setting is a parameter or an input with its value.
type Setting struct{ Name, Value string }

// setting matches NAME=VALUE: a name of Verilog, and a number of Verilog.
var setting = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_$]*)=(-?[0-9]*(?:'s?[bdho])?[0-9a-fA-FxX_]+)$`)

// ParseSetting reads NAME=VALUE, where the value is a number of Verilog.
func ParseSetting(text string) (Setting, error) {
	m := setting.FindStringSubmatch(text)
	if m == nil {
		return Setting{}, input.Errorf("expected NAME=NUMBER, such as depth=4 or mode=2'b01", "%q", input.Clip(text))
	}
	return Setting{m[1], m[2]}, nil
}

// link makes the files known in a folder by names that Yosys takes whatever their own names are, and returns the
// arguments of read_verilog.
func (f *Files) link(dir string) ([]string, error) {
	var sources, folders []string
	for i, path := range f.Paths {
		file, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if err := os.Symlink(file, filepath.Join(dir, sourceName(i))); err != nil {
			return nil, err
		}
		sources = append(sources, sourceName(i))
		if folder := filepath.Dir(file); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, path := range f.Data {
		data, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if err := os.Symlink(data, filepath.Join(dir, filepath.Base(data))); err != nil {
			return nil, err
		}
	}
	var arguments []string // options stand before files
	for i, folder := range folders {
		name := fmt.Sprintf("folder%d", i)
		if err := os.Symlink(folder, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
		arguments = append(arguments, "-I"+name)
	}
	return append(arguments, sources...), nil
}

func sourceName(i int) string { return fmt.Sprintf("source%d.v", i) }

// rename gives the files their own names in a message of Yosys.
func (f *Files) rename(message string) string {
	var names []string
	for i, path := range f.Paths {
		names = append(names, sourceName(i)+":", path+":")
	}
	return strings.NewReplacer(names...).Replace(message)
}

// Source is a module of the files.
func (f *Files) Source(module, clock string) Source {
	return Source{Module: module, Clock: clock, Write: f.link, parameters: f.Parameters, ties: f.Ties, rename: f.rename}
}

// elaborate returns the commands that make the module the top of the design, with its parameters and constants.
func (s *Source) elaborate() []string {
	top := "hierarchy -check -top " + s.Module
	for _, p := range s.parameters {
		top += " -chparam " + p.Name + " " + p.Value
	}
	commands := []string{top, "rename -top " + unitName}
	if len(s.ties) == 0 {
		return commands
	}
	commands = append(commands, "proc", "cd "+unitName)
	for _, t := range s.ties {
		commands = append(commands, "select -assert-count 1 i:"+t.Name, "delete -input w:"+t.Name, "connect -set "+t.Name+" "+t.Value)
	}
	return append(commands, "cd ..")
}
