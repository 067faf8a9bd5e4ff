// SPDX-License-Identifier: Apache-2.0

package msccl_test

import (
	"fmt"
	"strings"

	"meshwright/formats/msccl"
)

// Rank 1 forgets to add: it only stores what rank 0 sends.
func ExampleAlgorithm_Flow() {
	a, err := msccl.Parse("pair.xml", strings.NewReader(`
<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="1" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="1" o_chunks="0" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>`))
	if err != nil {
		panic(err)
	}
	flow, err := a.Flow(0)
	if err != nil {
		panic(err)
	}
	list, _ := flow.List(16)
	messages, flits := list.Messages()
	fmt.Println(messages, "messages,", flits, "flits")
	fmt.Println(flow.Failure)
	// Output:
	// 2 messages, 32 flits
	// rank 1: o[0] lacks i[0] of rank 1; rank 1 tb 0 step 1 (line 12) wrote it
}
