// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"embed"
	"io/fs"
)

//go:embed lib/*.v bench/*.v bench/*.vlt
var sources embed.FS

// Library returns the hand-written Verilog modules: lib/*.v and bench/*.v.
func Library() fs.FS { return sources }

// SourceFiles lists the files of Library that synthesis and simulation read.
func SourceFiles() []string {
	names, err := fs.Glob(sources, "lib/*.v")
	if err != nil {
		panic("rtl: " + err.Error()) // the pattern is a constant
	}
	return names
}
