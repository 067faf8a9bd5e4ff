// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/proctest"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/rtl"
)

// exported writes the chips of a machine, with the vectors of a short run in which a message
// meets the faults.
func exported(t *testing.T, preset, spec string, settings ...string) string {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m := settled(t, preset, settings)
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	r := rtl.NewRecorder(n)
	if m.Faults != nil {
		n.Attach(&once{fabric.Message{Source: 0, Destination: router.NodeID(topo.Nodes() - 1), Words: []uint32{1}}})
	}
	for range 12 {
		n.Step()
	}
	dir := filepath.Join(t.TempDir(), "export")
	_, err = r.Export(dir)
	require.NoError(t, err)
	return dir
}

// The three tools that read Verilog have nothing to say about any kind of chip:
// neither warnings nor, after synthesis to cells, latches and loops.
func TestExportedChipsAreClean(t *testing.T) {
	tree := sampleTree(t)
	for _, row := range soak.Some(9, []struct {
		name, preset, topology string
		settings               []string
	}{
		{"wormhole mesh", "wormhole", "mesh:3x2", []string{"nic.channels", "1"}},
		{"channel per link", "wormhole", "mesh:2x2", nil},
		{"datelines", "wormhole", "ring:3", []string{"vcs", "4", "buffer", "3", "buffer.store", "ram"}},
		{"single port, slow links, claims that take a cycle", "wormhole", "mesh:2x2", []string{"ports", "single", "hop", "2", "flit", "3", "nic.duplex", "half", "claim", "1"}},
		{"tables, headers in heads", "wormhole", "tree:" + tree, []string{"header", "flit"}},
		{"source routes and upsets", "wormhole", "path:3", []string{"routing", "source", "faults", "upset:1"}},
		{"bufferless", "bufferless", "mesh:2x3", nil},
		{"bufferless, all ports, slow links", "bufferless", "ring:4", []string{"ports", "all", "nic.channels", "links", "hop", "2", "flit", "2"}},
		{"bufferless, heads with a course", "bufferless", "torus:3x3", []string{"header", "flit", "ports", "all"}},
		{"bufferless, heads by tables", "bufferless", "path:3", []string{"header", "flit", "routing", "table"}},
		{"store-forward", "store-forward", "mesh:3x2", []string{"packet", "8", "buffer", "16", "setup", "2"}},
		{"cut-through, at once", "store-forward", "ring:3", []string{"switching", "cut-through", "setup", "0", "packet", "1", "buffer", "1"}},
		{"store-forward on a hub, one packet in a buffer", "store-forward", "hub:3", []string{"packet", "3", "buffer", "3"}},
		{"store-forward with head flits", "store-forward", "mesh:2x2", []string{"packet", "3", "buffer", "8", "header", "flit", "buffer.code", "parity"}},
		{"store-forward by source routes", "store-forward", "path:3", []string{"packet", "3", "buffer", "7", "setup", "3/2", "routing", "source"}},
		{"cut-through by tables", "store-forward", "tree:" + tree, []string{"switching", "cut-through", "packet", "2", "buffer", "5", "flit", "2"}},
		{"store-forward on all ports", "store-forward", "mesh:3x2", []string{"ports", "all", "nic.channels", "links", "packet", "8", "buffer", "16", "setup", "2"}},
		{"cut-through on all ports, at once", "store-forward", "ring:3", []string{"ports", "all", "nic.channels", "links", "switching", "cut-through", "setup", "0", "packet", "1", "buffer", "1"}},
		{"store-forward on all ports by source routes, headers in heads", "store-forward", "path:3", []string{"header", "flit", "ports", "all", "nic.channels", "links", "packet", "3", "buffer", "7", "setup", "3/2", "routing", "source"}},
		{"cut-through on all ports by tables", "store-forward", "tree:" + tree, []string{"ports", "all", "nic.channels", "links", "switching", "cut-through", "packet", "2", "buffer", "5", "flit", "2"}},
		{"faults", "wormhole", "mesh:2x2", []string{"vcs", "2", "hop", "2", "nic.channels", "1", "buffer.code", "secded", "faults", "random:1,nodes upset:1"}},
		{"faults of packets", "store-forward", "mesh:3x2", []string{"packet", "8", "buffer", "16", "buffer.code", "parity", "faults", "random:1,nodes upset:1"}},
		{"faults of packets on all ports", "store-forward", "path:3", []string{"ports", "all", "nic.channels", "links", "packet", "8", "buffer", "16", "buffer.code", "secded", "faults", "random:1,nodes upset:1"}},
		{"highest dimension first", "store-forward", "mesh:2x2", []string{"packet", "2", "buffer", "4", "routing", "yx"}},
		{"either order", "wormhole", "mesh:2x2", []string{"routing", "o1turn", "nic.channels", "1"}},
		{"by way of a node between", "wormhole", "ring:3", []string{"routing", "valiant", "hop", "2"}},
		{"virtual channels, claims that take a cycle", "wormhole", "mesh:2x2", []string{"claim", "1", "vcs", "2", "nic.duplex", "half"}},
		{"adaptive", "wormhole", "mesh:2x2", []string{"routing", "adaptive", "buffer", "1"}},
		{"adaptive on a ring", "wormhole", "ring:3", []string{"routing", "adaptive", "nic.channels", "1", "hop", "2"}},
		{"west first", "wormhole", "mesh:2x2", []string{"routing", "west-first", "buffer", "1"}},
		{"north last", "wormhole", "mesh:2x3", []string{"routing", "north-last", "vcs", "2"}},
		{"negative first", "wormhole", "mesh:2x2x2", []string{"routing", "negative-first", "nic.channels", "1"}},
		{"odd-even", "wormhole", "mesh:3x2", []string{"routing", "odd-even", "hop", "2"}},
		{"a free choice of channels", "wormhole", "mesh:2x2", []string{"vcs", "3", "vc.choice", "free", "claim", "1"}},
		{"a free choice of channels in two phases of dateline pairs", "wormhole", "ring:3", []string{"vcs", "8", "vc.choice", "free", "routing", "valiant", "nic.channels", "1"}},
		{"uneven links", "wormhole", "mesh:3x2", []string{"ports", "single", "nic.duplex", "half", "vcs", "2", "links", "0-1,hop=3,flit=2 1>4,flit=4"}},
		{"three dimensions, heads with a course", "wormhole", "mesh:2x2x2", []string{"nic.channels", "1", "header", "flit"}},
	}) {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := exported(t, row.preset, row.topology, row.settings...)
			for _, tool := range [][]string{
				{"sh", "-c", "verilator --lint-only -Wall --top-module top top.v lib/*.v"},
				{"sh", "-c", "iverilog -g2005 -Wall -Wno-timescale -s top -t null top.v lib/*.v"},
				{"sh", "-c", "yosys -q -p 'read_verilog top.v lib/*.v; hierarchy -check -top top; proc; select -assert-none t:$dlatch; check -assert'"},
			} {
				cmd := proctest.Command(t, tool[0], tool[1:]...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s: %s", tool[2], out)
				require.Empty(t, string(out), tool[2])
			}
		})
	}
}

// A chip has the ports and channels of its own node, not those of the largest one.
func TestChipsDifferInTheirPorts(t *testing.T) {
	for _, row := range []struct {
		chip, preset string
		settings     []string
	}{
		{"bufferless_node", "bufferless", nil},
		{"wormhole_router", "wormhole", nil},
		{"packet_router", "store-forward", []string{"packet", "2"}},
	} {
		top, err := os.ReadFile(filepath.Join(exported(t, row.preset, "hub:5", row.settings...), "top.v"))
		require.NoError(t, err)
		ports := regexp.MustCompile(row.chip+` #\(\n +\.Ports +\((\d)\)`).FindAllStringSubmatch(string(top), -1)
		var got []string
		for _, p := range ports {
			got = append(got, p[1])
		}
		require.Equal(t, []string{"4", "1", "1", "1", "1"}, got, row.chip)
	}
}

func TestExportReplacesAnEmptyFolderOnly(t *testing.T) {
	t.Chdir(t.TempDir())
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	r := rtl.NewRecorder(n)
	n.Step()
	_, err = r.Export(".")
	require.EqualError(t, err, "create .: the folder in use cannot be replaced")
	_, err = r.Export("empty/.")
	require.NoError(t, err)
	require.FileExists(t, "empty/top.v")
	_, err = r.Export("empty")
	require.EqualError(t, err, "create empty: the folder is not empty")
}

func TestExportRefusesHugeBuffers(t *testing.T) {
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	for _, row := range []struct {
		packet, want string
	}{
		{"32768", ""},
		{"32769", "buffer 65538: too large for a simulation of the hardware (expected at most 65536 flits)"},
	} {
		require.NoError(t, m.Set("packet", row.packet))
		n, err := fabric.New(topo, m)
		require.NoError(t, err)
		r := rtl.NewRecorder(n)
		n.Step()
		_, err = r.Export(filepath.Join(t.TempDir(), "export"))
		if row.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, row.want)
	}
}

// A module is read as a whole, benches, proofs and examples as well.
func TestModulesAreShort(t *testing.T) {
	const most = 250 // lines
	for _, root := range []string{".", "../examples"} {
		files := 0
		require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".v", ".vh", ".sv"}, filepath.Ext(file)) {
				return err
			}
			files++
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.LessOrEqual(t, strings.Count(string(text), "\n"), most, file)
			return nil
		}))
		require.NotZero(t, files, root)
	}
}

// What lint for ASICs forbids: names in the scope of another generate block, and an always block in each pass of a generate
// loop that writes its part of a vector they share.
func TestGenerateBlocksShareNoRegisters(t *testing.T) {
	genvars := regexp.MustCompile(`(?m)^ *genvar (\w+);`)
	scope := regexp.MustCompile(`\bgen_\w+(\[[^]]*\])?\.\w`)
	for _, folder := range []string{"lib", "axis/lib", "fault", "emulator/pe", "emulator/fault"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.v"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if file != filepath.FromSlash("fault/code_check.v") { // a part of the bench: it inverts bits inside a buffer
				require.Empty(t, scope.FindString(string(text)), file)
			}
			for _, g := range genvars.FindAllStringSubmatch(string(text), -1) {
				part := regexp.MustCompile(`\w\[[^]=]*\b` + g[1] + `\b[^]=]*\] *<?=[^=]`)
				for line := range strings.Lines(string(text)) {
					require.False(t, !strings.Contains(line, "assign ") && part.MatchString(line), "%s: %s", file, line)
				}
			}
		}
	}
}
