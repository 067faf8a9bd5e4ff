// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
	"meshwright/internal/soak"
)

// damage is a way to spoil a file of another tool, and the line that import then prints.
type damage struct {
	name   string
	spoil  func([]byte) []byte
	refuse string // on standard error, behind the name of the file
}

// cut keeps so many bytes of a file.
func cut(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }

// swap replaces the first of a text in a file, which must have it.
func swap(old, new string) func([]byte) []byte {
	return func(b []byte) []byte {
		if !bytes.Contains(b, []byte(old)) {
			panic("no " + old)
		}
		return bytes.Replace(b, []byte(old), []byte(new), 1)
	}
}

// text is another content.
func text(s string) func([]byte) []byte { return func([]byte) []byte { return []byte(s) } }

// deep is the number of levels of a nesting that no reader follows.
const deep = 100_000

// varint appends a number as protobuf does.
func varint(b []byte, n int) []byte {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// trace is a trace of Chakra: nodes with their numbers, types and dependences, as protobuf.
func trace(version string, nodes ...[]int) string {
	field := func(b []byte, number int, value string) []byte {
		return append(varint(append(b, byte(number<<3|2)), len(value)), value...)
	}
	file := field(nil, 1, version)
	file = append(varint(nil, len(file)), file...)
	for _, n := range nodes {
		node := varint([]byte{1 << 3}, n[0])
		node = varint(append(field(node, 2, "n"), 3<<3), n[1])
		for _, dependence := range n[2:] {
			node = varint(append(node, 5<<3), dependence)
		}
		file = append(varint(file, len(node)), node...)
	}
	return string(file)
}

// groups is a trace of Chakra whose node is groups of protobuf, one in the other.
func groups() string {
	return string(varint([]byte(trace("0.0.4")), 2*deep)) + strings.Repeat("\x53", deep) + strings.Repeat("\x54", deep)
}

// computes is the type of nodes of Chakra that compute.
const computes = 4

// Files that the test makes instead of reading them.
const (
	capturedRun = "run.pcapng"
	smallTrace  = "two-nodes.et"
	smallTable  = "exchange.csv"
)

// spoilt are the formats, each with a good file and what can be wrong with it.
var spoilt = []struct {
	format, file, flags string
	damages             []damage
}{
	{"msccl", "../examples/imports/ring-allreduce-8.xml", "-t ring:8", []damage{
		{"truncated", cut(2000), `:20: unexpected EOF (expected well-formed XML)`},
		{"another version", swap(`proto="Simple"`, `proto="LL256"`), `:1: algo proto="LL256" (expected Simple, LL or LL128)`},
		{"unknown type of step", swap(`type="s"`, `type="put"`), `:4: step type="put" (expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop)`},
		{"missing dependence", swap(`depid="-1" deps="-1"`, `depid="0" deps="77"`), `:4: step deps 77: tb 0 of gpu 0 has no such step (expected 0 to 14)`},
		{"circle", swap(`s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"`, `s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="0" deps="0" hasdep="1"`), `:4: step 0 depends on step 0 of its own tb (expected an earlier step, or one of another tb)`},
		{"deep nesting", text(strings.Repeat("<algo>", deep)), `:1: <algo> without name (expected name="…")`},
	}},
	{"tdm", "../examples/imports/exchange-3x3.tdm", "", []damage{
		{"truncated", swap("wl", "w"), `:10: message "w" does not end with l (expected l at the end, the cycle of delivery)`},
		{"unknown link", swap("enl", "exl"), `:3: unknown letter "x", 1 character in (expected links n, e, s, w and l at the end)`},
		{"deep nesting", text(strings.Repeat("(", deep)), `:1: unknown letter "(", 0 characters in (expected links n, e, s, w and l at the end)`},
	}},
	{"csv", smallTable, "-t path:3", []damage{
		{"truncated", cut(50), `:2: dispatch "" (expected a whole number)`},
		{"another version", swap("dispatch", "departure"), `:1: unknown column "departure" (expected one of message, source, destination, flits, dispatch, route, blocks)`},
		{"missing node", swap("0,2", "0,7"), `:2: message 1: destination 7 (expected a node from 0 to 2)`},
		{"deep nesting", text(strings.Repeat("0>", deep)), `:1: 1 column (expected message,source,destination,flits,dispatch[,route][,blocks])`},
	}},
	{"chakra", smallTrace, "-t path:2", []damage{
		{"truncated", cut(12), `: the message at byte 8 is cut off (expected messages of the Chakra schema, each behind its length)`},
		{"another version", text(trace("9.0")), `: Chakra schema version "9.0" (expected 0.x or 1.x, such as 0.0.4)`},
		{"unknown type of node", text(trace("0.0.4", []int{0, 44})), `: node 0: unknown node type 44 (expected 1 to 7: metadata, memory load or store, computation, send, reception, collective)`},
		{"missing dependence", text(trace("0.0.4", []int{0, computes, 7})), `: node 0: depends on node 7, which does not exist (expected the id of a node of the file)`},
		{"circle", text(trace("0.0.4", []int{0, computes, 1}, []int{1, computes, 0})), `: rank 0 node 0 (n) waits for rank 0 node 1 (n), which waits for rank 0 node 0 (n) (expected an order without circles)`},
		{"deep nesting", text(groups()), `: the message at byte 8: not of the schema's form (expected messages of the Chakra schema)`},
	}},
	{"json", "../examples/imports/flows-path-3.json", "-t path:3", []damage{
		{"truncated", cut(300), `:9: the file ends early (expected JSON)`},
		{"another version", swap("Flows", "Floods"), `:1: no field "Flows" behind a number (expected a list)`},
		{"unknown flow", swap("traveled over", "flew over"), `:5: "Chunk 0 from 0 flew over 0->1 in epoch 0" (expected a text such as "Chunk 0 from 9 traveled over 9->5 in epoch 0")`},
		{"missing dependence", swap("over 1->2 in epoch 1", "over 1->9 in epoch 1"), `:9: node 9 (expected 0 to 2, the nodes of path:3)`},
		{"deep nesting", text(strings.Repeat("[", deep)), `:1: deeper nesting (expected at most 64)`},
		{"deep nesting of objects", text(strings.Repeat(`{"a":`, deep)), `:1: deeper nesting (expected at most 64)`},
	}},
	{"json", "../examples/imports/one-sided-allreduce-3.json", "-t ring:3", []damage{
		{"truncated", cut(300), `:4: the file ends early (expected JSON)`},
		{"another version", swap("threadblocks", "blocks"), `:2: no field "threadblocks" (expected a list)`},
		{"unknown operation", swap(`"nop"`, `"glres"`), `:10: operation "glres" (expected copies, puts, gets, sums, packets, signals and barriers: sums and stores in a switch are not modelled)`},
		{"missing signal", swap(`"signal"`, `"wait"`), `:14: gpu 0 tb 0 op 6, "wait", waits for ever (expected what it waits for to happen)`},
		{"missing node", swap(`"rank": 1`, `"rank": 7`), `:4: 7 (expected 0 to 2)`},
	}},
	{"json", "../examples/imports/chip-trace.json", "", []damage{
		{"truncated", cut(400), `:5: the file ends early (expected JSON)`},
		{"unknown type of event", swap(`"READ"`, `"TELEPORT"`), `:3: unknown type "TELEPORT" (expected READ…, WRITE…, SEMAPHORE… or a barrier)`},
		{"unknown network", swap("NOC_0", "NOC_5"), `:3: noc "NOC_5" (expected NOC_0 or NOC_1)`},
		{"missing node", swap(`"dx": 3`, `"dx": 3000`), `:3: field "dx": 3000 (expected 0 to 1023)`},
		{"another version", text(`[{"version": "2"}]`), `:1: no field "type" (expected a string)`},
	}},
	{"pcapng", capturedRun, "", []damage{
		{"truncated", cut(1000), `: the block at byte 988 is cut off (expected whole blocks of pcapng)`},
		{"another version", func(b []byte) []byte { b[12] = 3; return b }, `: the file is of version 3.0 of pcapng (expected version 1.0)`},
		{"unknown type of packet", func(b []byte) []byte { b[len(b)-43] = 77; return b }, `: packet 36: flit packet has a field out of range: kind 77 (expected a flit as --trace FILE.pcapng writes it)`},
		{"a message without its end", func(b []byte) []byte { return b[:len(b)-72] }, `: message 12, of 3 flits over 1 link, has 2 packets (expected all flits on all links: a capture of the whole run, in which no flit was lost)`},
		{"deep nesting", func(b []byte) []byte { return bytes.Repeat(b[:28], deep) }, `: the block at byte 0 begins with a length of 388 and ends with 4294967295 (expected the same length twice)`},
	}},
}

// refusedLine is the line of a file that is refused, behind the file's name.
func refusedLine(t *testing.T, dir, file string, args ...string) string {
	t.Helper()
	before := snapshot(t, dir)
	got := meshwright(t, dir, append([]string{"import", file, "--schedule", "out.csv"}, args...)...)
	require.Equal(t, 2, got.code, "%s", got.stderr)
	require.Empty(t, got.stdout)
	require.Equal(t, before, snapshot(t, dir), "a file was left behind")
	require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	line, ok := strings.CutPrefix(strings.TrimSpace(got.stderr), "meshwright: "+file)
	require.True(t, ok, got.stderr)
	return line
}

// A good file of each format runs; a spoilt one is refused in one line that names the place.
func TestSpoiltFilesAreRefused(t *testing.T) {
	for _, format := range spoilt {
		dir := t.TempDir()
		name := "spoilt" + filepath.Ext(format.file)
		var good []byte
		switch format.file {
		case capturedRun:
			require.Zero(t, meshwright(t, dir, strings.Fields("run gossip -t path:4 -l 3 --trace good.pcapng")...).code)
			data, err := os.ReadFile(filepath.Join(dir, "good.pcapng"))
			require.NoError(t, err)
			good = data
		case smallTrace:
			good = []byte(trace("0.0.4", []int{0, computes}, []int{1, computes, 0}))
		case smallTable:
			good = []byte("message,source,destination,flits,dispatch\n1,0,2,3,0\n2,1,0,3,0\n")
		default:
			data, err := os.ReadFile(format.file)
			require.NoError(t, err)
			good = data
		}
		flags := strings.Fields(format.flags)
		put := func(data []byte) { require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644)) }
		put(good)
		require.Zero(t, meshwright(t, dir, append([]string{"import", name}, flags...)...).code)
		for _, d := range format.damages {
			t.Run(format.format+" "+d.name, func(t *testing.T) {
				put(d.spoil(bytes.Clone(good)))
				require.Equal(t, d.refuse, refusedLine(t, dir, name, flags...))
			})
		}
	}
}

// garbage is what is in a file of garbage.
var garbage = []struct {
	name string
	fill func(b []byte)
}{
	{"random bytes", func(b []byte) {
		r := rand.NewChaCha8([32]byte{1})
		r.Read(b)
	}},
	{"zeros", func([]byte) {}},
	{"one line of letters", func(b []byte) { fillWith(b, "x") }},
	{"lines", func(b []byte) { fillWith(b, "no format has this line\n") }},
	{"brackets", func(b []byte) { fillWith(b, "[") }},
	{"tags", func(b []byte) { fillWith(b, "<a>") }},
	{"blanks", func(b []byte) { fillWith(b, " ") }},
}

func fillWith(b []byte, pattern string) {
	n := copy(b, pattern)
	for n < len(b) {
		n += copy(b[n:], b[:n])
	}
}

// peak is a program in Python that runs a command and prints the memory that it took, in KiB. The kernel counts what the starting
// process has as well, so that a test cannot measure this itself: it is large.
const peak = `import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)`

// Garbage of 100 MB, without a soak of 1 MB, is refused in each format, in one line, and with little memory.
func TestGarbageIsRefused(t *testing.T) {
	const mega = 1_000_000
	need(t, "python3", "python3")
	size := soak.Number(1, 100) * mega
	dir := t.TempDir()
	for k, g := range garbage {
		data := make([]byte, size)
		g.fill(data)
		for i, extension := range []string{".xml", ".tdm", ".csv", ".et", ".json", ".pcapng", ""} {
			if !soak.On() && (i+k)%3 != 0 {
				continue
			}
			t.Run(g.name+extension, func(t *testing.T) {
				file := "garbage" + extension
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), data, 0o644))
				cmd := proctest.Command(t, "python3", "-c", peak, binary, "import", file, "-t", "path:2")
				cmd.Dir = dir
				got := speak(t, cmd)
				require.Equal(t, 2, got.code, got.stderr)
				require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
				require.True(t, strings.HasPrefix(got.stderr, "meshwright: "+file), got.stderr)
				require.Less(t, len(got.stderr), 500)
				kilobytes, err := strconv.Atoi(strings.TrimSpace(got.stdout))
				require.NoError(t, err)
				// The program itself takes some 20 MB. A text may be read whole, in an array that grows.
				require.Less(t, kilobytes*1024, 100*mega+6*size)
				require.NoError(t, os.Remove(filepath.Join(dir, file)))
			})
		}
	}
}
