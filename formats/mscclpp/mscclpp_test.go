// SPDX-License-Identifier: Apache-2.0

package mscclpp

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/formats/msccl"
	"meshwright/internal/input"
)

// example returns one of the examples.
func example(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../examples/imports/" + name + ".json")
	require.NoError(t, err)
	return string(text)
}

const (
	oneSided = "one-sided-allreduce-3"
	packets  = "packets-allreduce-2"
)

// two is a plan for two ranks, each with two threadblocks and two channels to the other.
func two(collective string, threads ...string) string {
	rank := func(id string, peer string, first, second string) string {
		block := func(id, ops string) string {
			return `{"id": ` + id + `, "channels": [{"channel_type": "memory", "channel_ids": [0, 1]}], "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0, 1]}], "ops": [
` + ops + "]}"
		}
		return `{"id": ` + id + `, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 2, "channels": [{"channel_type": "memory", "connected_to": [` + peer + ", " + peer + `]}],
"remote_buffers": [{"rank": ` + peer + `, "type": "o", "access_channel_types": ["memory"]}, {"rank": ` + peer + `, "type": "s", "access_channel_types": ["memory"]}], "threadblocks": [` + block("0", first) + ", " + block("1", second) + "]}"
	}
	return `{"name": "two", "collective": "` + collective + `", "protocol": "Simple", "inplace": false, "gpus": [` + rank("0", "1", threads[0], threads[1]) + ", " + rank("1", "0", threads[2], threads[3]) + "]}"
}

// The operations of the plans below.
const (
	signal0 = `{"name": "signal", "channel_ids": [0], "channel_type": "memory"}`
	signal1 = `{"name": "signal", "channel_ids": [1], "channel_type": "memory"}`
	wait0   = `{"name": "wait", "channel_ids": [0], "channel_type": "memory"}`
	wait1   = `{"name": "wait", "channel_ids": [1], "channel_type": "memory"}`
	meet    = `{"name": "barrier", "barrier_id": 0, "num_threadblocks": 2}`
	half0   = `, "tbg_info": {"tb_id": 0, "tbg_size": 2}}`
	half1   = `, "tbg_info": {"tb_id": 1, "tbg_size": 2}}`
	put     = `{"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 1, "size": 1}], "channel_type": "memory"}`
	keep    = `{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]}`
	share   = `{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 2}], "dst_buff": [{"type": "s", "index": 0, "size": 2}]`
	packet  = `{"name": "ppkt", "src_buff": [{"type": "i", "index": 1, "size": 1}], "dst_buff": [{"buffer_id": 1, "index": 0, "size": 1}], "channel_type": "memory"}`
	unpack  = `{"name": "upkt", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]}`
	reread  = `{"name": "copy", "src_buff": [{"type": "o", "index": 1, "size": 1}], "dst_buff": [{"type": "i", "index": 0, "size": 1}]}`
	get     = `{"name": "get", "src_buff": [{"buffer_id": 1, "index": 1, "size": 1}], "dst_buff": [{"type": "o", "index": 1, "size": 1}], "channel_type": "memory"`
	sum     = `{"name": "rre", "src_buff": [{"type": "i", "index": 0, "size": 2}, {"buffer_id": 1, "index": 0, "size": 2}], "dst_buff": [{"type": "o", "index": 0, "size": 2}], "channel_type": "memory", "reduce_op": "sum"`
)

// parse reads the text of a plan.
func parse(text string) (*msccl.Algorithm, error) { return Parse("f", []byte(text)) }

// withPackets is a plan of the protocol for packets.
func withPackets(text string) string { return strings.Replace(text, "Simple", "LL", 1) }

func ops(list ...string) string { return strings.Join(list, ",\n") }

func TestFlow(t *testing.T) {
	// Each rank copies its input to its scratch buffer by halves, and sums the other's with its own by halves.
	halves := func(between0, between1 []string) string {
		first := ops(append(append([]string{share + half0}, between0...), sum+half0)...)
		second := ops(append(append([]string{share + half1}, between1...), sum+half1)...)
		return two("allreduce", first, second, first, second)
	}
	for _, row := range []struct{ name, text, want string }{
		{"sums of other ranks' chunks", example(t, oneSided), ""},
		{"packets", example(t, packets), ""},
		{"halves of groups", halves([]string{signal0, wait0}, []string{signal1, wait1}), ""},
		{"other halves", strings.NewReplacer(sum+half0, sum+half1, sum+half1, sum+half0).Replace(halves([]string{signal0, wait0}, []string{signal1, wait1})),
			"race for s[2] of rank 0: rank 0 tb 1 step 0 (line 7) and rank 0 tb 2 step 0 (line 15) are in no order; 7 other races"},
		{"other halves behind a barrier", strings.NewReplacer(sum+half0, sum+half1, sum+half1, sum+half0).Replace(halves([]string{meet, signal0, wait0}, []string{meet, signal1, wait1})), ""},
		{"no signal", halves([]string{}, []string{}), "race for"},
		{"a relaxed signal orders nothing", strings.ReplaceAll(halves([]string{signal0, wait0}, []string{signal1, wait1}), `"signal"`, `"rlxsignal"`), "race for"},
		{"a relaxed wait orders nothing", strings.ReplaceAll(halves([]string{signal0, wait0}, []string{signal1, wait1}), `"wait"`, `"rlxwait"`), "race for"},
		{"the wrong half", strings.ReplaceAll(halves([]string{signal0, wait0}, []string{signal1, wait1}), sum+half1, sum+half0), "race for s[0] of rank 0: rank 0 tb 0 step 0 (line 3) and rank 0 tb 3 step 0 (line 19) are in no order; 7 other races"},
		{"a put read behind a packet alone", withPackets(two("allreduce", ops(put, packet, signal0), keep, ops(unpack, reread, wait0), `{"name": "nop"}`)), "race for o[1] of rank 1"},
		{"a put read behind its signal", withPackets(two("allreduce", ops(put, packet, signal0), keep, ops(unpack, wait0, reread), `{"name": "nop"}`)), "rank 0: o[0] lacks i[0] of rank 1"},
		{"a sum too many", strings.Replace(example(t, packets), `{"type": "s", "index": 0, "size": 1}]`, `{"type": "s", "index": 0, "size": 1}, {"type": "s", "index": 0, "size": 1}]`, 1),
			"rank 0: o[0] holds more than once i[0] of rank 1 (2 times); rank 0 tb 0 step 2 (line 9) wrote it; 1 other chunk wrong"},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, err := parse(row.text)
			require.NoError(t, err)
			flow, err := a.Flow(0)
			require.NoError(t, err)
			if row.want == "" {
				require.NoError(t, flow.Failure)
				return
			}
			require.ErrorContains(t, flow.Failure, row.want)
		})
	}
}

// A put is a send and a receive of the same place; a get waits for what the signal orders.
func TestPutAndGet(t *testing.T) {
	// Rank 0 puts i[0] to o[1] of rank 1; rank 1 shares its input, of which rank 0 gets s[1].
	text := two("allreduce", ops(put, signal0, wait0, get+"}", signal1), keep, ops(share+"}", signal0, wait0, wait1), keep)
	a, err := parse(text)
	require.NoError(t, err)
	flow, err := a.Flow(0)
	require.NoError(t, err)
	require.EqualError(t, flow.Failure, "rank 0: o[0] lacks i[0] of rank 1; rank 0 tb 1 step 0 (line 8) wrote it; 3 other chunks wrong")
	var kinds []msccl.Kind
	for _, g := range a.GPUs {
		for _, b := range g.Blocks {
			for _, s := range b.Steps {
				kinds = append(kinds, s.Kind)
			}
		}
	}
	require.Equal(t, []msccl.Kind{"cpy", "s", "r", "cpy", "cpy", "r", "nop", "s"}, kinds)
}

func TestBadPlans(t *testing.T) {
	swap := func(name, old, with string) string {
		text := example(t, name)
		require.Contains(t, text, old)
		return strings.Replace(text, old, with, 1)
	}
	for _, row := range []struct{ name, text, want string }{
		{"a put that a packet does not order", withPackets(two("allreduce", ops(put, packet), keep, unpack, keep)), `f:3: operation "put" writes o[1] of rank 1, which may end before that (expected a wait there for a signal behind it)`},
		{"waits for ever", swap(oneSided, `"signal"`, `"wait"`), `f:14: gpu 0 tb 0 op 6, "wait", waits for ever (expected what it waits for to happen)`},
		{"packets that do not come", swap(packets, `"buffer_id": 0, "index": 1`, `"buffer_id": 0, "index": 0`), `f:12: gpu 0 tb 1 op 0, "upkt", waits for ever (expected what it waits for to happen)`},
		{"packets twice", swap(packets, `"buffer_id": 0, "index": 2`, `"buffer_id": 0, "index": 1`), `f:9: operation "respkt" writes packets to s[1] of rank 1 a second time (expected one: which of them a reader gets depends on the time)`},
		{"a put without a signal", two("allreduce", put, keep, keep, keep), `f:3: operation "put" writes o[1] of rank 1, which may end before that (expected a wait there for a signal behind it)`},
		{"two at a channel", two("allreduce", signal0, signal0, keep, keep), `f:4: gpu 0 tb 1 signals over the channel of tb 0 (expected a channel of its own for each)`},
		{"two wait", two("allreduce", ops(signal0, signal0), keep, wait0, wait0), `f:8: gpu 1 tb 1 waits at the channel of tb 0 (expected a channel of its own for each)`},
		{"a barrier of three", two("allreduce", strings.Replace(meet, "2}", "1}", 1), meet, keep, keep), `f:4: barrier 0 of 2 threadblocks, and of others (expected the same threadblocks each time, as many as num_threadblocks)`},
		{"a barrier alone", two("allreduce", meet, keep, keep, keep), `f:3: gpu 0 tb 0 op 0, "barrier", waits for ever (expected what it waits for to happen)`},
		{"indices of a get", strings.Replace(two("allreduce", get+"}", keep, keep, keep), `"index": 1`, `"index": 0`, 1), `f:3: operation "get": from s[0] of rank 1 to o[1] of rank 0 (expected equal indices: the executor takes each at the index of the other)`},
		{"sizes of a copy", strings.Replace(two("allreduce", share+"}", keep, keep, keep), `{"type": "s", "index": 0, "size": 2}`, `{"type": "i", "index": 1, "size": 1}`, 1), `f:3: operation "copy": chunks of different sizes (expected equal sizes)`},
		{"collective", swap(oneSided, `"collective": "allreduce"`, `"collective": "allreduce2"`), `f:1: collective "allreduce2" (expected allreduce, allgather, reducescatter or alltoall)`},
		{"a switch", swap(oneSided, `"nop"`, `"glres"`), `f:10: operation "glres" (expected copies, puts, gets, sums, packets, signals and barriers: sums and stores in a switch are not modelled)`},
		{"unknown operation", swap(oneSided, `"nop"`, `"teleport"`), `f:10: operation "teleport" (expected an operation of MSCCL++)`},
		{"unknown field", swap(oneSided, `{"name": "nop"}`, `{"name": "nop", "times": 3}`), `f:10: operation "nop": field "times" (expected only fields that are understood)`},
		{"port", swap(oneSided, `0, 1], "channel_type": "memory"`, `0, 1], "channel_type": "port"`), `f:8: operation "rlxsignal" over a channel of type "port" (expected memory channels)`},
		{"largest", swap(oneSided, `"reduce_op": "sum"`, `"reduce_op": "max"`), `f:11: reduce_op "max" (expected sum)`},
		{"buffer of its own", swap(oneSided, `"rank": 1`, `"rank": 0`), `f:4: rank 0 is connected to itself (expected another rank)`},
		{"no such rank", swap(oneSided, `"rank": 1`, `"rank": 3`), `f:4: 3 (expected 0 to 2)`},
		{"chunks", swap(oneSided, `"input_chunks": 3`, `"input_chunks": 2`), `f:2: gpu 0 has 2 input_chunks and 3 output_chunks (expected 3 and 3: allreduce of 3 chunks among 3 ranks)`},
		{"chunk beyond its buffer", swap(oneSided, `"index": 0, "size": 1`, `"index": 0, "size": 4`), `f:11: field "size": 4 (expected 1 to 3)`},
		{"no chunks", swap(oneSided, `{"type": "i", "index": 0`, `{"type": "s", "index": 0`), `f:11: operation "rres": buffer s of gpu 0 has no chunks (expected a buffer with chunks)`},
		{"no channels of the gpu", swap(oneSided, `"connected_to": [1, 2]`, `"connected_to": []`), `f:6: channel_ids 0: the gpu has no memory channels (expected a gpu with memory channels)`},
		{"no channels of the threadblock", swap(oneSided, `"channel_ids": [0, 1]}`, `"channel_ids": []}`), `f:8: channel_ids 0: the threadblock has no memory channels (expected a threadblock with memory channels)`},
		{"no remote buffers of the gpu", swap(oneSided, `"remote_buffers": [{"rank": 1, "type": "i", "access_channel_types": ["memory"]}, {"rank": 2, "type": "i", "access_channel_types": ["memory"]}]`, `"remote_buffers": []`),
			`f:7: remote_buffer_ids 0: the gpu has no remote buffers (expected a gpu with remote buffers)`},
		{"no remote buffers of the threadblock", swap(oneSided, `"remote_buffer_ids": [0, 1]`, `"remote_buffer_ids": []`), `f:11: operation "rres": buffer_id in a threadblock that has no remote buffers (expected a threadblock with remote buffers)`},
		{"sizes", swap(oneSided, `"index": 0, "size": 1`, `"index": 0, "size": 2`), `f:11: operation "rres": chunks of different sizes (expected equal sizes)`},
		{"packets in the input", swap(packets, `{"type": "s", "index": 0`, `{"type": "i", "index": 0`), `f:9: operation "respkt": packets in buffer i (expected the scratch buffer, s)`},
		{"protocol", swap(packets, `"LL"`, `"Simple"`), `f:8: operation "ppkt": packets (expected a plan of protocol LL)`},
		{"chunks among packets", swap(packets, `"upkt", "src_buff": [{"type": "s", "index": 3`, `"copy", "src_buff": [{"type": "s", "index": 3`),
			`f:12: operation "copy": chunks in a scratch buffer that has packets, too (expected packets alone: a packet takes the room of two chunks)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := parse(row.text)
			require.EqualError(t, err, row.want)
		})
	}
}

// No wait of a plan can be left out: each such plan has a race, or could end too early.
func TestEveryWaitCounts(t *testing.T) {
	text := two("allreduce", ops(share+half0, signal0, wait0, sum+half0), ops(share+half1, signal1, wait1, sum+half1), ops(share+half0, signal0, wait0, sum+half0), ops(share+half1, signal1, wait1, sum+half1))
	waits := regexp.MustCompile(`\{"name": "wait"[^}]*\}`).FindAllStringIndex(text, -1)
	require.Len(t, waits, 4)
	for _, at := range waits {
		a, err := parse(text[:at[0]] + `{"name": "nop"}` + text[at[1]:])
		require.NoError(t, err)
		flow, err := a.Flow(0)
		require.NoError(t, err)
		var race *msccl.Race
		require.ErrorAs(t, flow.Failure, &race)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(example(f, oneSided))
	f.Add(example(f, packets))
	f.Add(two("allreduce", ops(put, signal0, wait0, get+half1, meet), ops(keep, meet), ops(share+"}", signal0, wait0), keep))
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parse(text)
		var fault *input.Error
		if err != nil {
			require.True(t, errors.As(err, &fault), err)
			return
		}
		flow, err := a.Flow(0)
		require.NoError(t, err, "an order in which the plan ran has no circles")
		if flow.Failure == nil && len(text) < 1<<14 && a.ChunksPerLoop < 1<<10 {
			flow.List(1)
		}
	})
}
