// SPDX-License-Identifier: Apache-2.0

package loader_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/image"
	"meshwright/firmware/isa"
	"meshwright/firmware/loader"
	"meshwright/firmware/pe"
	"meshwright/internal/memory"
	"meshwright/router"
)

func TestPlace(t *testing.T) {
	for _, row := range []struct {
		arguments string
		files     string
		of        []int32
	}{
		{"a.s", "a.s", []int32{0, 0, 0, 0}},
		{"*=a.s", "a.s", []int32{0, 0, 0, 0}},
		{"0=a.s 1-3=b.s", "a.s b.s", []int32{0, 1, 1, 1}},
		{"2=a.s b.s", "a.s b.s", []int32{1, 1, 0, 1}},
		{"0,2-3=a.s", "a.s", []int32{0, -1, 0, 0}},
		{"0=a.s 2=a.s", "a.s", []int32{0, -1, 0, -1}},
		{"0=x=y.s", "x=y.s", []int32{0, -1, -1, -1}},
		{"./0=x.s", "./0=x.s", []int32{0, 0, 0, 0}},
		{"0=-", "-", []int32{0, -1, -1, -1}},
		{"", "", []int32{-1, -1, -1, -1}},
	} {
		t.Run(row.arguments, func(t *testing.T) {
			p, err := loader.Place("--w", strings.Fields(row.arguments), 4)
			require.NoError(t, err)
			require.Equal(t, row.files, strings.Join(p.Files, " "))
			require.Equal(t, row.of, p.Of)
		})
	}
}

func TestPlaceSaysWhatIsWrong(t *testing.T) {
	const want = " (expected nodes from 0 to 3, such as 0,2-3, or * for all others)"
	for _, row := range []struct{ arguments, want string }{
		{"4=a.s", `--w: nodes "4": no node 4 in a network of 4 nodes` + want},
		{"0-4=a.s", `--w: nodes "0-4": no node 4 in a network of 4 nodes` + want},
		{"2-1=a.s", `--w: nodes "2-1"` + want},
		{"0,,1=a.s", `--w: nodes ""` + want},
		{"-1=a.s", `--w: nodes "-1"` + want},
		{"*,1=a.s", `--w: nodes "*"` + want},
		{"0=", `--w: no file in "0=" (expected NODES=FILE)`},
		{"a.s b.s", "--w: a.s and b.s (expected one file for all other nodes)"},
		{"0-2=a.s 2=b.s", "--w: node 2 has a.s and b.s (expected each node once)"},
	} {
		t.Run(row.arguments, func(t *testing.T) {
			_, err := loader.Place("--w", strings.Fields(row.arguments), 4)
			require.EqualError(t, err, row.want)
		})
	}
}

// write writes files into an empty folder and goes there.
func write(t *testing.T, files map[string]string) {
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

func TestProgramsAreReadByExtensionOrContent(t *testing.T) {
	const text = "\tli r1, 3\n\thalt\n"
	const words = "04400003\n00000000\n"
	write(t, map[string]string{"p.s": text, "p.mem": words, "text": text, "words": words, "gap.mem": "04400003 @2 04400003"})
	for _, row := range []struct {
		file string
		line isa.Line
	}{
		{"p.s", isa.Line{Number: 1, Text: "\tli r1, 3"}},
		{"p.mem", isa.Line{Number: 1, Text: "li r1, 3"}},
		{"text", isa.Line{Number: 1, Text: "\tli r1, 3"}},
		{"words", isa.Line{Number: 1, Text: "li r1, 3"}},
	} {
		p, err := loader.ReadProgram(row.file)
		require.NoError(t, err, row.file)
		require.Equal(t, []uint32{0x04400003, 0}, p.Code, row.file)
		require.Equal(t, row.line, p.Source[0], row.file)
		require.Equal(t, row.file, p.Name)
	}
	p, err := loader.ReadProgram("gap.mem")
	require.NoError(t, err)
	require.Equal(t, []uint32{0x04400003, 0, 0x04400003}, p.Code)
}

func TestProgramsIncludeFiles(t *testing.T) {
	write(t, map[string]string{
		"d/p.s": "\t.include \"../lib/a.s\"\n\thalt\n", "lib/a.s": ".include \"b.s\"\n", "lib/b.s": "x:\tli r1, 3\n",
		"-": "halt\n", "dash.s": ".include \"-\"\n", "bad.s": "halt\n.include \"lib/c.s\"\n", "lib/c.s": "\n\tad r1\n",
	})
	p, err := loader.ReadProgram("d/p.s")
	require.NoError(t, err)
	require.Equal(t, []uint32{0x04400003, 0}, p.Code)
	require.Equal(t, "lib/b.s:1", p.Position(0))
	require.Equal(t, []string{"lib/a.s", "lib/b.s"}, p.Files)
	require.Equal(t, p.Files, loader.Includes("d/p.s"))
	again, err := loader.Assemble("d/p.s")
	require.NoError(t, err)
	require.Equal(t, p, again)
	p, err = loader.ReadProgram("dash.s")
	require.NoError(t, err)
	require.Equal(t, []string{"-"}, p.Files)
	_, err = loader.ReadProgram("bad.s")
	require.EqualError(t, err, `lib/c.s:2: unknown instruction "ad" (did you mean "add"?)`)

	absolute, err := filepath.Abs("lib/b.s")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("abs.s", []byte(".include \""+absolute+"\"\n"), 0o644))
	p, err = loader.ReadProgram("abs.s")
	require.NoError(t, err)
	require.Equal(t, absolute+":1", p.Position(0))
}

// A file that can be read only once is left for the program's reader.
func TestIncludesLeavePipes(t *testing.T) {
	write(t, map[string]string{"p.s": ".include \"pipe\"\n.include \"a.s\"\n", "a.s": "halt\n"})
	require.NoError(t, syscall.Mkfifo("pipe", 0o600))
	require.Equal(t, []string{"a.s"}, loader.Includes("p.s"))
	require.Empty(t, loader.Includes("pipe"))
	require.Empty(t, loader.Includes("none.s"))
}

func TestBadPrograms(t *testing.T) {
	write(t, map[string]string{"empty.s": "; nothing\n", "bad.s": "lii r1, 3\n", "bad.mem": "00000000\nffffffff\n1\n", "long.mem": "@200000 0", "lost.s": ".include \"none.s\"\n", "circle.s": "\t.include \"d/../circle.s\"", "folder.s": ".include \".\"\n", "x/y": "",
		"long.s":  strings.Repeat("halt\n", 1<<21+1),
		"stray.s": "x:\tjmp .+3\n\thalt\n\tbeq r1, r2, .-3\n.include \"stray-too.s\"\n", "stray-too.s": "\n\tjmp .+1\n\tjmp .+2\n", "stray.mem": "3c000001 3c000002\n"})
	for _, row := range []struct{ file, want string }{
		{"none.s", "none.s: no such file or directory (expected a file that can be read)"},
		{"empty.s", "empty.s: no instructions (expected a program such as: halt)"},
		{"bad.s", `bad.s:1: unknown instruction "lii" (did you mean "li"?)`},
		{"lost.s", "lost.s:1: .include: none.s: no such file or directory (expected a file that can be read)"},
		{"circle.s", "circle.s:1: .include: circle.s is in itself (expected a file that does not include itself)"},
		{"folder.s", "folder.s:1: .include: .: is a directory (expected a file that can be read)"},
		{"stray.s", "stray.s:3: beq to address -1, outside the program (expected 0..5)\nstray-too.s:3: jmp to address 6, outside the program (expected 0..5)"},
		{"stray.mem", "stray.mem:1: jmp to address 3, outside the program (expected 0..2)"},
		{"bad.mem", "bad.mem:2: word ffffffff: unknown opcode 63 (expected 0..25)\nbad.mem:3: word 00000001: halt: unused bits 0x00000001 are set (expected 0)"},
		{"long.s", "long.s: a program of 2097153 words (expected at most 2^21)"},
		{"long.mem", "long.mem:1: a program of 2097153 words (expected at most 2^21)"},
	} {
		_, err := loader.ReadProgram(row.file)
		require.EqualError(t, err, row.want)
	}
}

func TestImagesOfAFolder(t *testing.T) {
	write(t, map[string]string{"d/0.mem": "1", "d/2.mem": "2 3", "f.mem": "9", "bad/4.mem": "1", "other/x": "1"})
	require.NoError(t, os.Mkdir("empty", 0o755))
	images, err := loader.ReadImages("--i", []string{"d", "3=f.mem"}, 4)
	require.NoError(t, err)
	require.Equal(t, []uint32{1}, images[0].Segments[0].Words)
	require.Nil(t, images[1])
	require.Equal(t, []uint32{2, 3}, images[2].Segments[0].Words)
	require.Equal(t, []uint32{9}, images[3].Segments[0].Words)
	for _, row := range []struct{ path, want string }{
		{"bad", "bad/4.mem: not the image of a node (expected only 0.mem to 3.mem)"},
		{"other", "other/x: not the image of a node (expected only 0.mem to 3.mem)"},
		{"empty", "empty: the folder is empty (expected 0.mem, 1.mem …)"},
	} {
		_, err := loader.ReadImages("--i", []string{row.path}, 4)
		require.EqualError(t, err, row.want)
	}
}

// job makes a job of texts, one program a node of a path.
func job(t *testing.T, settings string, texts ...string) *loader.Job {
	t.Helper()
	topo, err := topology.Parse(fmt.Sprintf("path:%d", len(texts)))
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for setting := range strings.FieldsSeq(settings) {
		key, value, _ := strings.Cut(setting, "=")
		require.NoError(t, m.Set(key, value))
	}
	j := &loader.Job{Topology: topo, Machine: m, Words: 8, Limit: 1000}
	for k, text := range texts {
		p, err := isa.Assemble(fmt.Sprintf("p%d.s", k), strings.NewReader(text))
		require.NoError(t, err)
		j.Programs, j.Runs = append(j.Programs, p), append(j.Runs, int32(k))
	}
	return j
}

func TestRegistersAndMemoryAtTheStart(t *testing.T) {
	const store = "st [r0+1], r15\n st [r0+2], r14\n st [r0+3], r13\n"
	j := job(t, "", store, store, store)
	j.Memory = make(loader.Images, 3)
	var err error
	j.Memory[1], err = image.Parse("in.mem", []byte("63 @9 64"))
	require.NoError(t, err)
	r, err := loader.Execute(t.Context(), j)
	require.NoError(t, err)
	require.NoError(t, r.Failure)
	require.Equal(t, [][]uint32{
		{0, 0, 3, 0, 0, 0, 0, 0},
		{0x63, 1, 3, 0, 0, 0, 0, 0, 0, 0x64},
		{0, 2, 3, 0, 0, 0, 0, 0},
	}, r.Memory)
	require.EqualValues(t, 0, r.LastHalt)
}

const sendTwo = "li r1, 1\n li r3, 2\n send r1, r0, r3, r0\n"

func TestFaultsOfPrograms(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings string
		texts    []string
		as       any
		want     string
	}{
		{"an address that does not exist", "", []string{"li r1, 8\n ld r2, [r1]", "halt"}, new(*pe.Fault),
			`p0.s:2: PE 0 at address 1 in cycle 0: memory words 8 to 8 do not exist: the PE has 8: "ld r2, [r1]"`},
		{"a send to itself", "", []string{"halt", "li r1, 1\n send r1, r0, r1, r0"}, new(*pe.Fault),
			`p1.s:2: PE 1 at address 1 in cycle 0: send to itself: "send r1, r0, r1, r0"`},
		{"a send to nobody", "", []string{"li r1, 2\n send r1, r0, r1, r0", "halt"}, new(*pe.Fault),
			`p0.s:2: PE 0 at address 1 in cycle 0: send to node 2, which does not exist: nodes are 0 to 1: "send r1, r0, r1, r0"`},
		{"an endless wait", "", []string{"li r1, 1\n recv r2, r1, r0", "halt"}, new(*pe.Stuck),
			"nothing moves any more in cycle 0: PE 0 waits in recv from 1 at p0.s:2"},
		{"an endless loop over cycles", "", []string{"x: now r1\n addi r1, r1, 1\n wait r1\n jmp x", "halt"}, new(*pe.Endless),
			"cycle limit reached: 1000: PE 0 waits in wait for cycle 1000 at p0.s:3"},
		{"a packet that is too long", "switching=store-forward packet=1 ports=single nic.channels=1", []string{sendTwo, "halt"}, new(*fabric.TooLong),
			"node 0 sends 2 flits in cycle 0: the largest packet has 1"},
		{"a collision", "switching=bufferless ports=single nic.channels=1",
			[]string{"li r1, 2\n li r3, 4\n send r1, r0, r3, r0\n", "li r1, 2\n wait r1\n send r1, r0, r1, r0", "halt"}, new(*fabric.Lost),
			"lost to collisions"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := loader.Execute(t.Context(), job(t, row.settings, row.texts...))
			require.NoError(t, err)
			require.ErrorContains(t, r.Failure, row.want)
			if row.as != nil {
				require.ErrorAs(t, r.Failure, row.as)
			}
		})
	}
}

func TestExpectedWords(t *testing.T) {
	for _, row := range []struct{ name, expected, want string }{
		{"right", "1 2", ""},
		{"only some", "@1 2", ""},
		{"wrong", "1\n3", "out.mem:2: PE 1 holds 00000002 at address 1, expected 00000003"},
		{"several wrong", "4 2 9", "out.mem:1: PE 1 holds 00000001 at address 0, expected 00000004; 2 words of 1 PE are wrong"},
		{"more than there is", "@8 0", "out.mem: a word at address 8 is expected, PE 1 has 8 words"},
	} {
		t.Run(row.name, func(t *testing.T) {
			j := job(t, "", sendTwo, "li r2, 0\n li r3, 0\n recv r4, r2, r3")
			j.Memory, j.Expected = make(loader.Images, 2), make(loader.Images, 2)
			var err error
			j.Memory[0], err = image.Parse("in.mem", []byte("1 2"))
			require.NoError(t, err)
			j.Expected[1], err = image.Parse("out.mem", []byte(row.expected))
			require.NoError(t, err)
			r, err := loader.Execute(t.Context(), j)
			require.NoError(t, err)
			if row.want == "" {
				require.NoError(t, r.Failure)
			} else {
				require.EqualError(t, r.Failure, row.want)
			}
			if row.name == "more than there is" {
				require.Zero(t, r.ComparedWords)
				return
			}
			require.Equal(t, 1, r.ComparedPEs)
			require.Equal(t, len(strings.Fields(strings.TrimPrefix(row.expected, "@1 "))), r.ComparedWords)
		})
	}
}

// Expected words may be made without a file; then they are in no line.
func TestExpectedWordsOfNoFile(t *testing.T) {
	j := job(t, "", "halt", "halt")
	j.Expected = loader.Images{nil, {Segments: []image.Segment{{Address: 1, Words: []uint32{7}}}}}
	r, err := loader.Execute(t.Context(), j)
	require.NoError(t, err)
	var wrong *loader.Mismatch
	require.ErrorAs(t, r.Failure, &wrong)
	require.Equal(t, []any{router.NodeID(1), 1, uint32(7), uint32(0)}, []any{wrong.Node, wrong.Address, wrong.Expected, wrong.Got})
}

func TestMessagesThatNobodyTakesAreCounted(t *testing.T) {
	r, err := loader.Execute(t.Context(), job(t, "", sendTwo, "halt"))
	require.NoError(t, err)
	require.NoError(t, r.Failure)
	require.Equal(t, 1, r.Unread)
	require.Equal(t, "PE 1 never took a message of 2 words with tag 0 from 0", r.FirstUnread.String())
	require.Equal(t, 1, r.Messages)
	require.Equal(t, 2, r.Flits)
}

func TestDumpsAreReadBack(t *testing.T) {
	memory := [][]uint32{{1, 2}, {}, {0xffffffff}}
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("d", 0o755))
	require.NoError(t, loader.WriteFolder("d", memory, 1))
	images, err := loader.ReadImages("--i", []string{"d"}, 3)
	require.NoError(t, err)
	require.Equal(t, memory[0], images[0].Segments[0].Words)
	require.Nil(t, images[1])
	require.Equal(t, memory[2], images[2].Segments[0].Words)
	var table strings.Builder
	require.NoError(t, loader.WriteTable(&table, memory, 1))
	require.Equal(t, "node,address,value\n0,0,00000001\n0,1,00000002\n2,0,ffffffff\n", table.String())
}

func TestJobsThatMakeNoSense(t *testing.T) {
	for want, change := range map[string]func(*loader.Job){
		"Runs has 0 programs for 2 nodes (expected one for each node: an index in Programs, or pe.Nothing)": func(j *loader.Job) { j.Runs = nil },
		"no machine (expected one that machine.Preset, machine.Open or machine.Parse has made)":             func(j *loader.Job) { j.Machine = machine.Machine{} },
	} {
		j := job(t, "", "halt", "halt")
		change(j)
		_, err := loader.Execute(t.Context(), j)
		require.EqualError(t, err, want)
	}
}

// A limit of 0 is no default: the run fails.
func TestZeroLimit(t *testing.T) {
	j := job(t, "", "x: jmp x", "halt")
	j.Limit = 0
	r, err := loader.Execute(t.Context(), j)
	require.NoError(t, err)
	require.ErrorAs(t, r.Failure, new(*pe.Endless))
}

func TestMemoriesAreBounded(t *testing.T) {
	j := job(t, "", "halt", "halt")
	j.Words = 1 << 28
	_, err := loader.Execute(t.Context(), j)
	require.EqualError(t, err, "536870912 words of data memory in PEs 0 to 1 together (expected at most 2^28)")
}

func TestRunsAreRefusedWhereThereIsNoRoom(t *testing.T) {
	j := job(t, "", "halt", "halt")
	j.Words = 1 << 26
	_, err := loader.Execute(memory.With(t.Context(), 100<<20), j)
	var large *memory.TooLarge
	require.ErrorAs(t, err, &large)
	require.Equal(t, "firmware on path:2", large.What)
}

func TestAttachSeesTheNetwork(t *testing.T) {
	fault := errors.New("no")
	_, err := loader.Execute(t.Context(), job(t, "", "halt", "halt"), func(n *fabric.Network) error {
		require.Equal(t, router.Cycle(0), n.Now())
		return fault
	})
	require.ErrorIs(t, err, fault)
}
