// SPDX-License-Identifier: Apache-2.0

package tables_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study/question"
	"meshwright/study/tables"
)

// Names of users may look like markup. They are shown as they are, and LaTeX learns which program takes their letters.
func TestMarkupOfNames(t *testing.T) {
	write := func(format string, names ...string) string {
		part := tables.Part{Title: "names", Header: []string{"name"}, Texts: []bool{true}}
		for _, name := range names {
			part.Rows = append(part.Rows, []string{name})
		}
		q, text := tables.Table{Study: &question.Study{Name: "# *odd*"}}, strings.Builder{}
		require.NoError(t, q.WriteMarkup(&text, format, []tables.Part{part}))
		return text.String()
	}
	for name, want := range map[string]string{
		"*fast*": `\*fast\*`, "__init__": `\_\_init\_\_`, "a_b_c": "a_b_c", "4*": "4*", "`x`": "\\`x\\`", "<b>": `\<b>`, "a\nb": `a\nb`,
		"[a](b)": `\[a\](b)`, "[1, 2]": "[1, 2]", "~~no~~": `\~\~no\~\~`, "&lt;": `\&lt;`, "a & b": "a & b", `\*`: `\\*`, `C:\x`: `C:\x`,
	} {
		require.Contains(t, write(".md", name), "\n| "+want+" |\n", name)
	}
	require.True(t, strings.HasPrefix(write(".md", "x"), "\\# \\*odd\\*\n\n"))
	const hint = "% Names with characters beyond ASCII: compile with lualatex or xelatex, and a font that has them.\n"
	require.True(t, strings.HasPrefix(write(".tex", "α"), hint+"% # *odd*\n"))
	require.NotContains(t, write(".tex", "4×4 → 8"), "beyond")
	require.Contains(t, write(".tex", "4×4 → 8"), `4$\times$4 $\rightarrow$ 8 \\`)
}

// What the two forms would take as signs of their own stands for itself.
func TestMarkupOfOddCells(t *testing.T) {
	parts := []tables.Part{
		{"points of x_1", []string{`y \ x`, "cycles"}, [][]string{{"a|b_{c} & 50%", "12 ±3"}, {"#1 ~ $2^3", "4*"}}, []bool{true, false}},
		{"points\nwithout figures", []string{"error"}, [][]string{{"no\x1b[0m way"}}, []bool{true}},
	}
	q := tables.Table{Study: &question.Study{Name: "odd", About: "100 % #1", Parameters: map[string]string{"p": "a_b"}}}
	for format, want := range map[string]string{
		".md": "odd: 100 % #1\n\nparameters: p a_b\n\npoints of x_1\n\n| y \\ x | cycles |\n| --- | ---: |\n| a\\|b_{c} & 50% | 12 ±3 |\n| #1 ~ $2^3 | 4* |\n" +
			"\npoints\\nwithout figures\n\n| error |\n| --- |\n| no\\x1b[0m way |\n",
		".tex": "% odd: 100 % #1\n% parameters: p a_b\n% points of x_1\n\\begin{tabular}{lr}\n\\toprule\ny \\textbackslash{} x & cycles \\\\\n\\midrule\n" +
			"a\\textbar{}b\\_\\{c\\} \\& 50\\% & 12 $\\pm$ 3 \\\\\n\\#1 \\textasciitilde{} \\$2\\textasciicircum{}3 & 4$^*$ \\\\\n\\bottomrule\n\\end{tabular}\n" +
			"\n% points\\nwithout figures\n\\begin{tabular}{l}\n\\toprule\nerror \\\\\n\\midrule\nno\\textbackslash{}x1b{[}0m way \\\\\n\\bottomrule\n\\end{tabular}\n",
	} {
		t.Run(format, func(t *testing.T) {
			require.True(t, tables.IsMarkup(format))
			var text strings.Builder
			require.NoError(t, q.WriteMarkup(&text, format, parts))
			require.Equal(t, want, text.String())
		})
	}
	require.False(t, tables.IsMarkup(".csv"))
}
