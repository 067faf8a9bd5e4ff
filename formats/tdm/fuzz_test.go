// SPDX-License-Identifier: Apache-2.0

package tdm

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
)

// Whatever is read is a table of all offsets, or an error that names the file;
// and a table printed again is the same table.
func FuzzParse(f *testing.F) {
	f.Add(twoByTwo)
	f.Add("ne|  n|   e")
	f.Add("\"nel|\" +\n\"  nl|\"\n# end\n   el")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse("f.tdm", strings.NewReader(text))
		if err != nil {
			var fault *input.Error
			require.True(t, errors.As(err, &fault))
			require.True(t, strings.HasPrefix(err.Error(), "f.tdm:"))
			require.NotContains(t, err.Error(), "\n")
			return
		}
		var again strings.Builder
		for _, m := range table.Messages {
			if m.Dispatch > 1<<16 {
				return
			}
			again.WriteString(strings.Repeat(" ", int(m.Dispatch)) + m.Hops + "l\n")
		}
		same, err := Parse("f.tdm", strings.NewReader(again.String()))
		require.NoError(t, err)
		require.Equal(t, table.Schedule().Rows[0].Route, same.Schedule().Rows[0].Route)
		require.Equal(t, table.Cycles(), same.Cycles())
	})
}
