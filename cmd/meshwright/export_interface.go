// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/rtl"
)

// interfaceFlag says what an exported network shows at its PEs.
type interfaceFlag struct{ name string }

// The values of --interface.
const (
	flitPorts   = "flits"
	streamPorts = "axis"
)

func (f *interfaceFlag) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "interface", flitPorts, "the PEs' `ports`: flits, or axis, AXI4-Stream with back-pressure in a module fabric_axis")
}

func (f *interfaceFlag) check() error {
	if f.name != flitPorts && f.name != streamPorts {
		return input.At("--interface", 0, "expected flits or axis", "%q", input.Clip(f.name))
	}
	return nil
}

// checkNetwork refuses a network that cannot have the interface, before it runs.
func (f *interfaceFlag) checkNetwork(ctx context.Context, n *fabric.Network) error {
	if f.name == flitPorts {
		return nil
	}
	return rtl.CheckStreams(ctx, n)
}

func (f *interfaceFlag) add(r *rtl.Recorder) {
	if f.name == streamPorts {
		r.AddStreams()
	}
}
