// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/proctest"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/synth"
)

// cells sums the cells of a statistic of Yosys whose names match.
func cells(t *testing.T, statistic, names string) (sum int) {
	t.Helper()
	for _, row := range regexp.MustCompile(`(?m)^ +(?:`+names+`) +(\d+)$`).FindAllStringSubmatch(statistic, -1) {
		count, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		sum += count
	}
	return sum
}

// make synth counts the registers that package synth counts, and, with other commands of Yosys, the cells of an FPGA.
func TestSynthOfTheMakefile(t *testing.T) {
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	m := settled(t, "bufferless", []string{"width", "8"})
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	dir := t.TempDir() + "/export"
	_, err = rtl.NewRecorder(n).Export(dir)
	require.NoError(t, err)
	statistic := func(settings ...string) string {
		cmd := proctest.Command(t, "make", append([]string{"-s", "-C", dir, "synth"}, settings...)...)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.Output()
		require.NoError(t, err, "%s", out)
		written, err := os.ReadFile(dir + "/build/synth.txt")
		require.NoError(t, err)
		require.Equal(t, string(written), string(out))
		return string(out)
	}
	unit, err := rtl.NewUnit(n, router.None, 1)
	require.NoError(t, err)
	measured, err := synth.Measure(t.Context(), synth.Source{Module: rtl.UnitName, Clock: "clk_i", Write: unit.Write}, synth.Options{Target: synth.Generic})
	require.NoError(t, err)
	all := statistic()
	require.Equal(t, measured.Area.FF, cells(t, all, `\$_S?DFFE?_\w+`))
	require.GreaterOrEqual(t, cells(t, all, `\$_(?:NAND|NOR|NOT)_`), measured.Area.Gates)
	require.Positive(t, cells(t, statistic("SYNTH=synth_ice40"), `SB_DFF\w*`))
}
