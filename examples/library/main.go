// SPDX-License-Identifier: Apache-2.0

// Command library shows how another module uses meshwright: see docs/library.md.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, part := range []func(context.Context) error{allGather, watchLink, loadMesh, runProgram, checkSchedule, ownSchedule, ownAlgorithm, exportVerilog, refusals} {
		if err := part(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
