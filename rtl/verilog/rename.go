// SPDX-License-Identifier: Apache-2.0

package verilog

import (
	"regexp"
	"strings"
)

// tokens of Verilog: comments, strings, directives, names (also escaped ones), numbers and single characters.
var tokens = regexp.MustCompile("//[^\n]*|(?s:/\\*.*?\\*/)|\"(?:[^\"\\\\\n]|\\\\.)*\"|`\\w+|\\\\\\S+|[A-Za-z_][\\w$]*|[0-9][\\w']*|\\S")

// name matches a name of Verilog; reserved words are among them.
var name = regexp.MustCompile(`^[A-Za-z_][\w$]*$`)

// RenameModules gives modules other names, where a source defines or instantiates them. Nets, ports and instances that are
// named as a module keep their names, and so do comments and strings.
//
// A module's name stands behind "module"; before "#(", where an instance has parameters; or before another name, that of the
// instance. Nowhere else two names stand side by side of which the first is not a reserved word.
func RenameModules(source string, names map[string]string) string {
	var code [][]int // tokens without comments
	for _, at := range tokens.FindAllStringIndex(source, -1) {
		if text := source[at[0]:at[1]]; !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "/*") {
			code = append(code, at)
		}
	}
	token := func(i int) string {
		if i < 0 || i >= len(code) {
			return ""
		}
		return source[code[i][0]:code[i][1]]
	}
	var b strings.Builder
	written := 0
	for i, at := range code {
		to, known := names[token(i)]
		if !known || token(i-1) != "module" && !(token(i+1) == "#" && token(i+2) == "(") && !name.MatchString(token(i+1)) {
			continue
		}
		b.WriteString(source[written:at[0]] + to)
		written = at[1]
	}
	return b.String() + source[written:]
}
