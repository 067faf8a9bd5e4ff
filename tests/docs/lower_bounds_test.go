// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
)

// Every table of docs/algorithms with a column "lower bound" has a job in its first column, and the bound is that of
// the job. Words of the table's header hold for all rows.
func TestTablesHaveTheLowerBounds(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "algorithms", "*.md"))
	require.NoError(t, err)
	rows := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		var head []string
		column := -1
		for i, line := range strings.Split(string(text), "\n") {
			cells := cellsOf(line)
			switch {
			case cells == nil:
				head, column = nil, -1
			case head == nil:
				head, column = cells, slices.Index(cells, "lower bound")
			case column > 0 && !strings.HasPrefix(cells[0], "---"):
				rows++
				require.Equal(t, cells[column], boundOf(t, head[0], cells[0]), "%s:%d: %s", filepath.Base(page), i+1, line)
			}
		}
	}
	require.NotZero(t, rows)
}

// cellsOf returns the cells of a row of a table; nil of other lines.
func cellsOf(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

var (
	seedWords   = regexp.MustCompile(` \(seed (\d+)\)`)
	networkWord = regexp.MustCompile(`[a-z-]+:\d[0-9x,]*[0-9]|[a-z-]+:\d`)
	flitsWords  = regexp.MustCompile(`\b(\d+) flits?\b`)
	keyWords    = regexp.MustCompile(`\b(startup|hop|flit|buffer) (\d+)`)
)

// boundOf computes the lower bound of a job in words. The collective stands before "on" and the network, or begins the
// header. Unless said, machines have all ports, a channel for each link, full duplex and buffers for the full rate.
func boundOf(t *testing.T, head, row string) string {
	row = seedWords.ReplaceAllString(row, ",$1")
	words := head + ", " + row
	network := networkWord.FindString(row)
	net, err := topology.Parse(network)
	require.NoError(t, err, row)
	name, _, _ := strings.Cut(head, " ")
	if before, _, ok := strings.Cut(row, " on "+network); ok {
		name = before
	}
	kind := map[string]string{"all-gather": plan.Gossip, "all-to-all": plan.Exchange}[name]
	if kind == "" {
		kind = strings.TrimSuffix(name, ",")
	}
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	set := func(key, value string) { require.NoError(t, m.Set(key, value), row) }
	for _, key := range keyWords.FindAllStringSubmatch(words, -1) {
		set(key[1], key[2])
	}
	if !strings.Contains(words, "buffer ") {
		m.Buffer = m.Hop/m.Flit + 1
	}
	for said, key := range map[string][2]string{
		"single port": {"ports", "single"}, "one channel": {"nic.channels", "1"}, "half duplex": {"nic.duplex", "half"},
	} {
		if strings.Contains(words, said) {
			set(key[0], key[1])
		}
	}
	length := 1
	if flits := flitsWords.FindAllStringSubmatch(words, -1); flits != nil {
		length, err = strconv.Atoi(flits[len(flits)-1][1])
		require.NoError(t, err)
	}
	least, err := collective.Bound(t.Context(), kind, collective.Job{Topology: net, Machine: m, Lengths: slices.Repeat([]int{length}, net.Nodes())})
	require.NoError(t, err, row)
	return strconv.Itoa(int(least.Cycles))
}
