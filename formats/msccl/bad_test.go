// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// good is an allreduce of two ranks; a.xml in the errors.
const good = `<algo name="a" proto="LL" nchannels="2" nchunksperloop="1" ngpus="2" coll="allreduce" inplace="0">
<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="1">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="1" deps="0" hasdep="0"/>
</tb>
<tb id="1" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
`

func TestGoodIsGood(t *testing.T) {
	a, err := Parse("a.xml", strings.NewReader("<?xml version='1.0' encoding='UTF-8'?>\n<!-- a comment -->\n"+good))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure)
}

// badInput are changes of good, old into new, and the error.
var badInput = []struct{ name, old, new, want string }{
	// The form.
	{"no end", "</algo>", "", "a.xml:18: unexpected EOF (expected well-formed XML)"},
	{"tags crossed", "</tb>\n</gpu>", "</gpu>\n</tb>", "a.xml:9: element <tb> closed by </gpu> (expected well-formed XML)"},
	{"no quotes", `name="a"`, `name=a`, "a.xml:1: unquoted or missing attribute value in element (expected well-formed XML)"},
	{"bare &", `name="a"`, `name="a & b"`, "a.xml:1: invalid character entity & (no semicolon) (expected well-formed XML)"},
	{"another encoding", "<algo", "<?xml version='1.0' encoding='latin1'?><algo", `a.xml:1: encoding "latin1" (expected UTF-8)`},
	{"no XML", good, "message,source,destination", `a.xml:1: text "message,source,destination" (expected elements only)`},
	{"empty", good, "", "a.xml: no elements (expected <algo …>)"},
	{"a document type", "<algo", "<!DOCTYPE algo><algo", "a.xml:1: directive \"<!DOCTYPE algo>\" (expected elements only)"},
	{"an instruction", "<algo", "<?php?><algo", `a.xml:1: processing instruction "php" (expected elements only)`},
	{"text", "</tb>", "x</tb>", `a.xml:6: text "x" (expected elements only)`},
	{"two algorithms", "</algo>", "</algo>\n<algo/>", "a.xml:18: <algo> behind </algo> (expected the end of the file)"},
	{"another root", "algo", "plan", "a.xml:1: <plan> (expected <algo>)"},
	{"unknown element", `<tb id="1" send="-1" recv="-1" chan="0">`, `<block><tb id="1" send="-1" recv="-1" chan="0">`, "a.xml:7: <block> in <gpu> (expected <tb>)"},
	{"step without tb", "<tb id=\"0\" send=\"1\" recv=\"1\" chan=\"0\">\n", "", "a.xml:3: <step> in <gpu> (expected <tb>)"},
	{"something in a step", `hasdep="1"/>`, `hasdep="1"><x/></step>`, "a.xml:8: <x> in <step> (expected nothing in it)"},

	// Attributes.
	{"unknown attribute", `ngpus="2"`, `ngpus="2" nodes="1"`, `a.xml:1: unknown attribute "nodes" of <algo> (expected one of name, proto, nchannels, nchunksperloop, ngpus, coll, inplace, outofplace, minBytes, maxBytes, maxcount, nthreadblocks, nthreads, redop)`},
	{"misspelt attribute", `cnt="1" depid="1"`, `count="1" depid="1"`, `a.xml:5: unknown attribute "count" of <step> (did you mean cnt?)`},
	{"attribute of another space", `ngpus="2"`, `x:ngpus="2"`, `a.xml:1: unknown attribute "x:ngpus" of <algo> (did you mean ngpus?)`},
	{"missing attribute", ` hasdep="1"`, "", `a.xml:8: <step> without hasdep (expected hasdep="…")`},
	{"attribute twice", `chan="0">`, `chan="0" chan="0">`, `a.xml:3: attribute "chan" of <tb> stands twice (expected it once)`},
	{"no number", `nchannels="2"`, `nchannels="two"`, `a.xml:1: algo nchannels="two" (expected a whole number from 1 to 1048576)`},
	{"huge number", `srcoff="0"`, `srcoff="99999999999999999999"`, `a.xml:4: step srcoff="99999999999999999999" (expected a whole number from -1 to 1048576)`},
	{"no ranks", `ngpus="2"`, `ngpus="0"`, `a.xml:1: algo ngpus="0" (expected a whole number from 1 to 16384)`},
	{"proto", `proto="LL"`, `proto="LL256"`, `a.xml:1: algo proto="LL256" (expected Simple, LL or LL128)`},
	{"collective", `coll="allreduce"`, `coll="allreduse"`, `a.xml:1: algo coll="allreduse" (expected allreduce, allgather, reduce_scatter, alltoall, broadcast, reduce, gather, scatter or custom)`},
	{"step type", `type="cpy"`, `type="ra"`, `a.xml:8: step type="ra" (expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop)`},
	{"buffer", `srcbuf="i" srcoff="0" dstbuf="s"`, `srcbuf="x" srcoff="0" dstbuf="s"`, `a.xml:4: step srcbuf="x" (expected i, o or s)`},
	{"reduction", `inplace="0"`, `inplace="0" redop="max"`, `a.xml:1: algo redop="max" (expected sum or nop)`},
	{"sum where there is none", `inplace="0"`, `inplace="0" redop="nop"`, `a.xml:5: step type "rrc" in an algorithm of redop "nop" (expected redop "sum")`},
	{"nowhere", `inplace="0"`, `inplace="0" outofplace="0"`, `a.xml:1: inplace="0" outofplace="0" (expected one of them to be 1)`},
	{"bytes", `inplace="0"`, `inplace="0" minBytes="9" maxBytes="8"`, `a.xml:1: minBytes 9, maxBytes 8 (expected minBytes at most maxBytes)`},
	{"no bytes", `inplace="0"`, `inplace="0" minBytes="-9"`, `a.xml:1: algo minBytes="-9" (expected a number of bytes)`},
	{"maxcount", `inplace="0"`, `inplace="0" maxcount="0"`, `a.xml:1: algo maxcount="0" (expected a whole number from 1 to 1048576)`},
	{"nthreadblocks", `inplace="0"`, `inplace="0" nthreadblocks="2"`, `a.xml:11: gpu 1 has 1 (expected 2 tbs, as nthreadblocks says)`},

	// Ranks, threadblocks, steps.
	{"a rank that does not exist", `send="1"`, `send="2"`, `a.xml:3: tb send="2": there is no rank 2 (expected -1, or 0 to 1)`},
	{"a rank below all", `recv="1"`, `recv="-2"`, `a.xml:3: tb recv="-2": there is no rank -2 (expected -1, or 0 to 1)`},
	{"no rank", `recv="1"`, `recv=""`, `a.xml:3: tb recv="" (expected a rank, or -1 for none)`},
	{"its own rank", `send="1"`, `send="0"`, `a.xml:3: tb send="0" is its own rank (expected another rank, or -1)`},
	{"gpu that does not exist", `gpu id="1"`, `gpu id="2"`, `a.xml:11: gpu id="2": there is no rank 2 (expected 0 to 1, by ngpus)`},
	{"gpu twice", `gpu id="1"`, `gpu id="0"`, `a.xml:11: gpu id 0 again, as in line 2 (expected each once)`},
	{"gpu missing", `ngpus="2"`, `ngpus="3"`, `a.xml: no gpu id 2 (expected 3 gpus)`},
	{"tb twice", `tb id="1"`, `tb id="0"`, `a.xml:7: tb id 0 again, as in line 3 (expected each once)`},
	{"tb numbers", `tb id="1"`, `tb id="2"`, `a.xml:7: tb id 2 of 2 tbs (expected the numbers from 0 on)`},
	{"channel", `recv="1" chan="0"`, `recv="1" chan="2"`, `a.xml:3: tb chan 2 (expected 0 to 1, by nchannels)`},
	{"no channel", `recv="1" chan="0"`, `recv="1" chan="-1"`, `a.xml:3: tb chan -1 (expected 0 to 1, by nchannels)`},
	{"step order", `step s="1"`, `step s="2"`, `a.xml:5: step s=2 (expected s=1: in order from 0)`},
	{"send to nobody", `send="1"`, `send="-1"`, `a.xml:4: step type "s" in a tb that sends to nobody (expected a tb with send, a rank)`},
	{"receive from nobody", `recv="1"`, `recv="-1"`, `a.xml:5: step type "rrc" in a tb that receives from nobody (expected a tb with recv, a rank)`},
	{"no chunks", `cnt="1" depid="1"`, `cnt="0" depid="1"`, `a.xml:5: step type "rrc" of 0 chunks (expected at least 1)`},
	{"out of the input", `srcoff="0" dstbuf="s"`, `srcoff="1" dstbuf="s"`, `a.xml:4: chunk i[1] (expected chunks of buffer i, which has 1)`},
	{"out of the output", `dstbuf="o" dstoff="0" cnt="1" depid="1"`, `dstbuf="o" dstoff="-1" cnt="1" depid="1"`, `a.xml:5: chunk o[-1] (expected chunks of buffer o, which has 1)`},
	{"out of the scratch", `dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"`, `dstbuf="s" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"`, `a.xml:8: chunk s[1] (expected chunks of buffer s, which has 1)`},
	{"too many", `cnt="1" depid="-1" deps="-1" hasdep="0"`, `cnt="2" depid="-1" deps="-1" hasdep="0"`, `a.xml:4: chunks i[0] to i[1] (expected chunks of buffer i, which has 1)`},
	{"chunks of a loop", `nchunksperloop="1"`, `nchunksperloop="2"`, `a.xml:2: gpu 0: i_chunks 1 (expected 0 or 2: allreduce of 2 chunks among 2 ranks)`},
	{"chunks of the output", `o_chunks="1"`, `o_chunks="3"`, `a.xml:2: gpu 0: o_chunks 3 (expected 0 or 1: allreduce of 1 chunk among 2 ranks)`},
	{"odd chunks", `coll="allreduce"`, `coll="alltoall"`, `a.xml:2: alltoall of nchunksperloop 1 (expected a multiple of ngpus, 2)`},
	{"no steps", good[strings.Index(good, "<gpu"):], `<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="1"/><gpu id="1" i_chunks="1" o_chunks="1" s_chunks="1"/></algo>`, "a.xml: no steps (expected gpus with tbs with steps)"},

	// Dependences.
	{"half a dependence", `depid="1" deps="0"`, `depid="-1" deps="0"`, `a.xml:5: step depid -1, deps 0 (expected both, or -1 for both)`},
	{"on no tb", `depid="1" deps="0"`, `depid="2" deps="0"`, `a.xml:5: step depid 2: gpu 0 has no such tb (expected 0 to 1)`},
	{"on no step", `depid="1" deps="0"`, `depid="1" deps="1"`, `a.xml:5: step deps 1: tb 1 of gpu 0 has no such step (expected 0 to 0)`},
	{"on a tb without steps", `<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>`, "", `a.xml:5: step depid 1: tb 1 of gpu 0 has no steps (expected a tb with steps)`},
	{"on itself", `depid="1" deps="0"`, `depid="0" deps="1"`, `a.xml:5: step 1 depends on step 1 of its own tb (expected an earlier step, or one of another tb)`},
	{"hasdep", `hasdep="1"`, `hasdep="0"`, `a.xml:8: step hasdep 0, but step 1 of tb 0 (line 5) depends on it (expected hasdep 1)`},
	{"hasdep value", `hasdep="1"`, `hasdep="2"`, `a.xml:8: step hasdep="2" (expected a whole number from 0 to 1)`},

	// Connections.
	{"one channel, two tbs", `<tb id="1" send="-1"`, `<tb id="1" send="1"`, `a.xml:7: tb 1 of gpu 0 sends to rank 1 on channel 0, as the tb of line 3 does (expected a channel of its own for each)`},
	{"one channel, two receivers", `send="-1" recv="-1"`, `send="-1" recv="1"`, `a.xml:7: tb 1 of gpu 0 receives from rank 1 on channel 0, as the tb of line 3 does (expected a channel of its own for each)`},
	{"nobody receives", `recv="1" chan="0"`, `recv="1" chan="1"`, `a.xml:3: rank 0 sends 1 time to rank 1 on channel 1, which receives 0 (expected as many receives)`},
	{"more sends", `type="cpy" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>`, `type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="0" deps="0" hasdep="1"/>`, `a.xml:4: step hasdep 0, but step 0 of tb 1 (line 8) depends on it (expected hasdep 1)`},
}

func TestBadFiles(t *testing.T) {
	for _, row := range badInput {
		t.Run(row.name, func(t *testing.T) {
			require.Contains(t, good, row.old)
			text := strings.Replace(good, row.old, row.new, 1)
			if row.name == "another root" {
				text = strings.ReplaceAll(good, row.old, row.new)
			}
			_, err := Parse("a.xml", strings.NewReader(text))
			require.EqualError(t, err, row.want)
		})
	}
}

func TestSendsAndReceivesOfDifferentSize(t *testing.T) {
	text := two("allreduce", 2, 0, "s i0 s0; r o0 o0/s i0 s0; r o0 o0")
	text = strings.Replace(text, `cnt="1"`, `cnt="2"`, 1)
	_, err := Parse("a.xml", strings.NewReader(text))
	require.EqualError(t, err, "a.xml:4: rank 0 tb 0 step 0 sends 2 chunks, of which rank 1 tb 0 step 1 (line 11) receives 1 (expected as many)")
}

func TestThreadblocksThatWaitForEachOther(t *testing.T) {
	a, err := Parse("a.xml", strings.NewReader(two("allreduce", 1, 0, "r o0 o0; s i0 s0/r o0 o0; s i0 s0")))
	require.NoError(t, err)
	_, err = a.Flow(0)
	require.EqualError(t, err, "a.xml:4: rank 0 tb 0 step 0 waits for rank 1 tb 0 step 1 (line 11), which waits for rank 1 tb 0 step 0 (line 10), "+
		"which waits for rank 0 tb 0 step 1 (line 5), which waits for rank 0 tb 0 step 0 (line 4) (expected an order without circles)")
	text := strings.Replace(good, `depid="-1" deps="-1" hasdep="1"`, `depid="0" deps="1" hasdep="1"`, 1)
	text = strings.Replace(text, `depid="1" deps="0" hasdep="0"`, `depid="1" deps="0" hasdep="1"`, 1)
	a, err = Parse("a.xml", strings.NewReader(text))
	require.NoError(t, err)
	_, err = a.Flow(0)
	require.EqualError(t, err, "a.xml:5: rank 0 tb 0 step 1 waits for rank 0 tb 1 step 0 (line 8), which waits for rank 0 tb 0 step 1 (line 5) (expected an order without circles)")
}

func TestRaces(t *testing.T) {
	text := strings.Replace(good, `dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"`, `dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"`, 1)
	a, err := Parse("a.xml", strings.NewReader(text))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure) // the dependence orders copy and sum
	a, err = Parse("a.xml", strings.NewReader(strings.Replace(text, `depid="1" deps="0"`, `depid="-1" deps="-1"`, 1)))
	require.NoError(t, err)
	f, err = a.Flow(0)
	require.NoError(t, err)
	require.EqualError(t, f.Failure, "race for o[0] of rank 0: rank 0 tb 1 step 0 (line 8) and rank 0 tb 0 step 1 (line 5) are in no order")
	require.Equal(t, 1, f.Races)
	// A read that a later write may overtake.
	text = strings.Replace(good, `type="cpy" srcbuf="i" srcoff="0" dstbuf="s"`, `type="cpy" srcbuf="i" srcoff="0" dstbuf="i"`, 1)
	a, err = Parse("a.xml", strings.NewReader(text))
	require.NoError(t, err)
	f, err = a.Flow(0)
	require.NoError(t, err)
	require.ErrorContains(t, f.Failure, "race for i[0] of rank 0: rank 0 tb ")
}

// An algorithm that needs separate buffers does not do in place; one that is for
// both must do with both.
func TestBuffers(t *testing.T) {
	a, err := Parse("a.xml", strings.NewReader(directAlltoall(2)))
	require.NoError(t, err)
	f, err := a.With(Separate).Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure)
	f, err = a.With(InPlace).Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure) // between two ranks it does
	a, err = Parse("a.xml", strings.NewReader(directAlltoall(3)))
	require.NoError(t, err)
	f, err = a.With(InPlace).Flow(0)
	require.NoError(t, err)
	require.EqualError(t, f.Failure, "race for o[0] of rank 1, in place the same as i[0]: rank 1 tb 1 step 0 (line 21) and rank 1 tb 0 step 1 (line 18) are in no order; 5 other races")
	text := strings.Replace(ringAllreduce(3), `outofplace="0"`, `outofplace="1"`, 1)
	a, err = Parse("a.xml", strings.NewReader(text))
	require.NoError(t, err)
	f, err = a.Flow(0)
	require.NoError(t, err)
	require.EqualError(t, f.Failure, "with separate buffers: rank 0: o[0] is empty, expected i[0] of rank 0, i[0] of rank 1, i[0] of rank 2; 8 other chunks wrong")
}

// What the decoder would keep in memory is refused as soon as it is too long: a comment or a value without an end.
func TestLongSpansAreRefused(t *testing.T) {
	long := strings.Repeat("x\n", maxSpan/2)
	for _, row := range []struct{ name, text, want string }{
		{"comment", good[:strings.Index(good, ">")+1] + "<!--" + long, "f.xml:1: more than 1048576 bytes without a tag (expected elements such as <algo …>)"},
		{"value", good[:strings.Index(good, "name=")+6] + long, "f.xml:1: more than 1048576 bytes without a tag (expected elements such as <algo …>)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse("f.xml", strings.NewReader(row.text))
			require.EqualError(t, err, row.want)
		})
	}
	_, err := Parse("f.xml", strings.NewReader(strings.Repeat("\n", maxSpan-100)+good))
	require.NoError(t, err)
}
