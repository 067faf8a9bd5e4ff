// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"embed"
	"io/fs"
)

// sources are the hand-written Verilog, as every export gets it.
//
//go:embed lib/*.v bench/*.v bench/*.sv bench/*.vlt bench/*.mk
var sources embed.FS

// sourceFiles lists the modules of the library, which synthesis and simulation read.
func sourceFiles() []string {
	names, err := fs.Glob(sources, "lib/*.v")
	if err != nil {
		panic("rtl: " + err.Error()) // the pattern is a constant
	}
	return names
}
