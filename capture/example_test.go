// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// A node sends three flits over two links; the trace and the table show where
// each is when. (Errors, which all of these return, are left out.)
func Example() {
	topo, _ := topology.Parse("path:3")
	bufferless, _ := machine.Preset("bufferless")
	net, _ := fabric.New(topo, bufferless)

	dir, _ := os.MkdirTemp("", "capture")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.csv")
	trace, _ := capture.Open(path, net, capture.Options{})
	table, _ := capture.NewTable(net, capture.Options{})
	net.Attach(trace)
	net.Attach(table)
	net.Attach(newScript([]send{{0, fabric.Message{Source: 0, Destination: 2, Tag: 7, Words: []uint32{10, 20, 30}}}}))
	_ = net.Run(context.Background(), 100)
	_ = trace.Close()

	rows, _ := os.ReadFile(path)
	fmt.Println(string(rows))
	_ = table.Write(os.Stdout)
	// Output:
	// cycle,from,to,source,destination,message,flit,value,kind
	// 0,0,1,0,2,1,1,10,data
	// 1,0,1,0,2,1,2,20,data
	// 1,1,2,0,2,1,1,10,data
	// 2,0,1,0,2,1,3,30,data
	// 2,1,2,0,2,1,2,20,data
	// 3,1,2,0,2,1,3,30,data
	//
	// step,P0,P1,P2
	// 0,m7.1,,
	// 1,m7.2,m7.1,
	// 2,m7.3,m7.2,m7.1
	// 3,,m7.3,m7.2
	// 4,,,m7.3
}

// The table without a network: from the events of another witness.
func ExampleTableBuilder() {
	table := capture.NewTableBuilder(2)
	table.Add(capture.Event{Cycle: 4, Node: 0, Message: 1, Flit: 1})
	table.Add(capture.Event{Cycle: 5, Node: 1, Arrival: true, Message: 1, Flit: 1})
	table.Add(capture.Event{Cycle: 6, Node: 0, Arrival: true, Kind: router.Order, Value: 3})
	_ = table.Write(os.Stdout)
	// Output:
	// step,P0,P1
	// 4,m1.1,
	// 5,,m1.1
	// 6,(3),
}
