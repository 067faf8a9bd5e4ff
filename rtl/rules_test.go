// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// breach is a use of one module that breaks one of its rules, and no rule
// earlier. Inputs that are not named are zero, tick_i is one. Values may ask
// for step, the cycles since the reset, which are 0 in the first.
type breach struct {
	module, rule  string
	step          int // of the first edge at which the rule is broken
	parameters    string
	inputs        map[string]string
	sound, faulty string // a text of the module and what stands there instead, where no input can break the rule
}

// Chips of two ports that route by a table: node 0 is here, and node 1 behind port 5, which does not exist.
const (
	smallChip  = ".Ports(2), .Kind(1), .NodeWidth(1), .TagWidth(1), .Width(1)"
	smallPart  = ".Kind(1), .Ports(2), .NodeWidth(1), .DstLsb(1), "
	smallTable = "8'h5f"
	toNode0    = "9'b011000000" // a flit that is head and tail
	toNode1    = "9'b011000010"
)

func chipBreach(module, rule, parameters, flit string) breach {
	return breach{module: module, rule: rule, step: 2, parameters: smallChip + parameters,
		inputs: map[string]string{"table_i": smallTable, "inj_valid_i": "step == 2", "inj_flit_i": flit}}
}

func inputsBreach(rule, flit string) breach {
	b := chipBreach("wormhole_inputs", rule, "", flit)
	b.parameters = ".Ports(2), .Kind(1), .NodeWidth(1), .DstLsb(1), .RouteLsb(1), .Width(1), .BodyWidth(8)"
	return b
}

var breaches = []breach{
	{module: "input_buffer", rule: "no-push-when-full", step: 2, parameters: ".Width(2), .Buffer(2)", inputs: map[string]string{"push_i": "1'b1"}},
	{module: "input_buffer", rule: "no-pop-when-empty", step: 2, parameters: ".Width(2)", inputs: map[string]string{"push_i": "step == 0", "pop_i": "step > 0"}},
	{module: "flit_memory", rule: "no-push-when-full", step: 2, parameters: ".Width(2), .Buffer(2)", inputs: map[string]string{"push_i": "1'b1"}},
	{module: "flit_memory", rule: "no-pop-when-empty", step: 2, parameters: ".Width(2)", inputs: map[string]string{"push_i": "step == 0", "pop_i": "step > 0"}},
	{module: "injection_register", rule: "no-leave-when-empty", step: 2, parameters: ".Width(1)", inputs: map[string]string{"valid_i": "step == 0", "leave_i": "step > 0"}},
	{module: "round_robin", rule: "grant-is-one-hot", step: 2, inputs: map[string]string{"request_i": "(step == 2) ? 2'b11 : 2'b10"}, sound: "request_i[i] & !(|(request_i & first))", faulty: "request_i[i]"},
	{module: "round_robin", rule: "grant-is-requested", step: 2, inputs: map[string]string{"request_i": "(step == 2) ? 2'b01 : 2'b11"}, sound: "request_i[i] & !(|(request_i & first))", faulty: "(i == 1 || request_i == 2'b11) & !(|(request_i & first) & (request_i == 2'b11))"},
	{module: "round_robin", rule: "no-update-without-request", step: 2, inputs: map[string]string{"update_i": "1'b1", "request_i": "{2{step < 2}}"}},
	{module: "age_arbiter", rule: "grant-is-one-hot", step: 2, parameters: ".Inputs(2)", inputs: map[string]string{"request_i": "(step == 2) ? 2'b11 : 2'b10", "ready_i": "2'b11"}, sound: "candidates[j] & !(|ahead[j*Inputs+:Inputs])", faulty: "candidates[j]"},
	{module: "age_arbiter", rule: "grant-is-requested", step: 2, parameters: ".Inputs(1)", inputs: map[string]string{"request_i": "step < 2", "ready_i": "1'b1"}, sound: "candidates[j] & !(|ahead[j*Inputs+:Inputs])", faulty: "!(|ahead[j*Inputs+:Inputs])"},
	{module: "output_vc", rule: "owner-is-one-hot", step: 2, parameters: ".Inputs(2)", inputs: map[string]string{"request_i": "(step == 1) ? 2'b11 : 2'b00"}, sound: "owner_q <= grant;", faulty: "owner_q <= request_i;"},
	{module: "output_port", rule: "select-is-one-hot", step: 1, inputs: map[string]string{"request_i": "{5{step == 1}}", "movable_i": "{5{1'b1}}", "allowed_i": "{5{1'b1}}"}, sound: "select_o = owner", faulty: "select_o = {Inputs{1'b1}}"},
	{module: "output_port", rule: "vc-is-one-hot", step: 1, inputs: map[string]string{"request_i": "{5{step == 1}}", "movable_i": "{5{1'b1}}", "allowed_i": "{5{1'b1}}"}, sound: "vc_o = 1'b1", faulty: "vc_o = 1'b0"},
	{module: "packet_output", rule: "request-stays", step: 2, parameters: ".Inputs(2), .Width(2)", inputs: map[string]string{"request_i": "(step < 2) ? 2'b01 : 2'b10"}},
	{module: "packet_output", rule: "turn-exists", step: 2, parameters: ".Inputs(2), .Width(2), .Paths(2'b01)", inputs: map[string]string{"request_i": "(step == 2) ? 2'b10 : 2'b00"}},
	{module: "packet_channel", rule: "port-is-one-hot", step: 2, parameters: smallPart + ".Width(8)", inputs: map[string]string{"table_i": smallTable, "valid_i": "step == 2", "flit_i": toNode1}},
	{module: "packet_channel", rule: "not-for-this-chip", step: 2, parameters: smallPart + ".Width(8)", inputs: map[string]string{"table_i": smallTable, "valid_i": "step == 2", "flit_i": toNode0}},
	{module: "packet_channel", rule: "over-its-own-link", step: 2, parameters: smallPart + ".Link(0), .Width(8)", inputs: map[string]string{"table_i": "8'h1f", "valid_i": "step == 2", "flit_i": toNode1}},
	{module: "packet_input", rule: "port-is-one-hot", step: 2, parameters: smallPart + ".Payload(1), .Buffer(2), .Width(8)", inputs: map[string]string{"table_i": smallTable, "valid_i": "step == 2", "flit_i": toNode1}},
	{module: "packet_input", rule: "not-for-this-chip", step: 2, parameters: smallPart + ".Payload(1), .Buffer(2), .Width(8)", inputs: map[string]string{"table_i": "8'hff", "valid_i": "step == 2", "flit_i": toNode1}},
	{module: "packet_receiver", rule: "one-arrival", step: 2, parameters: smallPart + ".Payload(1), .Buffer(2), .Most(1), .BodyWidth(8)", inputs: map[string]string{"valid_i": "(step == 2) ? 2'b11 : 2'b10"}},
	{module: "packet_sender", rule: "port-is-one-hot", step: 2, parameters: ".Ports(2), .Depth(2)", inputs: map[string]string{"push_i": "step == 1", "from_i": "2'b01"}},
	{module: "packet_timer", rule: "no-start-when-busy", step: 2, parameters: ".Setup(1)", inputs: map[string]string{"start_i": "step > 0"}},
	{module: "bufferless_output", rule: "one-flit-leaves", step: 2, inputs: map[string]string{"request_i": "(step == 2) ? 5'b10010 : 5'b10000"}, sound: "candidates & ~behind", faulty: "candidates"},
	{module: "bufferless_output", rule: "turn-exists", step: 2, parameters: ".Paths(5'b01111)", inputs: map[string]string{"request_i": "(step == 2) ? 5'b10000 : 5'b00001"}},
	{module: "wormhole_output", rule: "turn-exists", step: 2, parameters: ".Inputs(2), .Paths(2'b01)", inputs: map[string]string{"request_i": "(step == 2) ? 2'b10 : 2'b00"}},
	{module: "link", rule: "vc-exists", step: 2, parameters: ".FlitWidth(8), .Vcs(3)", inputs: map[string]string{"valid_i": "1'b1", "flit_i": "(step == 2) ? 8'hc0 : 8'h80"}},
	{module: "link", rule: "place-is-reserved", step: 1, parameters: ".FlitWidth(8), .Buffer(1), .Hop(2)", inputs: map[string]string{"valid_i": "1'b1", "take_i": "1'b1"}, sound: "offer_o = valid_i & ready_o;", faulty: "offer_o = valid_i;"},
	{module: "link", rule: "no-leave-when-empty", step: 2, parameters: ".FlitWidth(8), .Hop(2)", inputs: map[string]string{"valid_i": "step == 1", "take_i": "1'b1"}, sound: ": flying_q + 1'b1", faulty: ": flying_q"},
	{module: "single_port", rule: "one-flit-out", step: 2, parameters: ".Ports(2)", inputs: map[string]string{"offer_i": "2'b11", "fire_i": "(step == 2) ? 2'b11 : 2'b10"}},
	{module: "single_port", rule: "one-flit-in", step: 2, parameters: ".Ports(2)", inputs: map[string]string{"arrival_i": "(step == 2) ? 2'b11 : 2'b10"}, sound: "assign take_o = take & ", faulty: "assign take_o = arrival_i & "},
	{module: "bufferless_input", rule: "port-is-one-hot", step: 2, parameters: smallPart + ".Link(0), .Width(8)", inputs: map[string]string{"table_i": smallTable, "valid_i": "step == 2", "flit_i": toNode1}},
	chipBreach("bufferless_node", "not-for-this-chip", "", toNode0),
	{module: "bufferless_node", rule: "over-its-own-link", step: 2, parameters: smallChip + ", .Channels(2)", inputs: map[string]string{"table_i": "8'h1f", "inj_valid_i": "step == 2", "inj_flit_i": toNode1}},
	inputsBreach("port-is-one-hot", toNode1),
	inputsBreach("not-for-this-chip", toNode0),
}

var (
	ruleNames  = regexp.MustCompile(`\.Name\("(\w+)/([\w-]+)"\)`)
	inputPorts = regexp.MustCompile(`(?m)^  input  wire [^/\n]*\b(\w+_i)\b`)
	ruleBlocks = regexp.MustCompile("(?s)`ifndef SYNTHESIS\n(.*?)`endif")
	ruleUses   = regexp.MustCompile(`(?s) *rule #\(.*?\) i_\w+ \(.*?\n *\);\n| *localparam [^\n]*;\n`)
)

func librarySource(t *testing.T, module string) string {
	text, err := sources.ReadFile("lib/" + module + ".v")
	require.NoError(t, err)
	return string(text)
}

// dut writes the module of a breach under a name of its own, with its fault.
func (b *breach) dut(t *testing.T, number int) string {
	text := librarySource(t, b.module)
	if b.sound != "" {
		require.Equal(t, 1, strings.Count(text, b.sound), "the fault has nowhere to go")
		text = strings.Replace(text, b.sound, b.faulty, 1)
	}
	return strings.Replace(text, "module "+b.module+" ", fmt.Sprintf("module dut_%d ", number), 1)
}

// instance drives the module of a breach while its number is chosen.
func (b *breach) instance(t *testing.T, number int) string {
	var ports []string
	for _, port := range inputPorts.FindAllStringSubmatch(librarySource(t, b.module), -1) {
		value := "1'b0"
		switch name := port[1]; name {
		case "clk_i":
			value = "clk"
		case "rst_i":
			value = fmt.Sprintf("rst | (chosen != %d)", number)
		case "tick_i":
			value = "1'b1"
		default:
			if v, ok := b.inputs[name]; ok {
				value = v
			}
		}
		ports = append(ports, fmt.Sprintf(".%s(%s)", port[1], value))
	}
	return fmt.Sprintf("  dut_%d #(%s) i_%d (%s);\n", number, b.parameters, number, strings.Join(ports, ", "))
}

// breachBench has the modules of all breaches; +chosen=N lets one out of its reset.
func breachBench(t *testing.T) string {
	var modules, instances strings.Builder
	for i, b := range breaches {
		modules.WriteString(b.dut(t, i))
		instances.WriteString(b.instance(t, i))
	}
	return modules.String() + `
module bench;
  reg     clk, rst;
  integer chosen, step;
` + instances.String() + `
  initial begin
    if (!$value$plusargs("chosen=%d", chosen)) chosen = -1;
    clk = 1'b0;
    rst = 1'b1;
    step = 0;
    #5 clk = 1'b1;
    #5 clk = 1'b0;
    rst = 1'b0;
    while (step < 8) begin
      #5 clk = 1'b1;
      #5 clk = 1'b0;
      step = step + 1;
    end
    $display("PASS");
    $finish;
  end
endmodule
`
}

// Every rule of the library is broken once, in both simulators: it ends the
// simulation at that edge, not before, and the line names the rule and, in Icarus
// Verilog, the instance. Verilator names chips, and there are none here. Modules
// that are used well break none.
func TestEachRuleIsSeenToBeBroken(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, sources))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bench.v"), []byte(breachBench(t)), 0o644))
	run := func(command string) (string, error) {
		cmd := proctest.Command(t, "sh", "-c", command)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, command := range []string{
		"iverilog -g2005 -o icarus -s bench bench.v lib/*.v",
		"verilator --cc --exe --main --timing --noassert --x-assign fast --x-initial fast -Wno-fatal -Wno-lint -Wno-style --top-module bench --Mdir obj bench.v lib/*.v && make -s -C obj CURDIR=. -f ../bench/verilator.mk NAME=bench VM_PARALLEL_BUILDS=0 OPT_FAST=-O0",
	} {
		out, err := run(command)
		require.NoError(t, err, out)
	}
	for _, simulator := range []struct{ name, command string }{{"icarus", "vvp -n icarus"}, {"verilator", "obj/bench"}} {
		out, err := run(simulator.command)
		require.NoError(t, err, out)
		require.Contains(t, out, "PASS")
		require.NotContains(t, out, "FAIL")
		for i, b := range breaches {
			t.Run(simulator.name+"/"+b.module+"/"+b.rule, func(t *testing.T) {
				out, _ := run(fmt.Sprintf("%s +chosen=%d", simulator.command, i)) // vvp calls $stop no error
				want := fmt.Sprintf("FAIL time=%d rule=%s/%s", 15+10*b.step, b.module, b.rule)
				if simulator.name == "icarus" {
					want += fmt.Sprintf(` at=bench\.i_%d\.(\w|\.|\[\d+\])*i_%s`, i, strings.ReplaceAll(b.rule, "-", "_"))
				}
				require.Regexp(t, "^"+want+"\n", out)
				require.NotContains(t, out, "PASS")
			})
		}
	}
}

// The breaches above are all rules there are.
func TestEachRuleHasABreach(t *testing.T) {
	rules, broken := map[string]bool{}, map[string]bool{}
	for _, name := range sourceFiles() {
		module := strings.TrimSuffix(filepath.Base(name), ".v")
		for _, rule := range ruleNames.FindAllStringSubmatch(librarySource(t, module), -1) {
			require.Equal(t, module, rule[1], "a rule bears the name of its module")
			rules[rule[1]+"/"+rule[2]] = true
		}
	}
	for _, b := range breaches {
		broken[b.module+"/"+b.rule] = true
	}
	require.Equal(t, slices.Sorted(maps.Keys(rules)), slices.Sorted(maps.Keys(broken)))
}

// Synthesis sees nothing of the rules: what it leaves out is rules and their
// constants, so that it counts the same cells without them.
func TestOnlyRulesAreLeftOutOfSynthesis(t *testing.T) {
	blocks := 0
	for _, name := range sourceFiles() {
		module := strings.TrimSuffix(filepath.Base(name), ".v")
		text := librarySource(t, module)
		for _, block := range ruleBlocks.FindAllStringSubmatch(text, -1) {
			blocks++
			require.Empty(t, ruleUses.ReplaceAllString(block[1], ""), name)
		}
		if module != "rule" {
			require.NotRegexp(t, `\brule #\(`, ruleBlocks.ReplaceAllString(text, ""), name)
		}
	}
	require.NotZero(t, blocks)
}
