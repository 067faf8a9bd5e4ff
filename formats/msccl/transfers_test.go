// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// written is an algorithm as a file.
func written(t testing.TB, a *Algorithm) string {
	var b strings.Builder
	require.NoError(t, a.Write(&b))
	return b.String()
}

// What Write wrote is read as the same algorithm, but for the lines.
func TestWriteThenParse(t *testing.T) {
	for _, text := range []string{good, ringAllgather(3), ringAllreduce(4), directAlltoall(3), hierarchicalAllreduce(2, 3), strings.Replace(good, `name="`, `name="&lt;&quot;&#10;`, 1)} {
		a, err := Parse("f.xml", strings.NewReader(text))
		require.NoError(t, err)
		again, err := Parse("f.xml", strings.NewReader(written(t, a)))
		require.NoError(t, err)
		withoutLines(a)
		withoutLines(again)
		a.ops, again.ops = nil, nil
		require.Equal(t, a, again)
	}
}

func withoutLines(a *Algorithm) {
	for i := range a.GPUs {
		a.GPUs[i].Line = 0
		for k := range a.GPUs[i].Blocks {
			b := &a.GPUs[i].Blocks[k]
			b.Line = 0
			for s := range b.Steps {
				b.Steps[s].Line = 0
			}
		}
	}
}

// oneBuffer is a PE's block as one buffer.
func oneBuffer(buffer byte) func(router.NodeID, int) Place {
	return func(_ router.NodeID, chunk int) Place { return Place{buffer, chunk} }
}

func none(int) int { return 0 }

// An allreduce of two ranks: each adds what the other sends; the second step must come behind the first.
func TestFromTransfers(t *testing.T) {
	half := func(k int) transfer.Set { return transfer.Set{{From: 4 * k, To: 4*k + 4}} }
	l := &transfer.List{Nodes: 2, Transfers: []transfer.Transfer{
		{Step: 0, From: 0, To: 1, Out: half(1), Op: transfer.Add}, {Step: 0, From: 1, To: 0, Out: half(0), Op: transfer.Add},
		{Step: 1, From: 0, To: 1, Out: half(0)}, {Step: 1, From: 1, To: 0, Out: half(1)},
	}}
	a, err := fromTransfers(l, promise{Name: "halves", Collective: "allreduce", InPlace: true, Words: 4, Chunks: 2, Scratch: none, Place: oneBuffer('i')})
	require.NoError(t, err)
	require.Equal(t, `<algo name="halves" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1" outofplace="0" minBytes="0" maxBytes="0">
  <gpu id="0" i_chunks="2" o_chunks="2" s_chunks="0">
    <tb id="0" send="1" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="0" chan="0">
      <step s="0" type="rrc" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
</algo>
`, written(t, a))
}

// Messages that are taken in another order than they are sent have channels of their own, and chunks that do
// not stand together are several steps.
func TestFromTransfersOfMixedOrders(t *testing.T) {
	word := func(list ...int) (s transfer.Set) {
		for _, w := range list {
			s = append(s, transfer.Range{From: w, To: w + 1})
		}
		return s
	}
	l := &transfer.List{Nodes: 2, Timed: true, Transfers: []transfer.Transfer{
		{From: 0, To: 1, Out: word(0, 2), Start: 0, Due: 20}, {From: 0, To: 1, Out: word(1, 3), Start: 5, Due: 10},
	}}
	a, err := fromTransfers(l, promise{Name: "crossed", Collective: "broadcast", InPlace: true, Words: 1, Chunks: 4, Scratch: none, Place: oneBuffer('i')})
	require.NoError(t, err)
	require.Equal(t, 2, a.Channels)
	require.Len(t, a.GPUs[0].Blocks, 2)
	require.Len(t, a.GPUs[0].Blocks[0].Steps, 2)
}

func TestFromTransfersRefuses(t *testing.T) {
	l := &transfer.List{Nodes: 3, Transfers: []transfer.Transfer{{From: 0, To: 1, Out: transfer.Set{{From: 0, To: 2}}}}}
	from := promise{Name: "x", Collective: "broadcast", InPlace: true, Words: 1, Chunks: 2, Scratch: none, Place: oneBuffer('i')}
	_, err := fromTransfers(l, from)
	require.EqualError(t, err, "rank 2: o[0] lacks i[0] of rank 0, holds wrongly i[0] of rank 2; 1 other chunk wrong (expected an algorithm that does what broadcast promises)")
	from.Collective = "allgather"
	_, err = fromTransfers(l, from)
	require.EqualError(t, err, "2 chunks among 3 ranks (expected a length that the nodes divide)")
	from.Chunks = maxChunks + 1
	_, err = fromTransfers(l, from)
	require.EqualError(t, err, "1048577 chunks on 3 ranks (expected at most 1048576 chunks and 16384 ranks)")
}
