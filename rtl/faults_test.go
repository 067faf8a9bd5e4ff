// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	networkfault "meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/proctest"
	"meshwright/internal/soak"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

// fault is a mistake in one module: a text and what stands there instead.
type fault struct {
	name, machine, file, right, wrong string
}

var faults = []fault{
	{"claim pointer stuck", "mesh", "round_robin.v", "else if (update_i) order_q <= order_d;", "else if (update_i) order_q <= order_q;"},
	{"claim pointer stays at the winner", "mesh", "round_robin.v", "order_d[i*Inputs+j-1]) | grant_o[j-1];", "order_d[i*Inputs+j-1]) | grant_o[j];"},
	{"claim is not kept", "mesh", "output_vc.v", "(locked_q | (|request_i)) & !ends", "locked_q & !ends"},
	{"tail does not release", "mesh", "output_vc.v", "|(leave_o & tail_i)", "1'b0"},
	{"head releases too", "mesh", "output_port.v", ".tail_i   (tail_i),", ".tail_i   ({Inputs{1'b1}}),"},
	{"a flit behind others is not stored", "mesh", "flit_slots.v", "if (push_i) slots_q <=", "if (push_i & !stored) slots_q <="},
	{"buffer lets a flit overtake", "mesh", "flit_slots.v", "oldest = stored ?", "oldest = (stored & !push_i) ?"},
	{"occupancy wrong when a flit comes as another goes", "mesh", "flit_slots.v", "changes = push_i ^ pop_i;", "changes = push_i | pop_i;"},
	{"ready one flit too late", "mesh", "link.v", "assign ready_o[v] = count != Buffer[CountWidth-1:0];", "assign ready_o[v] = count != Buffer[CountWidth-1:0] - 1'b1;"},
	{"plus and minus exchanged at equal distance", "torus", "route_dor.v", "assign plus = ahead <= Half;", "assign plus = ahead < Half;"},
	{"higher dimension first", "mesh", "route_dor.v", "(Descending != 0) ?", "(Descending == 0) ?"},
	{"north before a way to west is over", "west first", "route_turns.v", "toward[3:2] & {2{!toward[1]}}", "toward[3:2]"},
	{"goes east although north is open", "west first", "channel_choice.v", "for (v = First; v < Vcs; v = v + 1) begin", "for (v = First; v < Vcs && p < 2; v = v + 1) begin"},
	{"east into an even column with rows left", "odd-even", "route_turns.v", "level | there[0] | ahead != 1", "1'b1"},
	{"turns in an even column after it came east", "odd-even", "route_turns.v", "odd | (From != 1)", "1'b1"},
	{"turns to north where it cannot turn to west", "odd-even", "route_turns.v", "toward[1] ? !odd : 1'b1", "1'b1"},
	{"dateline ignored", "torus", "dateline.v", "((wraps != 0 || (Stay[b] && b % 2 == 1)) ? 1 : 0) == to % 2", "((Stay[b] && b % 2 == 1) ? 1 : 0) == to % 2"},
	{"class kept when turning", "torus", "dateline.v", "(Stay[b] && b % 2 == 1)", "(b % 2 == 1)"},
	{"virtual channel picked although it has no room", "torus", "output_port.v", ".prefer_i (ready_i),", ".prefer_i ({Vcs{1'b0}}),"},
	{"injection register lets go too early", "mesh", "injection_register.v", "else if (tick_i) full_q <= valid_o & !leave_i;", "else if (tick_i) full_q <= 1'b0;"},
	{"a payload bit lost at injection", "mesh", "injection_register.v", "assign flit_o  = full_q ? flit_q : flit_i;", "assign flit_o  = full_q ? flit_q : flit_i & ~1;"},
	{"slow link a cycle too fast", "slow", "rest_timer.v", "localparam Last = Cycles - 1;", "localparam Last = Cycles - 2;"},
	{"place on the way not reserved", "slow", "link.v", "assign ready_o[v] = flying_q + {{Bits - CountWidth{1'b0}}, count} < Buffer[Bits-1:0];", "assign ready_o[v] = {{Bits - CountWidth{1'b0}}, count} < Buffer[Bits-1:0];"},
	{"delay line forgets its last flit", "slow", "delay_line.v", "if (tick_i) flit_q <= flit_d[Stages*Width-1:0];", "if (tick_i & valid_i) flit_q <= flit_d[Stages*Width-1:0];"},
	{"single port sends on two links", "single", "single_port.v", ".grant_o  (valid_o)", ".grant_o  ()"},
	{"single port takes from two links", "single", "single_port.v", "assign take_o = take & {Ports{!take_rest}};", "assign take_o = arrival_i & {Ports{!take_rest}};"},
	{"sends while it receives", "single", "half_duplex.v", "assign mute_o = receive_i | received", "assign mute_o = received"},
	{"sends again within the time of a flit", "slow half", "half_duplex.v", " | (rest_o & (Channels == 1))", ""},
	{"next hop from the neighbour's entry", "table", "route_table.v", "{dst_i, {Shift{1'b0}}}", "{dst_i ^ 1'b1, {Shift{1'b0}}}"},
	{"source route not moved on", "source", "route_source.v", "assign route_o = route_i >> PortWidth;", "assign route_o = route_i;"},
	{"the body of a lost message comes through", "faulty", "link_fault.v", "flit_i[HeadBit] ? lose_i : losing_q[vc];", "flit_i[HeadBit] & lose_i;"},
	{"a message is lost by its body", "faulty", "link_fault.v", "flit_i[HeadBit] ? lose_i : losing_q[vc];", "lose_i;"},
	{"a lost message takes others along", "faulty", "link_fault.v", "losing_q[vc] <= lost;", "losing_q <= {Vcs{lost}};"},
	{"bits stay as they are", "faulty", "link_fault.v", "flit_i ^ {{FlitWidth - Width{1'b0}}, flip_i};", "flit_i;"},
	{"a lost packet stays", "faulty packets", "packet_receiver.v", "come = valid_i & ~gone;", "come = valid_i;"},
	{"a lost packet does not end", "faulty packets", "packet_receiver.v", "(|valid_i) & arrival[TailBit]", "arrives & arrival[TailBit]"},
	{"a wrong bit is not corrected", "secded", "flit_decoder.v", "^ (wrong & {Width{odd}});", ";"},
	{"two wrong bits are corrected, too", "secded", "flit_decoder.v", "^ (wrong & {Width{odd}});", "^ wrong;"},
	{"flits that stay are counted", "secded", "input_buffer.v", "assign corrected_o = pop_i & (|corrected);", "assign corrected_o = valid_o & (|corrected);"},
	{"odd errors are not detected", "parity packets", "flit_decoder.v", "assign detected_o = odd;", "assign detected_o = 1'b0;"},
	{"ages of packets forgotten", "packets", "age_arbiter.v", "(!waiting_d[i] | behind_q)", "!waiting_d[i]"},
	{"youngest packet first", "packets", "age_arbiter.v", "waiting_d[j] & (!waiting_d[i] | behind_q)", "waiting_d[i] & !(waiting_d[j] & behind_q)"},
	{"of packets that begin to wait together the higher port first", "packets", "age_arbiter.v", "waiting_d[j] & (!waiting_d[i] | behind_q)", "!waiting_d[i] | (waiting_d[j] & behind_q)"},
	{"a new packet comes before those that wait", "packets", "age_arbiter.v", "waiting_d[j] & (!waiting_d[i] | behind_q)", "waiting_d[i] & waiting_d[j] & behind_q"},
	{"packets ahead of the PE's are forgotten", "packets", "packet_order.v", "own = own_i & (placed_i ? !queued : first_q);", "own = own_i;"},
	{"a link's packet goes ahead of the PE's of the same tick", "tight", "packet_order.v", "ahead = placed_i ? count : ahead_q;", "ahead = placed_i ? (push_i ? count + 1'b1 : count) : ahead_q;"},
	{"order queue too short", "packets", "packet_router.v", ".Depth(Ports * (Room + 1))", ".Depth(1)"},
	{"the PE's packet that starts takes a link's along", "packets", "packet_order.v", "pop = start_i & !own;", "pop = start_i & queued;"},
	{"the queue keeps what started", "packets", "packet_order.v", "pop = start_i & !own;", "pop = 1'b0;"},
	{"setup a tick short", "packets", "packet_timer.v", "localparam First = Setup + Flit - 1;", "localparam First = Setup + Flit - 2;"},
	{"flits of a packet a tick too far apart", "packets", "packet_timer.v", "localparam Next = Flit - 1;", "localparam Next = Flit;"},
	{"head ends a packet", "packets", "packet_timer.v", "active & !(fire_o & tail_i)", "active & !fire_o"},
	{"room for a packet seen a flit too late", "tight", "packet_receiver.v", "assign room[p] = count <= Roomy;", "assign room[p] = count < Roomy;"},
	{"room for a packet seen a flit too soon", "tight", "packet_receiver.v", "assign room[p] = count <= Roomy;", "assign room[p] = count <= Roomy + 1'b1;"},
	{"receives two packets at once", "packets", "packet_receiver.v", "room & {Ports{!(|receiving_q)}}", "room"},
	{"head ends receiving", "packets", "packet_receiver.v", "tick_i & (|valid_i) & arrival[TailBit]", "tick_i & (|valid_i) & arrival[HeadBit]"},
	{"tail ends receiving a tick late", "packets", "packet_receiver.v", "if (rst_i | (tick_i & (|valid_i) & arrival[TailBit]))", "if (rst_i | (tick_i & ej_valid_o & ej_flit_q[TailBit]))"},
	{"ejection a tick late", "packets", "packet_receiver.v", "else if (tick_i) ej_valid_q <= arrives & home;\n  end", "else if (tick_i) {ej_valid_q, late} <= {late, arrives & home};\n  end\n  reg late = 1'b0;"},
	{"ejected flit also stays", "packets", "packet_receiver.v", "assign from_o = come & {Ports{!home}};", "assign from_o = come;"},
	{"store-forward goes on with the head", "packets", "packet_receiver.v", "(CutThrough != 0) ?", "1'b1 ?"},
	{"cut-through waits for the tail", "cut-through", "packet_receiver.v", "(CutThrough != 0) ?", "1'b0 ?"},
	{"first packet of no setup a tick late", "cut-through", "packet_timer.v", "assign fire_o = active;", "assign fire_o = busy_q;"},
	{"ages forgotten while a packet is sent", "crowded links", "packet_output.v", ".ready_i  ({Inputs{!old}})", ".ready_i  ({Inputs{!held_q}})"},
	{"a packet starts without room", "tight links", "packet_output.v", "wire              start = ask & room_i;", "wire              start = ask;"},
	{"a packet that waits for room is forgotten", "crowded links", "packet_output.v", "else if (tick_i) held_q <= ask & !room_i;", "else if (tick_i) held_q <= 1'b0;"},
	{"the packet that is sent requests again", "all ports", "packet_output.v", ".request_i(request_i & Paths & ~(old ? from_q : {Inputs{1'b0}}))", ".request_i(request_i & Paths)"},
	{"room on all ports seen a flit too late", "tight links", "packet_router_all_ports.v", "assign room_o[p] = count <= Most;", "assign room_o[p] = count < Most;"},
	{"room on all ports seen a flit too soon", "tight links", "packet_router_all_ports.v", "assign room_o[p] = count <= Most;", "assign room_o[p] = count <= Most + 1'b1;"},
	{"a packet goes on before it is whole", "all ports", "packet_input.v", "assign whole = |tails_q;", "assign whole = 1'b1;"},
	{"tails counted wrong when one comes as another goes", "all ports", "packet_input.v", "tick_i & (come != gone)", "tick_i & (come | gone)"},
	{"a packet for this chip stays", "all ports", "packet_input.v", "push = valid_i & !home;", "push = valid_i;"},
	{"ejection on all ports a tick late", "all ports", "packet_input.v", "else if (tick_i) ej_valid_q <= valid_i & home;\n  end", "else if (tick_i) {ej_valid_q, late} <= {late, valid_i & home};\n  end\n  reg late = 1'b0;"},
	{"flits leave by the route of the link before", "all ports by source", "packet_input.v", "routed ? {found[Ports-1:0], moved}", "routed ? {found[Ports-1:0], flit_i}"},
	{"a flit that came alone is not read from the memory", "packets", "flit_memory.v", "if (pop_i | recent_q) word_q", "if (pop_i) word_q"},
	{"a flit that left at once is read from the memory", "cut-through", "flit_memory.v", "if (recent_q | (pop_i & behind)) read_q", "if (pop_i & behind) read_q"},
	{"a flit that has just come is not shown", "cut-through", "packet_router.v", "(AtOnce != 0) ? recent", "1'b0 ? recent"},
	{"the PE's flit of this tick is not shown", "parity packets", "packet_output.v", "wire [Inputs-1:0] second = second_i & Twice;", "wire [Inputs-1:0] second = 0;"},
	{"bufferless flit stays a cycle", "bufferless", "bufferless_input.v", "else if (tick_i) held_q <= valid_i;", "else if (tick_i) held_q <= valid_i | held_q;"},
	{"only the lowest channel of a class", "free choice", "class_choice.v", "assign idle[v] = idle_i[v*Classes+c];", "assign idle[v] = 1'b1;"},
	{"a free choice among the channels of a pair", "free choice", "class_choice.v", "assign first_o[v*Classes+c] = first[v];", "assign first_o[v*Classes+c] = first[v] | first[0];"},
	{"heads keep their lane where they may choose", "free choice", "dateline.v", "b % Vcs % Classes / 2 == to % Classes / 2", "b % Vcs / 2 == to / 2"},
	{"a head with a channel requests another", "free choice", "wormhole_outputs.v", "request & ~claimed", "request"},
}

// machines on which the faults can be felt.
var faultMachines = map[string]struct {
	preset, topology string
	settings         []string
}{
	"pair":                {"wormhole", "path:2", []string{"buffer", "3", "nic.channels", "1"}},
	"mesh":                {"wormhole", "mesh:3x3", []string{"buffer", "3", "nic.channels", "1"}},
	"torus":               {"wormhole", "torus:4x3", []string{"buffer", "2", "vcs", "2", "nic.channels", "1"}},
	"slow":                {"wormhole", "mesh:3x2", []string{"hop", "3", "flit", "2", "buffer", "2"}},
	"single":              {"wormhole", "mesh:3x3", []string{"ports", "single", "nic.channels", "1", "nic.duplex", "half"}},
	"free choice":         {"wormhole", "ring:6", []string{"buffer", "1", "vcs", "4", "vc.choice", "free", "nic.channels", "1"}},
	"west first":          {"wormhole", "mesh:4x3", []string{"routing", "west-first", "buffer", "1"}},
	"odd-even":            {"wormhole", "mesh:4x3", []string{"routing", "odd-even", "nic.channels", "1"}},
	"slow half":           {"wormhole", "mesh:3x2", []string{"flit", "2", "nic.channels", "1", "nic.duplex", "half"}},
	"table":               {"wormhole", "mesh:3x3", []string{"routing", "table"}},
	"source":              {"wormhole", "mesh:3x3", []string{"routing", "source"}},
	"bufferless":          {"bufferless", "mesh:3x3", nil},
	"packets":             {"store-forward", "torus:4x3", []string{"setup", "3/2", "packet", "4", "buffer", "9"}},
	"tight":               {"store-forward", "mesh:3x3", []string{"setup", "1", "packet", "3", "buffer", "4"}},
	"all ports":           {"store-forward", "torus:4x3", []string{"ports", "all", "nic.channels", "links", "setup", "3/2", "packet", "4", "buffer", "9"}},
	"tight links":         {"store-forward", "mesh:3x3", []string{"ports", "all", "nic.channels", "links", "setup", "1", "packet", "3", "buffer", "4"}},
	"crowded links":       {"store-forward", "mesh:3x3", []string{"ports", "all", "nic.channels", "links", "setup", "4", "packet", "3", "buffer", "3", "flit", "3"}},
	"all ports by source": {"store-forward", "mesh:3x3", []string{"ports", "all", "nic.channels", "links", "setup", "1", "packet", "3", "buffer", "4", "routing", "source"}},
	"cut-through":         {"store-forward", "mesh:3x3", []string{"switching", "cut-through", "setup", "0", "packet", "4", "buffer", "8"}},
	"faulty":              {"wormhole", "mesh:3x2", []string{"vcs", "4", "hop", "2", "faults", "drop:0.2 corrupt:0.1 random:1,links"}},
	"secded":              {"wormhole", "mesh:2x2", []string{"width", "8", "nic.channels", "1", "buffer.code", "secded", "faults", "upset:0.3 testdata/upsets.csv"}},
	"sound secded":        {"wormhole", "mesh:2x2", []string{"width", "8", "nic.channels", "1", "buffer.code", "secded"}},
	"sound parity":        {"store-forward", "path:3", []string{"setup", "0", "width", "8", "packet", "3", "buffer", "6", "ports", "all", "buffer.code", "parity"}},
	"parity packets":      {"store-forward", "path:3", []string{"setup", "0", "width", "8", "packet", "3", "buffer", "6", "ports", "all", "buffer.code", "parity", "faults", "upset:0.3"}},
	"faulty packets":      {"store-forward", "mesh:3x3", []string{"setup", "1", "packet", "4", "buffer", "9", "faults", "drop:0.2"}},
}

// settled is a preset with some keys set, in pairs; faults are a list of specs.
func settled(t testing.TB, preset string, settings []string) machine.Machine {
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		if settings[i] == "faults" {
			m.Faults, err = networkfault.Parse(strings.Fields(settings[i+1]), 1)
		} else {
			err = m.Set(settings[i], settings[i+1])
		}
		require.NoError(t, err)
	}
	return m
}

// exportLoaded exports a machine under a load that fills its buffers.
func exportLoaded(t *testing.T, name string) string {
	spec := faultMachines[name]
	topo, err := topology.Parse(spec.topology)
	require.NoError(t, err)
	m := settled(t, spec.preset, spec.settings)
	n, steps := loaded(t, topo, m, rand.New(rand.NewPCG(5, 5)))
	r := rtl.NewRecorder(n)
	for range steps {
		n.Step()
	}
	dir := filepath.Join(t.TempDir(), "export")
	_, err = r.Export(dir)
	require.NoError(t, err)
	return dir
}

// plant copies an export and makes the mistake in the copy.
func (f *fault) plant(t *testing.T, sound string) string {
	dir := filepath.Join(t.TempDir(), "faulty")
	require.NoError(t, os.CopyFS(dir, os.DirFS(sound)))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "build")))
	path := filepath.Join(dir, "lib", f.file)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), f.right, "the fault has nowhere to go")
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), f.right, f.wrong)), 0o644))
	return dir
}

// brokenRules are the rules of the library that faults break before any output differs.
var brokenRules = map[string]string{
	"order queue too short":                      "input_buffer/no-push-when-full",
	"a packet for this chip stays":               "packet_input/not-for-this-chip",
	"turns in an even column after it came east": "wormhole_output/turn-exists",
}

// Also the faults that only a soak runs.
func TestFaultsHaveAPlaceInTheVerilog(t *testing.T) {
	for _, f := range faults {
		folder := "lib"
		if f.file == "link_fault.v" {
			folder = "fault"
		}
		text, err := os.ReadFile(filepath.Join(folder, f.file))
		require.NoError(t, err)
		require.Contains(t, string(text), f.right, f.name)
		require.NotEmpty(t, faultMachines[f.machine].preset, f.name)
	}
}

// A fault in the Verilog makes the bench fail, and it says in which cycle and
// at which port, or which rule was broken where. Without one it passes, so the
// load alone is not to blame.
func TestBenchFindsFaults(t *testing.T) {
	chosen := soak.Some(23, faults)
	sound := map[string]string{}
	for _, f := range chosen {
		if sound[f.machine] != "" {
			continue
		}
		sound[f.machine] = exportLoaded(t, f.machine)
		result, err := sim.Run(t.Context(), sim.Icarus, sound[f.machine], sim.Options{})
		require.NoError(t, err)
		require.True(t, result.Pass, result.Line)
	}
	for _, f := range chosen {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			result, err := sim.Run(t.Context(), sim.Icarus, f.plant(t, sound[f.machine]), sim.Options{})
			require.NoError(t, err)
			require.False(t, result.Pass)
			want := `^FAIL cycle=\d+ node=\d+ port=(\d+|-) (vc=\d+ )?expected=\S+ got=\S+$`
			if rule := brokenRules[f.name]; rule != "" {
				want = `^FAIL time=\d+ rule=` + rule + ` at=bench\.i_top\.n\d+_chip\.\S+$`
			}
			require.Regexp(t, want, result.Line)
			t.Log(result.Line)
		})
	}
}

// The ports by which flits leave the network are compared, not only the chips behind them.
func TestPortsAreCompared(t *testing.T) {
	dir := exportLoaded(t, "pair")
	path := filepath.Join(dir, "top.v")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	wrong := regexp.MustCompile(`assign ej_flit_o( *)= [^;]*;`).ReplaceAllString(string(text), "assign ej_flit_o = 0;")
	require.NotEqual(t, string(text), wrong)
	require.NoError(t, os.WriteFile(path, []byte(wrong), 0o644))
	result, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
	require.NoError(t, err)
	require.Regexp(t, `^FAIL cycle=\d+ node=\d+ port=\d+ expected=\S+ got=0+$`, result.Line)
}

// A bench compares some cycles at least, and no more than there are; what it says of the stress phase is what it has compared.
func TestCyclesThatAreCompared(t *testing.T) {
	dir := exportLoaded(t, "pair")
	for last, want := range map[string]string{"99999999": `FAIL last=99999999 \(expected 1 to \d+\)`, "3": `PASS cycles=\d+ flits=\d+( quiet=\d+)? last=3$`} {
		cmd := proctest.Command(t, "make", "-s", "-C", dir, "icarus", "LAST="+last)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		require.Regexp(t, `(?m)^`+want, string(out), last)
		require.Equal(t, strings.HasPrefix(want, "PASS"), err == nil, "%s", out)
	}
}

// Variables that mean nothing end make, with a line that says what is expected.
func TestVariablesOfTheMakefile(t *testing.T) {
	dir := exportLoaded(t, "pair")
	for _, row := range []struct {
		variables []string
		want      string
	}{
		{[]string{"WAVE=run.txt"}, "WAVE=run.txt: expected FILE.vcd or FILE.fst"},
		{[]string{"WAVE=run.vcd", "CYCLES=20-10"}, "CYCLES=20-10: expected a range such as 0-40"},
		{[]string{"WAVE=run.vcd", "CYCLES=0-4294967296"}, "CYCLES=0-4294967296: expected a range such as 0-40"},
		{[]string{"WAVE=run.vcd", "CYCLES=x"}, "CYCLES=x: expected a range such as 0-40"},
		{[]string{"WAVE=run.vcd", "COVERAGE=1"}, "WAVE and COVERAGE: expected one of them"},
		{[]string{"COVERAGE=1"}, "COVERAGE=1: expected make verilator"},
		{[]string{"COVERAGE=0"}, "COVERAGE=0: expected 1, or nothing"},
		{[]string{"LOG=yes"}, "LOG=yes: expected 1, or nothing"},
		{[]string{"CYCLES=0-5"}, "CYCLES=0-5: expected WAVE=FILE.vcd, too"},
		{[]string{"WAVE=run.vcd", "BEYOND=x"}, "BEYOND=x: expected a number from 0 to 4294967295"},
		{[]string{"LAST=0"}, "LAST=0: expected a number from 1 to 4294967295"},
		{[]string{"LAST=4294967297"}, "LAST=4294967297: expected a number from 1 to 4294967295"},
		{[]string{"LAST=-3"}, "LAST=-3: expected a number from 1 to 4294967295"},
		{[]string{"LAST=x"}, "LAST=x: expected a number from 1 to 4294967295"},
	} {
		cmd := proctest.Command(t, "make", append([]string{"-s", "-C", dir, "icarus"}, row.variables...)...)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		require.Error(t, err, row.variables)
		require.Contains(t, string(out), row.want)
	}
	require.NoFileExists(t, filepath.Join(dir, "run.vcd"))
}

// A program of Verilator that was compiled with other flags is not taken for the one that is asked for.
func TestFlagsOfTheCompiler(t *testing.T) {
	dir := exportLoaded(t, "pair")
	for _, row := range soak.Some(2, []struct{ optimize, folder, flag string }{
		{"", "verilator-O0", "-O0"}, {"-O1", "verilator-O1", "-O1"}, {"-O1 -fno-inline", "verilator-O1_-fno-inline", "-O1 -fno-inline"},
	}) {
		variables := []string{"-C", dir, "verilator", "LAST=5"} // without -s: the log has the commands
		if row.optimize != "" {
			variables = append(variables, "OPTIMIZE="+row.optimize)
		}
		cmd := proctest.Command(t, "make", variables...)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.FileExists(t, filepath.Join(dir, "build", row.folder, "bench"))
		log, err := os.ReadFile(filepath.Join(dir, "build", "verilator.build"))
		require.NoError(t, err)
		require.Contains(t, string(log), " "+row.flag+" ")
	}
}

// Each simulator has a waveform of its own when both run. A file of cycles that the bench does not come to is named as empty.
func TestWaveformsOfTheMakefile(t *testing.T) {
	dir := exportLoaded(t, "pair")
	for _, row := range []struct{ args, files, says string }{
		{"icarus WAVE=one.vcd", "one.vcd", "PASS"},
		{"WAVE=a.b.vcd LAST=20", "a.b.icarus.vcd a.b.verilator.vcd", "PASS"},
		{"icarus verilator WAVE=named.fst LAST=20", "named.icarus.fst named.verilator.fst", "PASS"},
		{"icarus WAVE=late.vcd CYCLES=100000-200000", "late.vcd", "NOTE the waveform is empty: the bench compares cycles 0 to "},
		{"verilator WAVE=last.vcd CYCLES=20-40 LAST=20", "last.vcd", "NOTE the waveform is empty: the bench compares cycles 0 to 19\n"},
	} {
		cmd := proctest.Command(t, "make", append([]string{"-s", "-C", dir}, strings.Fields(row.args)...)...)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), row.says, row.args)
		require.Equal(t, strings.HasPrefix(row.says, "NOTE"), strings.Contains(string(out), "NOTE"), row.args)
		for _, file := range strings.Fields(row.files) {
			require.FileExists(t, filepath.Join(dir, file), row.args)
		}
	}
	for _, file := range []string{"a.b.vcd", "named.fst"} {
		require.NoFileExists(t, filepath.Join(dir, file))
	}
	scale, changes := readDump(t, filepath.Join(dir, "a.b.icarus.vcd"))
	require.Equal(t, "100ps", scale)
	require.Contains(t, changes, "14 rtl.n0.pe.inj_ready 1") // cycle 0, as docs/waves.md says
	require.Contains(t, changes, "204 model.cycle 10011")
	scale, others := readDump(t, filepath.Join(dir, "a.b.verilator.vcd"))
	require.Equal(t, "100ps", scale)
	require.Equal(t, changes, others, "both simulators show the same signals, at the same times")
}

// readDump reads the scale of a value change dump, and its changes as "time signal value" in their order; those of a time by
// signal. Signals are called as in the trees of waves.v.
func readDump(t *testing.T, path string) (scale string, changes []string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, body, found := strings.Cut(string(text), "$enddefinitions $end")
	require.True(t, found)
	scale = strings.Join(strings.Fields(regexp.MustCompile(`(?s)\$timescale(.*?)\$end`).FindStringSubmatch(head)[1]), "")
	var scopes []string
	names := map[string]string{}
	for _, item := range regexp.MustCompile(`\$scope \S+ (\S+) \$end|\$upscope \$end|\$var \S+ +\d+ (\S+) (\S+)`).FindAllStringSubmatch(head, -1) {
		switch {
		case item[2] != "":
			name := strings.Join(append(slices.Clone(scopes), item[3]), ".")
			names[item[2]] = strings.TrimPrefix(strings.TrimPrefix(name, "TOP."), "waves.")
		case item[1] != "":
			scopes = append(scopes, item[1])
		default:
			scopes = scopes[:len(scopes)-1]
		}
	}
	time, first := "0", 0
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			slices.Sort(changes[first:])
			time, first = line[1:], len(changes)
		case strings.HasPrefix(line, "b"):
			value, id, _ := strings.Cut(line[1:], " ")
			changes = append(changes, time+" "+names[id]+" "+digits(value))
		case strings.HasPrefix(line, "0"), strings.HasPrefix(line, "1"):
			changes = append(changes, time+" "+names[line[1:]]+" "+line[:1])
		}
	}
	return scale, changes
}

// digits is a binary number without the zeros that simulators leave out.
func digits(value string) string {
	if value = strings.TrimLeft(value, "0"); value == "" {
		return "0"
	}
	return value
}

// make lint has nothing to say about an export.
func TestLintOfTheMakefile(t *testing.T) {
	for _, name := range []string{"pair", "secded"} {
		cmd := proctest.Command(t, "make", "-s", "-C", exportLoaded(t, name), "lint")
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Empty(t, string(out))
	}
}

// make help lists every target and every variable that a user may set.
func TestHelpOfTheMakefile(t *testing.T) {
	cmd := proctest.Command(t, "make", "-s", "-C", exportLoaded(t, "pair"), "help")
	cmd.Env = append(os.Environ(), "MAKEFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, name := range []string{"make ", "make icarus", "make verilator", "make lint", "make synth", "SYNTH=", "make clean", "make help", "LOG=1", "WAVE=FILE", "CYCLES=A-B", "BEYOND=8", "COVERAGE=1", "LAST=N", "OPTIMIZE=-O1"} {
		require.Contains(t, string(out), name)
	}
	require.NotContains(t, string(out), "SPDX")
	require.NotContains(t, string(out), "All names are relative")
}

// Verilator, whose code is the same for all chips, still names the chip in which a
// rule was broken.
func TestVerilatorNamesTheChipOfABrokenRule(t *testing.T) {
	i := slices.IndexFunc(faults, func(f fault) bool { return brokenRules[f.name] != "" && f.machine == "all ports" })
	require.GreaterOrEqual(t, i, 0)
	f := &faults[i]
	result, err := sim.Run(t.Context(), sim.Verilator, f.plant(t, exportLoaded(t, "sound parity")), sim.Options{}) // three chips
	require.NoError(t, err)
	require.Regexp(t, `^FAIL time=\d+ rule=`+brokenRules[f.name]+` at=bench\.i_top\.n\d+_chip$`, result.Line)
	dir := f.plant(t, exportLoaded(t, "sound parity"))
	for _, s := range soak.Some(2, []sim.Simulator{sim.Icarus, sim.Verilator}) { // a waveform does not change the time
		waved, err := sim.Run(t.Context(), s, dir, sim.Options{Wave: &sim.Window{Last: 9}})
		require.NoError(t, err)
		require.Equal(t, strings.Fields(result.Line)[:3], strings.Fields(waved.Line)[:3])
	}
}

// codeFaults are mistakes that a run without upsets does not meet, and how the FAIL line of the bench goes on.
var codeFaults = []struct {
	fault
	want string
}{
	{fault{"two wrong bits are corrected, too", "sound secded", "flit_decoder.v", "^ (wrong & {Width{odd}});", "^ wrong;"}, "part=payload width=8 word="},
	{fault{"errors of headers are not detected", "sound parity", "input_buffer.v", "(|detected)", "detected[0]"}, "part=header width=16 word="},
	{fault{"the counter starts again", "sound secded", "error_counter.v", "sum[Width] ? {Width{1'b1}} : ", ""}, "counter expected="},
	{fault{"plain wires", "sound secded", "flit_decoder.v", "^ (wrong & {Width{odd}});\n      assign corrected_o = odd & (of_checks | (|wrong));\n      assign detected_o = odd ? !of_checks & !(|wrong) : |syndrome;", ";\n      assign corrected_o = 1'b0;\n      assign detected_o = 1'b0;"}, "part=payload width=8 word="},
	{fault{"two wrong bits are not detected", "sound secded", "flit_decoder.v", ": |syndrome;", ": 1'b0;"}, "part=payload width=8 word="},
	{fault{"a wrong check bit does not count", "sound secded", "flit_decoder.v", "odd & (of_checks | (|wrong))", "odd & (|wrong)"}, "part=payload width=8 word="},
	{fault{"odd errors are not detected", "sound parity", "flit_decoder.v", "assign detected_o = odd;", "assign detected_o = 1'b0;"}, "part=payload width=8 word="},
	{fault{"each counts what the other should", "sound secded", "error_counters.v", ".error_i(detected_i)", ".error_i(corrected_i)"}, "counter expected="},
}

// Behind the run the bench tests the code of the buffers. Without a mistake it passes, also in Verilator.
func TestBenchFindsFaultsOfCodes(t *testing.T) {
	sound := map[string]string{}
	for _, name := range []string{"sound secded", "sound parity"} {
		sound[name] = exportLoaded(t, name)
		simulators := []sim.Simulator{sim.Icarus}
		if soak.On() {
			simulators = append(simulators, sim.Verilator)
		}
		for _, simulator := range simulators {
			result, err := sim.Run(t.Context(), simulator, sound[name], sim.Options{})
			require.NoError(t, err)
			require.True(t, result.Pass, result.Line)
		}
	}
	for i, f := range soak.Some(4, codeFaults) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			simulator := sim.Icarus
			if soak.On() && i%2 == 0 {
				simulator = sim.Verilator
			}
			result, err := sim.Run(t.Context(), simulator, f.plant(t, sound[f.machine]), sim.Options{})
			require.NoError(t, err)
			require.Regexp(t, `^FAIL code=(secded|parity) `+f.want, result.Line)
			t.Log(result.Line)
		})
	}
}

// A wrong bit in every stored header changes nothing but the counters: the code corrects headers, too.
func TestCodesCorrectHeaders(t *testing.T) {
	f := fault{file: "input_buffer.v", right: ".word_i     (word_q[Stored-1:Word])", wrong: ".word_i     (word_q[Stored-1:Word] ^ 4)"}
	result, err := sim.Run(t.Context(), sim.Icarus, f.plant(t, exportLoaded(t, "secded")), sim.Options{})
	require.NoError(t, err)
	require.Regexp(t, `^FAIL cycle=\d+ node=\d+ port=- expected=corrected:\d+,detected:0 got=corrected:\d+,detected:0$`, result.Line)
}

// The README of a folder explains what its bench prints, and all bits of a flit.
func TestReadmeExplains(t *testing.T) {
	for machine, faulty := range map[string]bool{"mesh": false, "torus": false, "source": false, "faulty": true} {
		text, err := os.ReadFile(filepath.Join(exportLoaded(t, machine), "README"))
		require.NoError(t, err)
		require.Contains(t, string(text), "PASS cycles=N flits=M: ")
		require.Equal(t, faulty, strings.Contains(string(text), "Links go wrong as faults.mem says."), machine)
		width := regexp.MustCompile(`flits of (\d+) bits`).FindStringSubmatch(string(text))
		require.NotNil(t, width)
		sum := 0
		for _, field := range regexp.MustCompile(`\w+ (\d+)[,.]`).FindAllStringSubmatch(regexp.MustCompile(`(?m)^vc .*$`).FindString(string(text)), -1) {
			bits, err := strconv.Atoi(field[1])
			require.NoError(t, err)
			sum += bits
		}
		require.Equal(t, width[1], strconv.Itoa(sum), machine)
	}
}
