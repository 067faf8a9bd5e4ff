// SPDX-License-Identifier: Apache-2.0

package input

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// endless gives the same text again and again, and counts what was taken.
type endless struct {
	text  string
	at    int
	taken int
}

// Read implements io.Reader.
func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.at]
		e.at = (e.at + 1) % len(e.text)
	}
	e.taken += len(p)
	return len(p), nil
}

// What never ends is refused at its bounds, and what is no text at once.
func TestEndlessTexts(t *testing.T) {
	for _, row := range []struct {
		name, text string
		most       Bounds
		taken      int // about
		want       string
	}{
		{"zeros", "\x00", ordinary(), 1 << 16, "f:1: not a text (expected a text file)"},
		{"a zero in line 3", "a\nb\n\x00\n", ordinary(), 1 << 16, "f:3: not a text (expected a text file)"},
		{"one line", "a", ordinary(), 1 << 20, "f:1: a line of more bytes (expected at most 1048576)"},
		{"lines", "y\n", Bounds{1 << 18, 1 << 10}, 1 << 18, "f:131073: a text of more bytes (expected at most 262144)"},
		{"a long line behind short ones", "y\n" + strings.Repeat("z", 100), Bounds{1 << 18, 99}, 1 << 16, "f:2: a line of more bytes (expected at most 99)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := &endless{text: row.text}
			text, err := ReadAll("f", r, row.most)
			require.EqualError(t, err, row.want)
			require.LessOrEqual(t, len(text), row.taken)
			require.LessOrEqual(t, r.taken, row.taken+1<<17)
		})
	}
}

// At the bounds a text is read, one byte more is refused.
func TestBounds(t *testing.T) {
	most := Bounds{Bytes: 12, Line: 5}
	for _, row := range []struct{ text, want string }{
		{"", ""}, {"12345", ""}, {"12345\n", ""}, {"12345\n12345\n", ""}, {"\n\n\n", ""},
		{"123456", "f:1: a line of more bytes (expected at most 5)"},
		{"1\n123456\n", "f:2: a line of more bytes (expected at most 5)"},
		{"12345\n12345\n1", "f:3: a text of more bytes (expected at most 12)"},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(row.text), "bytes": iotest.OneByteReader(strings.NewReader(row.text))} {
			text, err := ReadAll("f", r, most)
			if row.want != "" {
				require.EqualError(t, err, row.want, name)
				continue
			}
			require.NoError(t, err, name)
			require.Equal(t, row.text, string(text), name)
		}
	}
}

func TestLinesAreNumbered(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	got := ""
	err := Lines("f", strings.NewReader("\xef\xbb\xbfa\n\n"+long+"\nb"), LongLines(), func(line []byte, number int) error {
		got += fmt.Sprint(number, ":", len(line), " ")
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, "1:2 2:1 3:131073 4:1 ", got)
	stop := errors.New("stop")
	require.Equal(t, stop, Lines("f", &endless{text: "a\n"}, ordinary(), func([]byte, int) error { return stop }))
}

func TestReadersErrorIsKept(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := ReadAll("f", io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), ordinary())
	require.EqualError(t, err, "f: disk on fire (expected a file that can be read)")
	require.ErrorIs(t, err, broken)
}
