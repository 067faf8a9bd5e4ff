// SPDX-License-Identifier: Apache-2.0

package emulator_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/firmware/image"
	"meshwright/firmware/isa"
	"meshwright/firmware/loader"
	"meshwright/internal/soak"
	"meshwright/rtl"
	"meshwright/rtl/emulator"
	"meshwright/rtl/sim"
)

// ringSum is a program of all PEs: messages to neighbours and past them.
const ringSum = "../../examples/firmware/ringsum.s"

// program is a user's program to emulate, the same in all PEs.
type program struct {
	file, topology string
	settings       []string
	memory         string // of each PE at the start
	words          int    // of each PE
}

// export runs a program in the model, and writes its emulator.
func (p *program) export(t *testing.T) string { return p.run(t, false) }

// run is export of a run that may fail.
func (p *program) run(t *testing.T, fails bool) string {
	t.Helper()
	topo, err := topology.Parse(p.topology)
	require.NoError(t, err)
	m, err := configured(t, "wormhole", p.settings, false).Resolve(topo)
	require.NoError(t, err)
	text, err := loader.ReadProgram(p.file)
	require.NoError(t, err)
	j := &loader.Job{
		Topology: topo, Machine: m, Programs: []*isa.Program{text}, Runs: make([]int32, topo.Nodes()),
		Memory: make(loader.Images, topo.Nodes()), Words: p.words, Limit: 10000,
	}
	for n := range j.Memory {
		j.Memory[n], err = image.Parse("memory", []byte(p.memory))
		require.NoError(t, err)
	}
	var recorder *rtl.Recorder
	r, err := loader.Execute(t.Context(), j, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		_, err := emulator.Attach(n, recorder, emulator.Options{})
		return err
	})
	require.NoError(t, err)
	require.Equal(t, fails, r.Failure != nil, "%v", r.Failure)
	dir := filepath.Join(t.TempDir(), "emulator")
	_, err = recorder.Export(dir)
	require.NoError(t, err)
	return dir
}

// Users' programs run on machines that no collective can plan for: the route of a message is known when it is sent.
func TestUsersProgramsOnHardware(t *testing.T) {
	for _, row := range soak.Some(4, []struct {
		name      string
		simulator sim.Simulator
		program
	}{
		{"valiant, header flits", sim.Icarus, program{ringSum, "mesh:2x2", []string{"routing", "valiant", "vcs", "2", "header", "flit"}, "5", 4}},
		{"words of sixteen elements", sim.Icarus, program{"testdata/wide.s", "path:2", []string{"width", "512", "header", "flit"}, "4_00000003_00000002_00000001 80000000_00000007_00000006_ffffffff", 32}},
		{"o1turn, a channel", sim.Icarus, program{ringSum, "torus:3x2", []string{"routing", "o1turn", "vcs", "4", "nic.channels", "1"}, "5", 4}},
		{"valiant on a torus", sim.Verilator, program{ringSum, "torus:3x3", []string{"routing", "valiant", "vcs", "4"}, "5", 4}},
		{"words of four elements", sim.Verilator, program{"testdata/wide.s", "path:2", []string{"width", "128"}, "00000004_00000003_00000002_00000001 80000000_00000007_00000006_ffffffff", 32}},
		{"a message lost between packet chips", sim.Icarus, program{"testdata/lost.s", "path:3", []string{"switching", "store-forward", "ports", "single", "nic.channels", "1", "setup", "1", "packet", "2", "faults", "link,0>1,0,3"}, "5 6 7 8", 8}},
		{"o1turn, flits of two cycles", sim.Verilator, program{ringSum, "mesh:3x3", []string{"routing", "o1turn", "vcs", "2", "flit", "2"}, "5", 4}},
	}) {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			passes(t, row.simulator, row.export(t))
		})
	}
}
