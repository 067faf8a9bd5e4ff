// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

// everyTurn is what the parameters Paths of an export say: the turns that exist.
var everyTurn = regexp.MustCompile(`\.Paths +\(\d+'b([01]+)\)`)

// Trimmed chips have the turns of the messages and no others: messages over three links and over two, which have none in common.
// The vectors of the run pass.
func TestTrimmedChips(t *testing.T) {
	const turns = 3 + 2 // one for each link; ejection is no turn
	for _, row := range soak.Some(2, []struct {
		name, preset string
		settings     []string
	}{
		{"wormhole, heads with a course", "wormhole", []string{"header", "flit", "nic.channels", "1"}},
		{"source routes", "wormhole", []string{"routing", "source"}},
		{"bufferless", "bufferless", []string{"header", "flit"}},
		{"tables, claims that take a cycle", "wormhole", []string{"routing", "table", "claim", "1"}},
	}) {
		t.Run(row.name, func(t *testing.T) {
			topo, err := topology.Parse("mesh:3x3")
			require.NoError(t, err)
			n, err := fabric.New(topo, settled(t, row.preset, row.settings))
			require.NoError(t, err)
			r := rtl.NewRecorder(n)
			r.Trim()
			n.Attach(&once{fabric.Message{Source: 0, Destination: 5, Words: []uint32{1, 2}}})
			n.Attach(&later{20, fabric.Message{Source: 3, Destination: 5, Words: []uint32{3}}})
			for range 40 {
				n.Step()
			}
			dir := filepath.Join(t.TempDir(), "export")
			_, err = r.Export(dir)
			require.NoError(t, err)
			top, err := os.ReadFile(filepath.Join(dir, "top.v"))
			require.NoError(t, err)
			kept := 0
			for _, paths := range everyTurn.FindAllStringSubmatch(string(top), -1) {
				kept += strings.Count(paths[1], "1")
			}
			require.Equal(t, turns, kept)
			result, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
			require.NoError(t, err)
			require.True(t, result.Pass, result.Line)
			require.Equal(t, r.Flits(), result.Flits)
		})
	}
}

// later sends a message in a cycle.
type later struct {
	at      router.Cycle
	message fabric.Message
}

func (l *later) Evaluate(s fabric.Signals) {
	if s.Now() == l.at {
		s.Send(l.message)
	}
}
func (l *later) Update(fabric.Signals) {}

func TestMayTrim(t *testing.T) {
	for _, row := range []struct {
		preset, want string
		settings     []string
	}{
		{"wormhole", "", nil},
		{"store-forward", "trimmed chips with switching store-forward (expected bufferless or wormhole)", nil},
		{"wormhole", "trimmed chips with routing adaptive (expected dor, yx, table, updown or source)", []string{"routing", "adaptive"}},
		{"wormhole", "trimmed chips with routing odd-even (expected dor, yx, table, updown or source)", []string{"routing", "odd-even"}},
	} {
		m := settled(t, row.preset, row.settings)
		err := rtl.MayTrim(&m)
		if row.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, row.want)
	}
}
