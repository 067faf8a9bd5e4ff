// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/image"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []image.Segment
	}{
		{"a word a line", "00000001\n0000002a\n", []image.Segment{{0, []uint32{1, 42}, nil, []int{1, 2}}}},
		{"several a line, short, long forms", "1 2A\t_ff dead_beef", []image.Segment{{0, []uint32{1, 0x2a, 0xff, 0xdeadbeef}, nil, []int{1, 1, 1, 1}}}},
		{"addresses", "1\n@10\n2\n@1 3", []image.Segment{{0, []uint32{1}, nil, []int{1}}, {16, []uint32{2}, nil, []int{3}}, {1, []uint32{3}, nil, []int{4}}}},
		{"an address that is next", "1 @1 2", []image.Segment{{0, []uint32{1, 2}, nil, []int{1, 1}}}},
		{"wide words", "1_00000002 0000000000000003 40000000050000000000000006", []image.Segment{
			{0, []uint32{2, 3, 6}, map[int][]uint32{0: {1}, 2: {0, 5, 0x40}}, []int{1, 1, 1}},
		}},
		{"comments", "// 5\n1 // 6\n/* 7\n8 */ 2 /* 9 */ 3\r\n", []image.Segment{{0, []uint32{1, 2, 3}, nil, []int{2, 4, 4}}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := image.Parse("f", []byte(row.text))
			require.NoError(t, err)
			require.Equal(t, row.want, got.Segments)
		})
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	const form = " (expected hexadecimal words, @address or // comments)"
	for _, row := range []struct{ text, want string }{
		{"", "f: no words" + form},
		{"// 1\n", "f: no words" + form},
		{"1\nxyz\n", `f:2: "xyz" is not a word` + form},
		{"12345678g12345678", `f:1: "12345678g12345678" is not a word` + form},
		{strings.Repeat("0", 129), "f:1: a word of 129 digits (expected at most 128)"},
		{"x y\n1\nz", `f:1: "x" is not a word` + form + "\n" + `f:3: "z" is not a word` + form},
		{"1\n2\n@1\n3", "f:4: address @1 is set twice (expected each address once; the other word is on line 2)"},
		{"@10 1\n2\n@11\n3 @10 4", "f:4: address @10 is set twice (expected each address once; the other word is on line 1)"},
		{"@2\n1\n@0 2\n3\n4", "f:5: address @2 is set twice (expected each address once; the other word is on line 2)"},
		{"-1", `f:1: "-1" is not a word` + form},
		{"1/2", `f:1: "1/2" is not a word` + form},
		{"@", `f:1: "@" is not a word` + form},
		{"@10000000 1", `f:1: address "@10000000" (expected an address below @10000000)`},
		{"@fffffff 1 2", "f:1: too many words (expected at most 2^28 words)"},
		{"1\n/* 2\n3", "f:2: the comment does not end (expected */)"},
	} {
		t.Run(row.text, func(t *testing.T) {
			_, err := image.Parse("f", []byte(row.text))
			require.EqualError(t, err, row.want)
		})
	}
}

func TestWideWordsGoThereAndBack(t *testing.T) {
	memory := []uint32{1, 2, 3, 0, 4, 0, 0, 0}
	var text bytes.Buffer
	require.NoError(t, image.Write(&text, memory, 4))
	require.Equal(t, "00000000000000030000000200000001\n00000000000000000000000000000004\n", text.String())
	got, err := image.Parse("f", text.Bytes())
	require.NoError(t, err)
	read := slices.Repeat([]uint32{9}, len(memory))
	got.CopyTo(read, 4)
	require.Equal(t, memory, read)
	require.NoError(t, got.Fits(3))
	require.EqualError(t, got.Fits(2), "f:1: a word of more than 64 bits (expected words of up to 16 hex digits)")
	require.Equal(t, []uint32{3, 0}, []uint32{got.Segments[0].Element(0, 2), got.Segments[0].Element(0, 3)})
}

func TestWordsGoThereAndBack(t *testing.T) {
	words := []uint32{0, 1, 0xffffffff}
	var text bytes.Buffer
	require.NoError(t, image.Write(&text, words, 1))
	got, err := image.Parse("f", text.Bytes())
	require.NoError(t, err)
	memory := make([]uint32, got.Size())
	got.CopyTo(memory, 1)
	require.Equal(t, words, memory)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("1 @10 2 // c\n/* */ dead_beef"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := image.Parse("f", text)
		if err != nil {
			return
		}
		words := 0
		for _, s := range got.Segments {
			require.Len(t, s.Lines, len(s.Words))
			words += len(s.Words)
		}
		require.Positive(t, words)
		require.LessOrEqual(t, got.Size(), image.MaxWords)
	})
}
