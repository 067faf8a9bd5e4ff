// SPDX-License-Identifier: Apache-2.0

package escape

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", ""},
		{"chip.csv", "chip.csv"},
		{"größe 東京 🐇 a\u00a0b\u2009c", "größe 東京 🐇 a\u00a0b\u2009c"},
		{`a"b\c'd`, `a"b\c'd`},
		{"a\nb\r\tc", `a\nb\r\tc`},
		{"\x1b[31mred", `\x1b[31mred`},
		{"\u009b31m", `\u009b31m`},
		{"a\u202eb\u2066\u200b\ufeff", `a\u202eb\u2066\u200b\ufeff`},
		{"a\u2028b\u2029", `a\u2028b\u2029`},
		{"\xff\xc3", `\xff\xc3`},
		{"\ufffd", "\ufffd"},
		{"\x00\x7f", `\x00\x7f`},
		{"\U000e0041", `\U000e0041`},
	} {
		require.Equal(t, row.want, Line(row.text))
	}
}

func TestXML(t *testing.T) {
	require.Equal(t, `a\nb&lt;/svg&gt;&#34;\x1b&amp;`, XML("a\nb</svg>\"\x1b&"))
}

func TestMessage(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, row := range []struct{ name, text, want string }{
		{"short", "a: b\n", `a: b\n`},
		{"a long word", "f.csv:1: " + long[:600] + " (expected less)", "f.csv:1: " + long[:255] + "…[217 bytes]…" + long[:128] + " (expected less)"},
		{"a long quoted value", `--root: "` + strings.Repeat(`a \"`, 200) + `" (expected less)`,
			`--root: "` + strings.Repeat(`a \"`, 63) + `a \…[418 bytes]… \"` + strings.Repeat(`a \"`, 31) + `" (expected less)`},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.want, Message(row.text)) })
	}
	for _, text := range []string{long, long + " " + long, strings.Repeat("é ", 50_000), strings.Repeat("\"", 99_999), strings.Repeat("\x1b", 100_000), `"` + strings.Repeat(`\`, 99_999)} {
		got := Message("--x: " + text + " (expected less)")
		require.LessOrEqual(t, len(got), longestMessage)
		require.True(t, utf8.ValidString(got))
		require.True(t, strings.HasPrefix(got, "--x: "), got[:20])
		require.True(t, strings.HasSuffix(got, " (expected less)"))
	}
}

func TestMarshalJSON(t *testing.T) {
	for _, text := range []string{"a\nb", "\x1b", "\u202e", "\U000e0041", "<&>", "東京", "\u2028"} {
		got, err := MarshalJSON(map[string]string{"a": text}, "  ")
		require.NoError(t, err)
		require.Equal(t, Line(strings.ReplaceAll(string(got), "\n", "")), strings.ReplaceAll(string(got), "\n", ""), "all is visible")
		var back map[string]string
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, text, back["a"])
	}
	_, err := MarshalJSON(func() {}, "")
	require.Error(t, err)
}

// However a text is cut into writes, the same comes out.
func TestWriter(t *testing.T) {
	text := "a\tb\n\x1b[0m größe 🐇 \u202e\xff\xe2\x82 \xf0\x9f"
	want := "a\tb\n" + `\x1b[0m größe 🐇 \u202e\xff\xe2\x82 \xf0\x9f`
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		w := NewWriter(&b)
		for at := 0; at < len(text); at += size {
			n, err := w.Write([]byte(text[at:min(at+size, len(text))]))
			require.NoError(t, err)
			require.Equal(t, min(size, len(text)-at), n)
		}
		require.NoError(t, w.Flush())
		require.Equal(t, want, b.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriterKeepsTheFirstError(t *testing.T) {
	w := NewWriter(full{})
	_, err := io.WriteString(w, "a")
	require.EqualError(t, err, "disk full")
	require.EqualError(t, w.err, "disk full")
	require.EqualError(t, w.Flush(), "disk full")
}

// Whatever goes in, one visible line comes out, and XML takes it.
func FuzzLine(f *testing.F) {
	f.Add("a\nb\x1b\xff\u202e</svg>")
	f.Fuzz(func(t *testing.T, text string) {
		got := Line(text)
		require.True(t, utf8.ValidString(got))
		require.False(t, strings.ContainsFunc(got, func(r rune) bool { return !visible(r, utf8.RuneLen(r)) }))
		require.Equal(t, got, Line(got))
		require.NoError(t, xml.Unmarshal([]byte(`<a b="`+XML(text)+`">`+XML(text)+`</a>`), new(struct{})))
		require.LessOrEqual(t, len(Message(text)), longestMessage+longestMessage/2)
	})
}
