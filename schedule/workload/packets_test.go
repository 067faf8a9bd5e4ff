// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

func TestParsePackets(t *testing.T) {
	lengths := []int{0, 3, 0, 5, 1}
	file := filepath.Join(t.TempDir(), "p.csv")
	require.NoError(t, os.WriteFile(file, []byte("node,packets\n3,2\n1,1+2\n"), 0o644))
	for _, row := range []struct {
		text string
		root router.NodeID
		want [][]int
	}{
		{"1", 0, [][]int{nil, {3}, nil, {5}, {1}}},
		{"2,0,3,1", 0, [][]int{nil, {2, 1}, nil, {2, 2, 1}, {1}}},
		{"1+2, , 4+1, 1", 0, [][]int{nil, {1, 2}, nil, {4, 1}, {1}}},
		{"0,3,0,2,1", router.None, [][]int{nil, {1, 1, 1}, nil, {3, 2}, {1}}},
		{"@" + file, 0, [][]int{nil, {1, 2}, nil, {3, 2}, {1}}},
	} {
		sizes, err := ParsePackets(row.text, lengths, row.root)
		require.NoError(t, err, row.text)
		require.Equal(t, row.want, sizes, row.text)
	}
}

func TestBadPackets(t *testing.T) {
	lengths := []int{0, 3, 0, 5}
	for _, row := range []struct{ text, want string }{
		{"4", `node 1: 4 packets of 3 flits (expected at most one for each flit)`},
		{"0", `node 1: packets "0" (expected a number of packets, or their flits such as 2+1)`},
		{"x", `node 1: packets "x" (expected a number of packets, or their flits such as 2+1)`},
		{"1,1", `2 splits (expected 1 for all, or 3, one for each node but the root)`},
		{"1,1,1", `node 2: packets "1" (expected 0: it has no message)`},
		{"1+1,0,1", `node 1: packets 1+1 are 2 flits (expected 3, its length)`},
		{"1+x,0,1", `node 1: packets "1+x" (expected a number of packets, or their flits such as 2+1)`},
		{"3+0,0,1", `node 1: packets "3+0" (expected a number of packets, or their flits such as 2+1)`},
		{"@", `no file name behind @ (expected @FILE)`},
	} {
		_, err := ParsePackets(row.text, lengths, 0)
		require.EqualError(t, err, row.want, row.text)
	}
	for _, row := range []struct{ text, want string }{
		{"9,1\n", `p.csv:1: "9" is not a node (expected 0 to 3)`},
		{"1,1\n1,1\n", `p.csv:2: node 1 has a row already, in line 1 (expected one row a node)`},
		{"1\n", `p.csv:1: 1 column (expected node,packets)`},
	} {
		_, err := scanPackets([]byte(row.text), "p.csv", lengths)
		require.EqualError(t, err, row.want)
	}
}

func FuzzPackets(f *testing.F) {
	for _, text := range []string{"1", "2+1,0,5", "1+1+1,,2+3", "@", "9999999999999999999", "-1,0,+"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 0 && text[0] == '@' {
			return
		}
		lengths := []int{0, 3, 0, 5}
		sizes, err := ParsePackets(text, lengths, 0)
		if err != nil {
			return
		}
		for n, length := range lengths {
			sum := 0
			for _, size := range sizes[n] {
				require.Positive(t, size)
				sum += size
			}
			require.Equal(t, length, sum)
		}
	})
}
