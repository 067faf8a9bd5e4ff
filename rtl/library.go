// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"embed"
	"io/fs"
	"strings"
)

// sources are the hand-written Verilog, as every export gets it.
//
//go:embed lib/*.v bench/*.v bench/*.sv bench/*.vlt bench/*.mk
var sources embed.FS

// sourceFiles lists the modules of the library, which synthesis and simulation read.
func sourceFiles() []string { return sourcesIn("lib") }

// BenchFiles lists the modules of every bench, separated by blanks: the generated top, and the parts that drive and compare.
func BenchFiles() string { return "bench.v " + strings.Join(sourcesIn("bench"), " ") }

// sourcesIn lists the modules in a folder.
func sourcesIn(folder string) []string {
	names, err := fs.Glob(sources, folder+"/*.v")
	if err != nil {
		panic("rtl: " + err.Error()) // the pattern is a constant
	}
	return names
}
