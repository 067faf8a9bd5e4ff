// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// sources are the hand-written Verilog, as every export gets it.
//
//go:embed lib/*.v bench/*.v bench/*.sv bench/*.vlt bench/*.mk
var sources embed.FS

// sourceFiles lists the modules of the library, which synthesis and simulation read.
func sourceFiles() []string { return sourcesIn("lib") }

// benchFiles lists the modules of every bench, separated by blanks: the generated top, and the parts that drive and compare.
func benchFiles() string { return "bench.v " + strings.Join(sourcesIn("bench"), " ") }

// sourcesIn lists the modules in a folder.
func sourcesIn(folder string) []string {
	names, err := fs.Glob(sources, folder+"/*.v")
	if err != nil {
		panic("rtl: " + err.Error()) // the pattern is a constant
	}
	return names
}

// word matches a name of Verilog.
var word = regexp.MustCompile(`\w+`)

// needed lists the files of the library whose modules a text names, and those that these name in turn, in the order of the library.
func needed(text string) []string {
	names := map[string]bool{}
	for queue := []string{text}; len(queue) > 0; queue = queue[1:] {
		for _, name := range word.FindAllString(queue[0], -1) {
			module, err := sources.ReadFile("lib/" + name + ".v")
			if err == nil && !names[name] {
				names[name] = true
				queue = append(queue, string(module))
			}
		}
	}
	var files []string
	for _, file := range sourceFiles() {
		if base := path.Base(file); names[strings.TrimSuffix(base, ".v")] {
			files = append(files, base)
		}
	}
	return files
}
