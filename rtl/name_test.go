// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/proctest"
	"meshwright/internal/soak"
	"meshwright/rtl"
)

// called exports a machine whose modules have names of their own, with streams or without.
func called(t *testing.T, name string, streams bool, spec string, settings ...string) string {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	n, err := fabric.New(topo, settled(t, "wormhole", settings))
	require.NoError(t, err)
	require.NoError(t, rtl.CheckName(name))
	r := rtl.NewRecorder(n)
	r.Name(name)
	if streams {
		require.NoError(t, rtl.CheckStreams(t.Context(), n))
		r.AddStreams()
	}
	for range 2 {
		n.Step()
	}
	dir := filepath.Join(t.TempDir(), name)
	_, err = r.Export(dir)
	require.NoError(t, err)
	require.NoError(t, rtl.CheckExport(dir))
	return dir
}

// made runs make in a folder.
func made(t *testing.T, dir string, arguments ...string) string {
	cmd := proctest.Command(t, "make", append([]string{"-s", "-C", dir}, arguments...)...)
	cmd.Env = append(os.Environ(), "MAKEFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// Two networks with names of their own, which differ in the modules of their chips, stand in one design.
func TestNamedExportsShareADesign(t *testing.T) {
	design := &strings.Builder{}
	var files []string
	design.WriteString("`default_nettype none\nmodule two (\n")
	var ports, instances []string
	for _, half := range []struct {
		name, topology string
		settings       []string
	}{
		{"left", "mesh:2x2", []string{"buffer.code", "secded", "width", "32"}},
		{"right", "ring:3", []string{"vcs", "2", "nic.channels", "1", "width", "16", "header", "flit"}},
	} {
		dir := called(t, half.name, true, half.topology, half.settings...)
		text, err := os.ReadFile(filepath.Join(dir, half.name+"_axis.json"))
		require.NoError(t, err)
		var core struct {
			Name  string
			Files []string
			Ports []struct {
				Name, Direction string
				Bits            int
			}
		}
		require.NoError(t, json.Unmarshal(text, &core))
		require.Equal(t, half.name+"_axis", core.Name)
		for _, file := range core.Files {
			files = append(files, filepath.Join(dir, file))
		}
		module, err := os.ReadFile(filepath.Join(dir, "axis", core.Name+".v"))
		require.NoError(t, err)
		var wired []string
		for _, p := range core.Ports {
			width := regexp.MustCompile(`put +wire +(\[[^]]*\])? *` + p.Name + `\b`).FindStringSubmatch(string(module))
			require.NotNil(t, width, p.Name)
			bits := ""
			if width[1] != "" {
				bits = fmt.Sprintf("[%d:0]", p.Bits-1)
			}
			ports = append(ports, fmt.Sprintf("  %sput wire %s %s_%s", p.Direction, bits, half.name, p.Name))
			wired = append(wired, fmt.Sprintf(".%s(%s_%[1]s)", p.Name, half.name))
		}
		instances = append(instances, fmt.Sprintf("  %s i_%[1]s (%s);\n", core.Name, strings.Join(wired, ", ")))
	}
	fmt.Fprintf(design, "%s\n);\n%sendmodule\n`default_nettype wire\n", strings.Join(ports, ",\n"), strings.Join(instances, ""))
	top := filepath.Join(t.TempDir(), "two.v")
	require.NoError(t, os.WriteFile(top, []byte(design.String()), 0o644))
	for _, command := range [][]string{
		{"iverilog", "-g2005", "-Wall", "-Wno-timescale", "-o", top + "vp", "-s", "two"},
		{"verilator", "--lint-only", "-Wall", "--top-module", "two"},
	} {
		out, err := proctest.Command(t, command[0], append(append(command[1:], top), files...)...).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Empty(t, string(out))
	}
}

// The benches of named exports compile and pass, and no module of a design keeps its usual name.
func TestNamedExportsPass(t *testing.T) {
	for _, row := range soak.Some(2, []struct {
		name, topology string
		streams        bool
		settings       []string
	}{
		{"noc", "mesh:2x2", true, []string{"vcs", "2", "nic.channels", "1", "buffer.code", "parity", "width", "32"}},
		{"ring", "ring:3", false, []string{"buffer.code", "secded", "width", "32"}},
	}) {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := called(t, row.name, row.streams, row.topology, row.settings...)
			require.Regexp(t, `^PASS `, made(t, dir, "icarus"))
			require.Empty(t, made(t, dir, "lint"))
			if row.streams {
				require.Regexp(t, `^PASS frames=40 `, made(t, filepath.Join(dir, "axis"), "icarus", "FRAMES=40"))
				require.Empty(t, made(t, filepath.Join(dir, "axis"), "lint"))
			} else {
				require.Regexp(t, `^PASS `, made(t, dir, "verilator"))
			}
			defined := regexp.MustCompile(`(?m)^module (\w+)`)
			require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				require.NoError(t, err)
				if entry.IsDir() && (entry.Name() == "bench" || entry.Name() == "build") {
					return fs.SkipDir
				}
				if filepath.Ext(path) != ".v" || strings.Contains(" bench.v frames.v frame_waves.v waves.v ", " "+entry.Name()+" ") {
					return nil
				}
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				for _, module := range defined.FindAllStringSubmatch(string(text), -1) {
					require.Equal(t, strings.TrimSuffix(entry.Name(), ".v"), module[1])
					require.True(t, module[1] == row.name || strings.HasPrefix(module[1], row.name+"_"), module[1])
				}
				return nil
			}))
		})
	}
}

func TestCheckName(t *testing.T) {
	for name, want := range map[string]string{
		"noc": "", "a_1": "", "Mesh2": "", "top": "",
		"":           `--name: "" (expected a name of Verilog: a letter, then letters, digits and _)`,
		"1st":        `--name: "1st" (expected a name of Verilog: a letter, then letters, digits and _)`,
		"my-mesh":    `--name: "my-mesh" (expected a name of Verilog: a letter, then letters, digits and _)`,
		"../x":       `--name: "../x" (expected a name of Verilog: a letter, then letters, digits and _)`,
		"module":     `--name: "module" (expected another name: this one is a word of Verilog or SystemVerilog)`,
		"logic":      `--name: "logic" (expected another name: this one is a word of Verilog or SystemVerilog)`,
		"bench":      `--name: "bench" (expected another name: a module of the bench has this one)`,
		"frames":     `--name: "frames" (expected another name: a module of the bench has this one)`,
		"link":       `--name: "link" (expected another name: a module of the library has this one)`,
		"code_check": `--name: "code_check" (expected another name: a module of the bench has this one)`,
	} {
		err := rtl.CheckName(name)
		if want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.EqualError(t, err, want)
	}
	require.ErrorContains(t, rtl.CheckName(strings.Repeat("n", 101)), "(expected at most 100 characters)")
}
