// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// Any text either assembles, then lists, and survives a round trip through the disassembler, or gives errors that name its lines.
func FuzzAssemble(f *testing.F) {
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Assemble("fuzz.s", strings.NewReader(source))
		if strings.Contains(source, "\x00") {
			require.ErrorContains(t, err, "not a text")
			return
		}
		if err != nil {
			requireLines(t, err, strings.Count(source, "\n")+1)
			return
		}
		require.Len(t, p.Source, len(p.Code))
		require.NoError(t, Listing(io.Discard, p))
		if len(p.Code) > 0 {
			requireReassembles(t, p.Code)
		}
	})
}

func requireLines(t *testing.T, err error, lines int) {
	var list ErrorList
	require.ErrorAs(t, err, &list)
	require.NotEmpty(t, list)
	last := 1
	for _, e := range list {
		require.GreaterOrEqual(t, e.Line, last)
		require.LessOrEqual(t, e.Line, lines)
		require.NotContains(t, e.Error(), "\n")
		last = e.Line
	}
}

// Any files either assemble to what they are with each include spelled out, or give errors that name their lines.
func FuzzInclude(f *testing.F) {
	f.Fuzz(func(t *testing.T, program, a, b string) {
		files := fstest.MapFS{"t.s": {Data: []byte(program)}, "a.s": {Data: []byte(a)}, "d/b.s": {Data: []byte(b)}}
		p, err := AssembleFS(files, "t.s")
		var list ErrorList
		if errors.As(err, &list) {
			require.NotEmpty(t, list)
			for _, e := range list {
				require.Contains(t, files, e.Name)
				require.LessOrEqual(t, e.Line, strings.Count(string(files[e.Name].Data), "\n")+1)
				require.NotContains(t, e.Error(), "\n")
			}
		}
		if err != nil {
			return
		}
		require.NoError(t, Listing(io.Discard, p))
		require.Equal(t, spelledOut(t, files, "t.s").Code, p.Code)
	})
}

// Any word is refused, or it is the one word of its instruction and of its text.
func FuzzDecode(f *testing.F) {
	f.Fuzz(func(t *testing.T, word uint32) {
		i, err := Decode(word)
		if err != nil {
			require.Equal(t, Instruction{}, i)
			return
		}
		back, err := i.Encode()
		require.NoError(t, err)
		require.Equal(t, word, back)
		p, err := Assemble("fuzz.s", strings.NewReader(i.String()))
		require.NoError(t, err)
		require.Equal(t, []uint32{word}, p.Code)
	})
}
