// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// wide is a text in UTF-16, with its mark.
func wide(text string) string {
	b := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

const mark = "\xef\xbb\xbf" // what some editors put in front of a text

// oddFiles are texts in other forms than asked for.
var oddFiles = map[string]string{
	"empty": "", "tree.csv": treeText, "u16.csv": wide(treeText), "s.csv": scheduleText, "su16.csv": wide(scheduleText),
	"mu16.yaml": wide("buffer: 2\n"), "list.yaml": "- a\n- b\n", "scalar.yaml": "42\n", "null.yaml": "buffer: null\n", "anchor.yaml": "a: &a [*a]\n",
	"bomb.yaml": "a: &a [x,x]\nb: &b [*a,*a]\nbuffer: *b\n", "tab.yaml": "\tbuffer: 2\n", "dup.yaml": "buffer: 2\nbuffer: 3\n", "neg.yaml": "buffer: -2\n",
	"hex.yaml": "buffer: 0x10\n", "float.yaml": "buffer: 2.5\n", "big.yaml": "buffer: 1e999\n", "merge.yaml": "<<: {buffer: 2}\n", "top.yaml": "topology: nonsense:3\n",
	"preset.yaml": "preset: none\n", "p.s": "\thalt\n", "nul.s": "\thalt\x00\n", "u16be.s": "\x00\t\x00h\x00a\x00l\x00t\x00\n", "longline.s": "\tli r1, " + strings.Repeat("1", 200_000) + "\n",
	"loop.s": "x:\tjmp x\n", "lab.s": "x: x: x: halt\n", "equ.s": ".equ A, A\n\thalt\n", "self.s": ".equ B, 1<<99\n halt\n", "bad.hex": "0x000000\n",
	"x.xml": "<algo>", "ent.xml": "<!DOCTYPE a [<!ENTITY x \"y\">]><algo name=\"&x;\"/>", "xu16.xml": wide("<?xml version=\"1.0\" encoding=\"utf-16\"?><algo/>"),
	"deep.xml": strings.Repeat("<a>", 20_000), "emptyx.xml": "", "attr.xml": "<algo name=\"a\" name=\"b\"/>", "ns.xml": "<x:algo xmlns:x=\"u\"/>",
	"t.tdm": "\"nel|\"\n", "te.tdm": "", "tb.tdm": "\xff\n", "l.csv": "1,2\n", "lbig.csv": "1,99999999999999999999\n", "lneg.csv": "1,-2\n", "lq.csv": "\"1\",\"2\n", "lf.csv": "1,2.5\n",
	"semi.csv": "1;0;2;3;0\n", "tabs.csv": "1\t0\t2\t3\t0\n", "huge.csv": "1,0,2,1073741824,9223372036854775807\n", "neg.csv": "-1,0,2,3,0\n", "frac.csv": "1,0,2,3,0.5\n",
	"route.csv": "1,0,2,3,0,0>>2\n", "route2.csv": "1,0,2,3,0,>\n", "dupm.csv": "1,0,2,3,0\n1,0,2,3,9\n", "plus.csv": "+1,+0,+2,+3,+0\n", "hexs.csv": "0x1,0,2,3,0\n",
	"under.csv": "1_0,0,2,3,0\n", "arab.csv": "١,0,2,3,0\n",
}

// For odd input the program prints one line about the error, exits with code 2 and
// writes no file. Without a soak every second row runs.
func TestOddInput(t *testing.T) {
	dir := t.TempDir()
	for name, text := range oddFiles {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "emptyd"), 0o755))
	before := snapshot(t, dir)
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for _, row := range soak.Some(2, oddInput) {
		args := strings.Fields(row.args)
		got := meshwright(t, dir, args...)
		require.Equal(t, 2, got.code, row.args)
		require.Empty(t, got.stdout, row.args)
		require.True(t, strings.HasPrefix(got.stderr, "meshwright: "+row.want), "%s: %s", row.args, got.stderr)
		mastered(t, got, args...)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "loop")))
	require.Equal(t, before, snapshot(t, dir))
}

// Marks and line ends of other systems do not matter.
func TestMarksAndLineEnds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"t.csv": treeText, "m.yaml": "buffer: 2\n", "l.csv": "1,2\n2,1\n", "s.csv": scheduleText, "p.s": "\thalt\n", "p.hex": "00000000\n"} {
		for form, changed := range map[string]string{"bare_": text, "mark_": mark + text, "crlf_": strings.ReplaceAll(text, "\n", "\r\n"), "both_": mark + strings.ReplaceAll(text, "\n", "\r\n")} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, form+name), []byte(changed), 0o644))
		}
	}
	for _, args := range []string{"run scatter -t tree:*t.csv", "run scatter -t path:3 -m ./*m.yaml", "run scatter -t path:3 --lengths @*l.csv", "check *s.csv -t path:3", "run *s.csv -t path:3", "asm *p.s", "disasm *p.hex", "run *p.s -t path:3"} {
		said := func(form string) string {
			got := meshwright(t, dir, strings.Fields(strings.ReplaceAll(args, "*", form))...)
			require.Zero(t, got.code, "%s: %s", args, got.stderr)
			return strings.ReplaceAll(got.stdout, form, "bare_")
		}
		bare := said("bare_")
		for _, form := range []string{"mark_", "crlf_", "both_"} {
			require.Equal(t, bare, said(form), args)
		}
	}
}
