// SPDX-License-Identifier: Apache-2.0

package input

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	keys, mnemonics := []string{"buffer", "startup", "vcs", "ports"}, []string{"add", "addi", "sub", "certificate", "mov", "max"}
	columns := []string{"message", "source", "destination", "flits", "dispatch", "route"}
	for _, row := range []struct {
		known      []string
		word, want string
	}{
		{keys, "bufer", "buffer"}, {keys, "Startup", "startup"}, {keys, "vc", "vcs"}, {keys, "prots", "ports"}, {keys, "entirely-else", ""},
		{mnemonics, "ad", "add"}, {mnemonics, "ADD", "add"}, {mnemonics, "addd", "add"}, {mnemonics, "mvo", "mov"}, {mnemonics, "mox", "max"},
		{mnemonics, "certifcaet", "certificate"}, {mnemonics, "", ""}, {mnemonics, "x", ""}, {mnemonics, "zzz", ""}, {mnemonics, "subtract", ""},
		{[]string{"bac", "bad", "baa"}, "bax", "baa"},
		{columns, "src", "source"}, {columns, "Dest", "destination"}, {columns, "msg", "message"}, {columns, "dispatched", "dispatch"},
		{columns, "dst", ""}, {columns, "de", ""}, {columns, "rce", ""}, {columns, "dis", "dispatch"},
		{[]string{"recursive-doubling", "swing"}, "recdou", "recursive-doubling"}, {[]string{"recursive-doubling", "swing"}, "ring", ""},
	} {
		require.Equal(t, row.want, Nearest(row.word, row.known), row.word)
	}
	require.Equal(t, "did you mean vcs?", Suggest("vc", keys))
	require.Equal(t, "expected one of buffer, startup, vcs, ports", Suggest("entirely-else", keys))
	require.Equal(t, "expected buffer", Suggest("entirely-else", keys[:1]))
}

func TestNearestEndsAtItsLongestWord(t *testing.T) {
	most := strings.Repeat("x", longest)
	require.Equal(t, most[1:]+"y", Nearest(most, []string{most[1:] + "y"}))
	require.Empty(t, Nearest(most+"x", []string{most + "y"}))
}

// slowDistance is the definition of the distance (optimal string alignment), against
// which the distance in three rows is checked.
func slowDistance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	d := slowDistance(a[1:], b[1:])
	if a[0] != b[0] {
		d = 1 + min(d, slowDistance(a[1:], b), slowDistance(a, b[1:]))
	}
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		d = min(d, 1+slowDistance(a[2:], b[2:]))
	}
	return d
}

func TestDistanceAgainstDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	word := func() string {
		b := make([]byte, random.IntN(7))
		for i := range b {
			b[i] = "abc"[random.IntN(3)]
		}
		return string(b)
	}
	for range 3000 {
		a, b := word(), word()
		require.Equal(t, slowDistance(a, b), distance(a, b, 100), "%q %q", a, b)
	}
}
