// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/rtl"
)

// exportVerilog writes the network of a broadcast as Verilog, with a bench and
// the vectors of the run.
func exportVerilog(ctx context.Context) error {
	mesh, err := topology.Parse("mesh:2x2")
	if err != nil {
		return err
	}
	wormhole, err := machine.Preset("wormhole")
	if err != nil {
		return err
	}
	plan, err := collective.Generate(ctx, "broadcast", "auto", collective.Job{
		Topology: mesh, Machine: wormhole, Root: 0, Lengths: slices.Repeat([]int{8}, mesh.Nodes()),
	})
	if err != nil {
		return err
	}
	var recorder *rtl.Recorder
	_, err = collective.Execute(ctx, plan, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return nil
	})
	if err != nil {
		return err
	}
	parent, err := os.MkdirTemp("", "library-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "chip")
	design, err := recorder.Export(dir)
	if err != nil {
		return err
	}
	top, err := os.ReadFile(filepath.Join(dir, "top.v"))
	if err != nil {
		return err
	}
	fmt.Printf("Verilog: %d chips, %d links, flits of %d bits; top.v has a module: %t\n",
		design.Chips, len(design.Links), design.FlitWidth, bytes.Contains(top, []byte("endmodule")))
	return nil
}
