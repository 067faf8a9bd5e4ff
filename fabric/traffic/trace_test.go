// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
	"meshwright/router"
)

func TestTraceFiles(t *testing.T) {
	trace, err := scanTrace([]byte("# two of them\nsource,destination,flits,cycle\n3,0,4,0\n1,2,8,7\n"), "t.csv", 4)
	require.NoError(t, err)
	require.Equal(t, 8, trace.Largest())
	require.Equal(t, []router.NodeID{1, 3}, trace.sources)
	for _, c := range []struct{ text, want string }{
		{"", "t.csv: no packets (expected rows of cycle,source,destination,flits)"},
		{"5,0,1,2\n4,0,1,2\n", "t.csv:2: cycle 4 after cycle 5: the trace goes back in time (expected rising cycles)"},
		{"-1,0,1,2\n", `t.csv:1: cycle "-1" (expected 0 to 1000000000000)`},
		{"0,4,1,2\n", `t.csv:1: "4" is not a node (expected 0 to 3)`},
		{"0,1,-2,2\n", `t.csv:1: "-2" is not a node (expected 0 to 3)`},
		{"0,1,1,2\n", "t.csv:1: node 1 sends to itself (expected two nodes)"},
		{"0,1,2,0\n", `t.csv:1: "0" flits (expected 1 to 1048576)`},
		{"0,1,2\n", "t.csv:1: 3 columns (expected cycle,source,destination,flits)"},
	} {
		_, err := scanTrace([]byte(c.text), "t.csv", 4)
		require.EqualError(t, err, c.want, c.text)
	}
}

// A trace is read or refused with a line, and what is read is in order.
func FuzzTrace(f *testing.F) {
	for _, text := range []string{"0,0,1,2\n", "cycle,source,destination,flits\n3,1,2,1\n3,2,1,1\n", "5,0,1,2\n4,0,1,2\n", "1,2,3\n", "\xff,0,0,0", "9999999999999,0,1,1\n", "0,0,1,\"2\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		trace, err := scanTrace(text, "t.csv", 5)
		if err != nil {
			var fault *input.Error
			require.True(t, errors.As(err, &fault), "%v", err)
			return
		}
		require.NotEmpty(t, trace.packets)
		for i, p := range trace.packets {
			require.True(t, p.source != p.destination && p.source >= 0 && p.source < 5 && p.destination >= 0 && p.destination < 5 && p.flits > 0)
			require.True(t, i == 0 || p.generated >= trace.packets[i-1].generated)
		}
	})
}

// A permutation is read or refused with a line, and what is read is one.
func FuzzPermutation(f *testing.F) {
	for _, text := range []string{"0,1\n1,0\n", "source,destination\n4,2\n", "0,1\n2,1\n", "0,0\n", "a,b\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := scanPermutation(text, "p.csv", 5)
		if err != nil {
			var fault *input.Error
			require.True(t, errors.As(err, &fault), "%v", err)
			return
		}
		taken := map[router.NodeID]bool{}
		for _, from := range p.Sources() {
			to := p.Destination(from, nil)
			require.False(t, taken[to] || to == from)
			taken[to] = true
		}
	})
}
