// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/study"
)

// paragon is the study of gossip with tokens on the Paragon.
func paragon(t testing.TB, mostWords int, sizes string, specs ...string) *study.Sweep {
	t.Helper()
	m, err := machine.Preset("paragon")
	require.NoError(t, err)
	s := &study.Sweep{Collective: "gossip", Machine: m, Sync: true, MostWords: mostWords, Store: study.NewStore()}
	s.Bytes, err = study.ParseSizes(sizes)
	require.NoError(t, err)
	for _, spec := range specs {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		s.Networks = append(s.Networks, topo)
		s.Machine, err = m.Resolve(topo)
		require.NoError(t, err)
	}
	return s
}

// The shape that Juurlink, Sibeyn and Rao measured: the vendor's routine and
// approach 1 for the smallest blocks, TORGOS in the middle, approach 2 for large
// ones; and the formulas say where each takes over.
func TestParagonsShapeAndCrossovers(t *testing.T) {
	r, err := paragon(t, 1<<19, "8..1M", soak.Some(2, []string{"mesh:8x8", "mesh:16x8"})...).Run(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, r.Networks)
	for _, n := range r.Networks {
		var order []string
		for i := range n.Bytes {
			name := n.Contenders[n.Fastest(i)].String()
			if len(order) == 0 || order[len(order)-1] != name {
				order = append(order, name)
			}
		}
		want := []string{"vendor", "approach1", "torgos", "approach2/black-white", "approach2"}
		require.Equal(t, want, order, n.Topology)
		require.Less(t, n.Farthest(), 0.1)
		require.Equal(t, study.Model, n.Rows[0][0].Source)
		require.Equal(t, study.Predicted, n.Rows[len(n.Rows)-1][0].Source)
		var names []string
		for _, c := range n.Crossovers {
			require.LessOrEqual(t, c.Apart(), 0.1, "%s to %s on %s", c.From, c.To, n.Topology)
			names = append(names, c.To.String())
		}
		require.Equal(t, want[1:], names)
	}
}

// A sweep that goes on from a file does not run its rows again, and what an
// interrupted one had done is in it.
func TestSweepGoesOnFromItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	whole := paragon(t, 1<<12, "8..32", "mesh:4x4")
	want, err := whole.Run(t.Context())
	require.NoError(t, err)

	first := paragon(t, 1<<12, "8..32", "mesh:4x4")
	first.Store, err = study.OpenStore(path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ran := 0
	first.Report = func(p study.Progress) {
		if ran++; ran == 4 {
			cancel()
		}
	}
	_, err = first.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, first.Store.Close())

	second := paragon(t, 1<<12, "8..32", "mesh:4x4")
	second.Store, err = study.OpenStore(path)
	require.NoError(t, err)
	require.Len(t, second.Store.Rows(), 3)
	again := 0
	second.Report = func(study.Progress) { again++ }
	got, err := second.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, len(whole.Store.Rows())-3, again)
	require.NoError(t, second.Store.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)

	third := paragon(t, 1<<12, "8..32", "mesh:4x4")
	third.Store, err = study.OpenStore(path)
	require.NoError(t, err)
	defer third.Store.Close()
	third.Report = func(p study.Progress) { t.Errorf("ran %v again", p.Next) }
	got, err = third.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
	unchanged, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, unchanged)
}

func TestPlotsAreTheSameEveryTime(t *testing.T) {
	r, err := paragon(t, 0, "8..4k", "mesh:4x4", "mesh:2x6").Run(t.Context())
	require.NoError(t, err)
	var first, second bytes.Buffer
	require.NoError(t, r.Plot(&first, "gossip"))
	require.NoError(t, r.Plot(&second, "gossip"))
	require.Equal(t, first.String(), second.String())
	for _, text := range []string{"gossip on mesh:4x4", "gossip on mesh:2x6", "approach2/black-white", "</svg>"} {
		require.Contains(t, first.String(), text)
	}
}

func TestBadSweeps(t *testing.T) {
	for _, row := range []struct {
		contender study.Contender
		want      string
	}{
		{study.Contender{Algorithm: "torgo"}, `unknown gossip algorithm "torgo" (did you mean torgos?)`},
		{study.Contender{Algorithm: "torgos", Start: "ring"}, "start ring for gossip torgos (expected one of rows, columns)"},
		{study.Contender{Algorithm: "approach1", Start: "black-white"}, "start black-white on mesh:4x3 (expected two dimensions of even length)"},
	} {
		s := paragon(t, 0, "8", "mesh:4x3")
		s.Contenders = []study.Contender{row.contender}
		_, err := s.Run(t.Context())
		require.EqualError(t, err, row.want)
	}
	s := paragon(t, 0, "8", "mesh:4x4")
	s.Machine.Channels = machine.Links
	_, err := s.Run(t.Context())
	require.ErrorContains(t, err, "(expected a gossip on a wormhole machine with nic.channels 1 and nic.duplex half)")
}

func TestSizes(t *testing.T) {
	for text, want := range map[string][]int{
		"8": {8}, "8..1k": {8, 16, 32, 64, 128, 256, 512, 1024}, "3k,5, 1M": {5, 3 << 10, 1 << 20}, "6..13,12": {6, 12}, "1M..1M": {1 << 20},
	} {
		got, err := study.ParseSizes(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
		for _, size := range want {
			again, err := study.ParseSizes(study.FormatSize(size))
			require.NoError(t, err)
			require.Equal(t, []int{size}, again)
		}
	}
	for text, want := range map[string]string{
		"":      `"" is not a size of 1 byte to 1024M (expected sizes such as 8,100,4k, or 8..1M by doubling)`,
		"0":     `"0" is not a size of 1 byte to 1024M (expected sizes such as 8,100,4k, or 8..1M by doubling)`,
		"8..4":  `"8..4" ends below its beginning (expected sizes such as 8,100,4k, or 8..1M by doubling)`,
		"8,4G":  `"4G" is not a size of 1 byte to 1024M (expected sizes such as 8,100,4k, or 8..1M by doubling)`,
		"2048M": `"2048M" is not a size of 1 byte to 1024M (expected sizes such as 8,100,4k, or 8..1M by doubling)`,
	} {
		_, err := study.ParseSizes(text)
		require.EqualError(t, err, want)
	}
}

func TestStoresOfBadRows(t *testing.T) {
	header := "collective,topology,machine,sync,algorithm,start,a,b,bytes,flits,source,cycles,formula\n"
	for rows, want := range map[string]string{
		"gossip,mesh:4x4,wormhole,yes,torgos,,2,1,8,4,model,9,9\n":   `rows.csv:2: "yes" (expected true or false)`,
		"gossip,mesh:4x4,wormhole,true,torgos,,2,1,8,4,guess,9,9\n":  `rows.csv:2: source "guess" (expected model, predicted or formula)`,
		"gossip,mesh:4x4,wormhole,true,torgos,,2,1,8,-4,model,9,9\n": `rows.csv:2: "-4" (expected a whole number from 0)`,
		"gossip,mesh:4x4,wormhole,true,torgos,,2,1,8,4,model,9\n":    `rows.csv:2: 12 columns (expected collective,topology,machine,sync,algorithm,start,a,b,bytes,flits,source,cycles,formula)`,
	} {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("rows.csv", []byte(header+rows), 0o644))
		_, err := study.OpenStore("rows.csv")
		require.EqualError(t, err, want)
	}
}

// Files that were written when predictions had another name are still read.
func TestStoresKeepRowsOfTheFormerName(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("rows.csv", []byte("collective,topology,machine,sync,algorithm,start,a,b,bytes,flits,source,cycles,formula\n"+
		"gossip,mesh:4x4,wormhole,true,torgos,,2,1,8,4,foretold,9,9\n"), 0o644))
	store, err := study.OpenStore("rows.csv")
	require.NoError(t, err)
	defer store.Close()
	rows := store.Rows()
	require.Len(t, rows, 1)
	require.Equal(t, study.Predicted, rows[0].Source)
}

// Two studies that replace one file would lose each other's rows.
func TestStoresAreLocked(t *testing.T) {
	t.Chdir(t.TempDir())
	first, err := study.OpenStore("rows.csv")
	require.NoError(t, err)
	require.NoError(t, os.Symlink("rows.csv", "link.csv"))
	for _, path := range []string{"rows.csv", "link.csv"} {
		_, err = study.OpenStore(path)
		require.ErrorContains(t, err, fmt.Sprintf("%s: locked by process %d on ", path, os.Getpid()))
	}
	other, err := study.OpenStore("other.csv")
	require.NoError(t, err)
	require.NoError(t, other.Close())
	require.NoError(t, first.Close())
	require.NoError(t, first.Close())
	again, err := study.OpenStore("link.csv")
	require.NoError(t, err)
	require.NoError(t, again.Close())
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, entries, 1, "only the link is left")
	device, err := study.OpenStore(os.DevNull)
	require.NoError(t, err, "a device is nobody's")
	require.NoError(t, device.Close())
}

func TestACrossoverThatIsNowhereNear(t *testing.T) {
	c := study.Crossover{Predicted: 100, Measured: math.NaN()}
	require.True(t, math.IsInf(c.Apart(), 1))
	c.Measured = 80
	require.InDelta(t, 0.25, c.Apart(), 1e-12)
}

// A single node has nothing to send: formulas are not off by 0/0.
func TestSweepOfASingleNode(t *testing.T) {
	r, err := paragon(t, 1<<12, "8", "mesh:1x1").Run(t.Context())
	require.NoError(t, err)
	require.Zero(t, r.Networks[0].Farthest())
	require.Empty(t, r.Networks[0].Crossovers)
}

func TestContenders(t *testing.T) {
	c, err := study.ParseContender("approach2/black-white")
	require.NoError(t, err)
	require.Equal(t, study.Contender{Algorithm: "approach2", Start: "black-white"}, c)
	require.Equal(t, "approach2/black-white", c.String())
	for _, text := range []string{"", "/ring", "torgos/"} {
		_, err := study.ParseContender(text)
		require.ErrorContains(t, err, "(expected an algorithm, or algorithm/start)")
	}
}

func FuzzStore(f *testing.F) {
	f.Add("collective,topology,machine,sync,algorithm,start,a,b,bytes,flits,source,cycles,formula\ngossip,mesh:4x4,wormhole,true,torgos,,2,1,8,4,model,9,9\n")
	f.Add("topology,collective,machine,sync,algorithm,start,a,b,bytes,flits,source,formula,cycles\nmesh:4x4,gossip,wormhole,true,torgos,,2,1,8,4,model,9,9\n")
	f.Add("topology,topology,machine,sync,algorithm,start,a,b,bytes,flits,source,formula,cycles\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "rows.csv")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		s, err := study.OpenStore(path)
		if err != nil {
			return
		}
		defer s.Close()
		rows := s.Rows()
		if len(rows) == 0 {
			return
		}
		require.NoError(t, s.Add(rows[0]))
		require.NoError(t, s.Close())
		again, err := study.OpenStore(path)
		require.NoError(t, err)
		defer again.Close()
		require.Equal(t, rows, again.Rows())
	})
}
