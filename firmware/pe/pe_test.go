// SPDX-License-Identifier: Apache-2.0

package pe_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
	"meshwright/router"
)

// decode assembles one program, named p0.s, p1.s …
func decode(t testing.TB, k int, text string) *pe.Program {
	t.Helper()
	source, err := isa.Assemble(fmt.Sprintf("p%d.s", k), strings.NewReader(text))
	require.NoError(t, err)
	p, err := pe.Decode(source)
	require.NoError(t, err)
	return p
}

// network builds a path of one PE a program, 8 words of memory each: 10n to 10n+7.
func network(t testing.TB, m machine.Machine, texts ...string) (*fabric.Network, *pe.Array) {
	t.Helper()
	topo, err := topology.Parse(fmt.Sprintf("path:%d", len(texts)))
	require.NoError(t, err)
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	load := pe.Load{Routes: make([][][]router.Port, len(texts))}
	for k, text := range texts {
		load.Programs = append(load.Programs, decode(t, k, text))
		load.Runs = append(load.Runs, int32(k))
		memory := make([]uint32, 8)
		for i := range memory {
			memory[i] = uint32(10*k + i)
		}
		load.Memory = append(load.Memory, memory)
		load.Routes[k] = [][]router.Port{{0, 0}}
	}
	a, err := pe.New(load)
	require.NoError(t, err)
	n.Attach(a)
	return n, a
}

func wormhole(t testing.TB, settings ...string) machine.Machine {
	t.Helper()
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	return m
}

// TestArithmetic runs each instruction that stays in the PE; r1 is the result.
func TestArithmetic(t *testing.T) {
	for _, row := range []struct {
		text string
		want uint32
	}{
		{"li r1, -3", 0xfffffffd},
		{"li r1, 0x12345678", 0x12345678},
		{"li r2, 7\n mov r1, r2", 7},
		{"li r2, 7\n li r3, -9\n add r1, r2, r3", 0xfffffffe},
		{"li r2, 7\n addi r1, r2, -8", 0xffffffff},
		{"li r2, 7\n li r3, 9\n sub r1, r2, r3", 0xfffffffe},
		{"li r2, -1\n li r3, 1\n min r1, r2, r3", 0xffffffff},
		{"li r2, -1\n li r3, 1\n max r1, r2, r3", 1},
		{"li r2, 3\n ld r1, [r2+2]", 5},
		{"li r2, 3\n li r3, 77\n st [r2-3], r3\n ld r1, [r0]", 77},
		{"li r1, 1\n beq r0, r0, x\n li r1, 2\nx: halt", 1},
		{"li r1, 1\n bne r0, r0, x\n li r1, 2\nx: halt", 2},
		{"li r1, 1\n li r2, -1\n blt r2, r0, x\n li r1, 2\nx: halt", 1},
		{"li r1, 1\n li r2, -1\n bge r2, r0, x\n li r1, 2\nx: halt", 2},
		{"li r1, 1\n jmp x\n li r1, 2\nx: halt", 1},
		{"li r2, 12\n wait r2\n now r1", 12},
		{"li r2, 5\n wait r2\n li r2, 3\n wait r2\n li r2, -1\n wait r2\n now r1", 5},
		{"li r2, 2\n li r3, 100\nx: now r1\n add r1, r1, r2\n wait r1\n blt r1, r3, x", 100},
	} {
		t.Run(row.text, func(t *testing.T) {
			n, a := network(t, wormhole(t), row.text)
			require.NoError(t, n.Run(t.Context(), 1000))
			require.NoError(t, a.Err())
			require.True(t, a.Halted(0))
			require.Equal(t, row.want, a.Register(0, 1))
		})
	}
}

const sendTwo = "li r1, 1\n li r2, 2\n li r3, 2\n li r4, 9\n send r1, r2, r3, r4\n halt" // words 2, 3 to node 1 as message 9

func TestMessages(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings []string
		texts    []string
		node     router.NodeID
		reg      isa.Reg
		want     uint32
		memory   []uint32 // first words of node's memory
	}{
		{"recv gives the length", nil, []string{sendTwo, "li r1, 0\n li r2, 4\n recv r3, r1, r2"}, 1, 3, 2, []uint32{10, 11, 12, 13, 2, 3}},
		{"recv any gives the source", nil, []string{sendTwo, "li r1, -1\n recv r3, r1, r0"}, 1, 1, 0, []uint32{2, 3}},
		{"recv with one register for both keeps the length", nil, []string{sendTwo, "li r1, -1\n recv r1, r1, r0"}, 1, 1, 2, []uint32{2, 3}},
		{"a message comes whole", nil, []string{sendTwo, "li r1, 0\n recv r3, r1, r0\n now r4"}, 1, 4, 2, nil},
		{"flits of three cycles", []string{"flit", "3"}, []string{sendTwo, "li r1, 0\n recv r3, r1, r0\n now r4"}, 1, 4, 3 + 1 + 2, nil},
		{"startup", []string{"startup", "5"}, []string{sendTwo, "li r1, 0\n recv r3, r1, r0\n now r4"}, 1, 4, 5 + 2, nil},
		{"a send waits for its channel", []string{"nic.channels", "1"},
			[]string{"halt", "li r3, 4\n li r1, 2\n send r1, r0, r3, r0\n send r0, r0, r3, r0\n now r5", "halt"}, 1, 5, 4, nil},
		{"channels are independent", nil, []string{"halt", "li r3, 4\n li r1, 2\n send r1, r0, r3, r0\n send r0, r0, r3, r0\n now r5", "halt"}, 1, 5, 0, nil},
		{"no words, no message", nil, []string{"li r1, 1\n send r1, r0, r0, r0\n now r5", "halt"}, 0, 5, 0, nil},
		{"recvw", nil, []string{"li r1, 1\n li r2, 70000\n sendw token, r1, r2, r0", "li r6, -1\n recvw r5, r6"}, 1, 5, 70000, nil},
		{"recvw gives the source", nil, []string{"li r1, 1\n sendw token, r1, r2, r0", "li r6, -1\n recvw r5, r6"}, 1, 6, 0, nil},
		{"recvw with one register for both keeps the value", nil, []string{"li r1, 1\n li r2, 7\n sendw token, r1, r2, r0", "recvw r5, r5"}, 1, 5, 7, nil},
		{"recvw gives the tag", nil, []string{"li r1, 1\n li r3, 77\n sendw token, r1, r2, r3", "recvw r5, r6, r7"}, 1, 7, 77, nil},
		{"recvw keeps no tag in r0", nil, []string{"li r1, 1\n li r3, 77\n sendw token, r1, r2, r3", "recvw r5, r6, r0"}, 1, 0, 0, nil},
		{"probe gives length and source and takes nothing", nil, []string{sendTwo, "probe r4, r1, r2\n recv r3, r1, r0\n add r3, r3, r4"}, 1, 3, 4, []uint32{2, 3}},
		{"probe gives the tag", nil, []string{"li r1, 1\n li r2, 2\n li r3, 9\n send r1, r0, r2, r3", "probe r4, r1, r2\n recv r3, r1, r0"}, 1, 2, 9, nil},
		{"probe waits for a whole message", nil, []string{sendTwo, "probe r4, r1\n now r5\n recv r3, r1, r0"}, 1, 5, 2, nil},
		{"words are cut to the width", []string{"width", "8"}, []string{"li r1, 1\n li r2, 0x1ff\n sendw token, r1, r2, r0", "recvw r5, r6"}, 1, 5, 0xff, nil},
		{"a message waits in the inbox", nil, []string{sendTwo, "li r1, 50\n wait r1\n li r1, 0\n recv r3, r1, r0\n now r4"}, 1, 4, 50, []uint32{2, 3}},
		{"recv by source passes over others", nil,
			[]string{"li r1, 1\n li r2, 1\n send r1, r0, r2, r0", "li r1, 30\n wait r1\n li r1, 2\n recv r3, r1, r0\n li r1, -1\n li r2, 1\n recv r3, r1, r2\n", "li r1, 1\n li r2, 1\n li r3, 9\n wait r3\n send r1, r0, r2, r0"},
			1, 1, 0, []uint32{20, 0}},
		{"recv by tag passes over others", nil, []string{"li r1, 1\n li r2, 1\n li r3, 7\n send r1, r0, r2, r3\n li r3, 8\n send r1, r2, r2, r3", "li r1, 0\n li r5, 8\n recv r3, r1, r0, r5\n ld r6, [r0+0]\n li r5, 7\n li r2, 1\n recv r3, r1, r2, r5"}, 1, 6, 1, []uint32{1, 0}},
		{"poll takes what is there", nil, []string{sendTwo, "li r1, 2\n wait r1\n li r1, 0\n li r2, 4\n poll r3, r1, r2"}, 1, 3, 2, []uint32{10, 11, 12, 13, 2, 3}},
		{"poll does not wait for what comes a cycle later", nil, []string{sendTwo, "li r1, 1\n wait r1\n li r1, 0\n li r2, 4\n li r3, 7\n poll r3, r1, r2\n recv r4, r1, r0"}, 1, 3, 0, []uint32{2, 3, 12, 13, 14, 15}},
		{"poll by tag passes over others", nil, []string{sendTwo, "li r1, 2\n wait r1\n li r1, -1\n li r5, 8\n poll r3, r1, r0, r5\n li r5, 9\n poll r4, r1, r0, r5\n add r3, r3, r4"}, 1, 3, 2, []uint32{2, 3}},
		{"poll any gives the source", nil, []string{sendTwo, "li r1, 2\n wait r1\n li r1, -1\n poll r3, r1, r0"}, 1, 1, 0, []uint32{2, 3}},
		{"copy", nil, []string{"halt", "li r1, 1\n li r2, 2\n copy r0, r1, r2"}, 1, 2, 2, []uint32{11, 12, 12}},
		{"copy to where some of it comes from", nil, []string{"halt", "li r1, 1\n li r2, 2\n copy r1, r0, r2"}, 1, 2, 2, []uint32{10, 10, 11}},
		{"copy nothing", nil, []string{"halt", "copy r0, r1, r0"}, 1, 0, 0, nil},
		{"source route", []string{"routing", "source"}, []string{"li r1, 2\n li r2, 1\n send r1, r0, r2, r0, 1", "halt", "li r1, 0\n recv r3, r1, r0"}, 2, 3, 1, []uint32{0}},
		{"source route by register", []string{"routing", "source"}, []string{"li r1, 2\n li r2, 1\n sendv r1, r0, r2, r0, r2", "halt", "li r1, 0\n recv r3, r1, r0"}, 2, 3, 1, []uint32{0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			n, a := network(t, wormhole(t, row.settings...), row.texts...)
			require.NoError(t, n.Run(t.Context(), 1000))
			require.NoError(t, a.Err())
			require.Equal(t, row.want, a.Register(row.node, row.reg))
			require.Equal(t, row.memory, append([]uint32(nil), a.Memory(row.node)[:len(row.memory)]...))
		})
	}
}

func TestFaults(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"memory", "li r1, 5\n ld r1, [r1+3]", `p0.s:2: PE 0 at address 1 in cycle 0: memory words 8 to 8 do not exist: the PE has 8: "ld r1, [r1+3]"`},
		{"memory below", "st [r0-1], r0", `p0.s:1: PE 0 at address 0 in cycle 0: memory words -1 to -1 do not exist: the PE has 8: "st [r0-1], r0"`},
		{"copy from outside", "li r1, 8\n li r2, 1\n copy r0, r1, r2", `p0.s:3: PE 0 at address 2 in cycle 0: memory words 8 to 8 do not exist: the PE has 8: "copy r0, r1, r2"`},
		{"copy to outside", "li r1, 7\n li r2, 2\n copy r1, r0, r2", `p0.s:3: PE 0 at address 2 in cycle 0: memory words 7 to 8 do not exist: the PE has 8: "copy r1, r0, r2"`},
		{"block", "li r1, 1\n li r2, 9\n send r1, r0, r2, r0", `p0.s:3: PE 0 at address 2 in cycle 0: memory words 0 to 8 do not exist: the PE has 8: "send r1, r0, r2, r0"`},
		{"negative block", "li r1, 1\n li r2, -2\n send r1, r0, r2, r0", `p0.s:3: PE 0 at address 2 in cycle 0: a length of -2 words: "send r1, r0, r2, r0"`},
		{"itself", "li r5, 3\n wait r5\n send r0, r0, r1, r0", `p0.s:3: PE 0 at address 2 in cycle 3: send to itself: "send r0, r0, r1, r0"`},
		{"no node", "li r1, 2\n sendw token, r1, r0, r0", `p0.s:2: PE 0 at address 1 in cycle 0: send to node 2, which does not exist: nodes are 0 to 1: "sendw token, r1, r0, r0"`},
		{"no source", "li r1, 2\n recv r3, r1, r0", `p0.s:2: PE 0 at address 1 in cycle 0: recv from node 2, which does not exist: nodes are 0 to 1, -1 is any: "recv r3, r1, r0"`},
		{"no source to poll", "li r1, 2\n poll r3, r1, r0", `p0.s:2: PE 0 at address 1 in cycle 0: poll from node 2, which does not exist: nodes are 0 to 1, -1 is any: "poll r3, r1, r0"`},
		{"route", "li r1, 1\n send r1, r0, r1, r0, 1", `p0.s:2: PE 0 at address 1 in cycle 0: send along route 1 on a machine without source routing: "send r1, r0, r1, r0, 1"`},
		{"route by register", "li r1, 1\n li r2, -1\n sendv r1, r0, r1, r0, r2", `p0.s:3: PE 0 at address 2 in cycle 0: send along route -1 on a machine without source routing: "sendv r1, r0, r1, r0, r2"`},
		{"endless", "x: jmp x", `p0.s:1: PE 0 at address 0 in cycle 0: 16777216 instructions in one cycle without a stall: an endless loop: "x: jmp x"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			n, a := network(t, wormhole(t), row.text, "halt")
			require.NoError(t, n.Run(t.Context(), 1000))
			var fault *pe.Fault
			require.ErrorAs(t, a.Err(), &fault)
			require.EqualError(t, fault, row.want)
		})
	}
	n, a := network(t, wormhole(t, "routing", "source"), "li r1, 1\n send r1, r0, r1, r0, 2", "halt")
	require.NoError(t, n.Run(t.Context(), 1000))
	require.ErrorContains(t, a.Err(), "send along route 2, which is not in the PE's route table")
}

// A message that the network refuses ends the run in its cycle, also if the PE would send it over and over.
func TestRefusedMessagesEndTheRun(t *testing.T) {
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	require.NoError(t, m.Set("packet", "4"))
	n, a := network(t, m, "li r1, 1\n li r2, 5\nx: send r1, r0, r2, r0\n jmp x", "halt")
	var long *fabric.TooLong
	require.ErrorAs(t, n.Run(t.Context(), 1000), &long)
	require.Equal(t, fabric.TooLong{Node: 0, Flits: 5, Largest: 4}, *long)
	require.NoError(t, a.Err())
}

func TestTheFirstFaultCounts(t *testing.T) {
	n, a := network(t, wormhole(t), "halt", "send r1, r0, r2, r0\n li r1, 1\n send r1, r0, r1, r0", "ld r1, [r0+9]")
	require.NoError(t, n.Run(t.Context(), 1000))
	require.ErrorContains(t, a.Err(), "PE 1")
}

func TestWaiting(t *testing.T) {
	const awaits = "li r4, 5\n recv r2, r1, r0, r4"
	n, a := network(t, wormhole(t), "li r1, 1\n recv r2, r1, r0", "li r1, -1\n recv r2, r1, r0", "recvw r1, r2",
		"li r1, 4\n"+awaits, "li r1, 3\n li r2, 1\n li r4, 7\n send r1, r0, r2, r4\n li r1, -1\n"+awaits, "li r1, 3\n"+awaits)
	require.ErrorIs(t, n.Run(context.Background(), 1000), fabric.ErrIdle)
	var lines []string
	for w := range a.Waiting() {
		lines = append(lines, w.String())
	}
	require.Equal(t, []string{
		"PE 0 waits in recv from 1 at p0.s:2", "PE 1 waits in recv from any node at p1.s:2", "PE 2 waits in recvw at p2.s:1",
		"PE 3 waits in recv from 4 with tag 5 at p3.s:3 (a message of node 4 with tag 7 waits in the inbox)",
		"PE 4 waits in recv from any node with tag 5 at p4.s:7", "PE 5 waits in recv from 3 with tag 5 at p5.s:3",
	}, lines)
}

// The error of a run that waits begins with what faults did, and names the first places.
func TestStuckBeginsWithTheCause(t *testing.T) {
	waits := pe.Waits{Waiting: []pe.Wait{{Node: 2, For: "recv from 1", Position: "p.s:2"}}}
	dead := func(n router.NodeID, start, end router.Cycle) fault.Broken {
		return fault.Broken{Kind: fault.Node, From: n, To: n, Start: start, End: end}
	}
	for _, row := range []struct {
		stuck pe.Stuck
		want  string
	}{
		{pe.Stuck{}, "nothing moves any more in cycle 9: "},
		{pe.Stuck{AtDead: []fabric.Lossy{{From: 0, To: 6, Messages: 1}}}, "1 message was lost at dead link 0>6; nothing moves any more in cycle 9, 1 PE waits: "},
		{pe.Stuck{AtDead: []fabric.Lossy{{From: 0, To: 6, Messages: 2}, {From: 0, To: 14, Messages: 4}}, Dead: []router.NodeID{3, 4}},
			"6 messages were lost at dead links 0>6, 0>14; nodes 3-4 are dead; nothing moves any more in cycle 9, 1 PE waits: "},
		{pe.Stuck{Dropping: []fabric.Lossy{{From: 0, To: 1, Messages: 1}, {From: 1, To: 2, Messages: 1}, {From: 2, To: 3, Messages: 1}, {From: 3, To: 4, Messages: 1}, {From: 4, To: 5, Messages: 1}}, Dead: []router.NodeID{7}},
			"5 messages were dropped at links 0>1, 1>2, 2>3, 3>4 and 1 more; node 7 is dead; nothing moves any more in cycle 9, 1 PE waits: "},
		{pe.Stuck{AtDead: []fabric.Lossy{{From: 0, To: 1, Messages: 1}, {From: 0, To: 6, Messages: 2}, {From: 7, To: 8, Messages: 1}}, Dead: []router.NodeID{1, 2, 3, 4, 5}, Broken: []fault.Broken{
			dead(1, 3, 7), dead(2, 3, 7), dead(3, 0, 7), dead(4, 5, fault.Never), dead(5, 0, fault.Never), {Kind: fault.Link, From: 7, To: 8, End: fault.Never}, {Kind: fault.Link, From: 0, To: 6, Start: 2, End: 3},
		}}, "4 messages were lost at dead links 0>1 (dead in cycles 3 to 6), 0>6 (dead in cycle 2), 7>8; nodes 1-2 were dead in cycles 3 to 6; node 3 was dead in cycles 0 to 6; " +
			"node 4 is dead from cycle 5 on; node 5 is dead; nothing moves any more in cycle 9, 1 PE waits: "},
	} {
		row.stuck.Cycle, row.stuck.Waits = 9, waits
		require.EqualError(t, &row.stuck, row.want+waits.String())
	}
}

func TestUnread(t *testing.T) {
	n, a := network(t, wormhole(t), sendTwo+"\n", "halt", "li r1, 1\n sendw order, r1, r1, r1")
	require.NoError(t, n.Run(context.Background(), 1000))
	var lines []string
	for u := range a.Unread() {
		lines = append(lines, u.String())
	}
	require.Equal(t, []string{"PE 1 never took a message of 2 words with tag 9 from 0", "PE 1 never took a control word from 2"}, lines)
}

// TestInboxKeepsOrder sends many messages while the receiver sleeps.
func TestInboxKeepsOrder(t *testing.T) {
	sender := "li r1, 1\n li r2, 1\n li r3, 20\nx: st [r0], r3\n send r1, r0, r2, r3\n addi r3, r3, -1\n bne r3, r0, x"
	receiver := "li r1, 200\n wait r1\n li r2, 20\nx: li r1, -1\n recv r3, r1, r0\n ld r4, [r0]\n bne r4, r2, bad\n addi r2, r2, -1\n bne r2, r0, x\n halt\nbad: ld r9, [r0-1]"
	n, a := network(t, wormhole(t, "vcs", "4"), sender, receiver)
	require.NoError(t, n.Run(context.Background(), 1000))
	require.NoError(t, a.Err())
	require.Equal(t, uint32(0), a.Register(1, 2))
}

func TestSleepingCyclesAreSkipped(t *testing.T) {
	n, a := network(t, wormhole(t), "li r1, 1000000000\n wait r1\n now r2", "li r1, 999999999\n wait r1\n now r2")
	require.NoError(t, n.Run(context.Background(), 2_000_000_000))
	require.Equal(t, uint32(1_000_000_000), a.Register(0, 2))
	require.Equal(t, uint32(999_999_999), a.Register(1, 2))
}

func ExampleArray() {
	topo, _ := topology.Parse("path:2")
	m, _ := machine.Preset("wormhole")
	network, _ := fabric.New(topo, m)
	source, _ := isa.Assemble("hello.s", strings.NewReader(`
		ld    r1, [r0]          ; who am I?
		bne   r1, r0, one
		li    r2, 1
		send  r2, r2, r2, r0    ; word 1 to PE 1
		halt
	one:	recv  r3, r0, r1        ; from PE 0, to address 1
		now   r4
		halt
	`))
	program, _ := pe.Decode(source)
	a, _ := pe.New(pe.Load{
		Programs: []*pe.Program{program}, Runs: []int32{0, 0}, Memory: [][]uint32{{0, 42}, {1, 0}},
	})
	network.Attach(a)
	fmt.Println(network.Run(context.Background(), 100), a.Err())
	fmt.Println(a.Memory(1)[1], "in cycle", a.Register(1, 4))
	// Output:
	// <nil> <nil>
	// 42 in cycle 1
}

func TestProgramsStayInside(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"to the end", "jmp .+1", ""},
		{"beyond", "jmp .+2", "p.s:1: jmp to address 2, outside the program (expected 0..1)"},
		{"below", "li r1, 1\n bne r1, r0, .-2", "p.s:2: bne to address -1, outside the program (expected 0..2)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			source, err := isa.Assemble("p.s", strings.NewReader(row.text))
			require.NoError(t, err)
			_, err = pe.Decode(source)
			if row.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, row.want)
		})
	}
}
