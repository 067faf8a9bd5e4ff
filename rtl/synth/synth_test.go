// SPDX-License-Identifier: Apache-2.0

package synth_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
	"meshwright/internal/soak"
	"meshwright/rtl/synth"
	"meshwright/rtl/tool"
)

// counter is a module with a reset, a constant input, an output that never changes and an unused input.
const counter = `module counter #(parameter Width = 4) (
  input wire clk, input wire rst, input wire [3:0] step, input wire unused, output reg [Width-1:0] count, output wire zero
);
  assign zero = 1'b0;
  always @(posedge clk) count <= rst ? {Width{1'b0}} : count + step;
endmodule
`

func source(t *testing.T, text string, change ...func(*synth.Files)) synth.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "it's a $file.v")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	files := synth.Files{Paths: []string{path}}
	for _, c := range change {
		c(&files)
	}
	return files.Source("counter", "clk")
}

func set(t *testing.T, text string) synth.Setting {
	t.Helper()
	s, err := synth.ParseSetting(text)
	require.NoError(t, err)
	return s
}

// Flip-flops follow from the text, parameters and constants have their effect, and every seed has a clock.
func TestCounter(t *testing.T) {
	type counterRow struct {
		name   string
		target synth.Target
		files  func(*synth.Files)
		ff     int
		seeds  []int
	}
	rows := []counterRow{
		{"as it is", synth.ICE40, func(*synth.Files) {}, 4, []int{7, 2}},
		{"parameter", synth.Generic, func(f *synth.Files) { f.Parameters = append(f.Parameters, set(t, "Width=9")) }, 9, nil},
		{"constant step", synth.Generic, func(f *synth.Files) { f.Ties = append(f.Ties, set(t, "step=4'b1000")) }, 1, nil},
		{"ecp5", synth.ECP5, func(*synth.Files) {}, 4, nil},
	}
	if soak.On() {
		rows = append(rows, counterRow{"xilinx", synth.Xilinx, func(*synth.Files) {}, 4, nil}) // takes long
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r, err := synth.Measure(t.Context(), source(t, counter, row.files), synth.Options{Target: row.target, Seeds: row.seeds})
			require.NoError(t, err)
			require.Equal(t, row.ff, r.Area.FF)
			require.Positive(t, r.Area.LUT4+r.Area.LUT6+r.Area.Gates)
			require.Zero(t, r.Area.BRAM+r.Area.LUTRAM)
			require.Len(t, r.Clocks, len(row.seeds))
			for i, c := range r.Clocks {
				require.Equal(t, row.seeds[i], c.Seed)
				require.GreaterOrEqual(t, c.MHz, r.Slowest())
				require.Greater(t, c.MHz, 50.0)
			}
			require.Regexp(t, `^[0-9]+\.[0-9]`, r.Tools["yosys"])
		})
	}
}

// The counts are those of Yosys's own statistics.
func TestCountsAreThoseOfYosys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counter.v")
	require.NoError(t, os.WriteFile(path, []byte(counter), 0o644))
	text, err := proctest.Command(t, "yosys", "-p", "read_verilog "+path+"; synth_ice40 -top counter; stat").Output()
	require.NoError(t, err)
	statistics := string(text[strings.LastIndex(string(text), "=== counter ==="):])
	count := func(cells string) int {
		sum := 0
		for _, m := range regexp.MustCompile(`(?m)^ +`+cells+` +([0-9]+)$`).FindAllStringSubmatch(statistics, -1) {
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			sum += n
		}
		return sum
	}
	r, err := synth.Measure(t.Context(), source(t, counter), synth.Options{Target: synth.ICE40})
	require.NoError(t, err)
	require.Equal(t, synth.Area{LUT4: count("SB_LUT4"), FF: count("SB_DFF[A-Z]*"), Carry: count("SB_CARRY")}, r.Area)
}

// A module whose outputs are constants has an area, and no clock.
func TestNothingChanges(t *testing.T) {
	still := "module counter(input wire clk, output wire [1:0] count);\nassign count = 2'b10;\nendmodule\n"
	r, err := synth.Measure(t.Context(), source(t, still), synth.Options{Target: synth.ICE40, Seeds: []int{1}})
	require.NoError(t, err)
	require.Equal(t, "none: no output ever changes", r.Full)
	require.Empty(t, r.Clocks)
}

func TestFaultsOfSources(t *testing.T) {
	for _, row := range []struct {
		name, text string
		change     func(*synth.Files)
		want       string
	}{
		{"syntax", "module counter;\nwire wire;\nendmodule\n", func(*synth.Files) {}, `it's a \$file.v:2: ERROR: syntax error`},
		{"no module", "module other;\nendmodule\n", func(*synth.Files) {}, "yosys: exit status 1: ERROR: Module `counter' not found!"},
		{"no such input", counter, func(f *synth.Files) { f.Ties = append(f.Ties, set(t, "count=1")) }, `^module counter has no input count \(expected the name of an input\)$`},
		{"no clock", "module counter(input wire in, output wire out);\nassign out = in;\nendmodule\n", func(*synth.Files) {}, `^module counter has no input clk \(expected the name of its clock\)$`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := synth.Measure(t.Context(), source(t, row.text, row.change), synth.Options{Target: synth.ICE40, Seeds: []int{1}})
			require.Error(t, err)
			require.Regexp(t, row.want, err.Error())
		})
	}
	for _, text := range []string{"", "a", "=1", "a=", "a=b c", "a;b=1", "1=1", "a=1;stat", "a=$x"} {
		_, err := synth.ParseSetting(text)
		require.Error(t, err, text)
	}
}

// fakes puts a nextpnr-ice40 that does what a script says before the real tools, and a yosys that keeps in a folder what the real one writes:
// the same script runs once.
func fakes(t *testing.T, kept, script string) {
	t.Helper()
	dir := t.TempDir()
	text := "#!/bin/sh\n[ \"$1\" = --version ] && echo 'nextpnr-ice40 (Version 0.4)' && exit\n" + script + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nextpnr-ice40"), []byte(text), 0o755))
	yosys, err := exec.LookPath("yosys")
	require.NoError(t, err)
	text = fmt.Sprintf(`#!/bin/sh
[ "$1" = -q ] || exec %[1]s "$@"
of=%[2]s/$(cksum <script.ys | tr ' ' -)
[ -d "$of" ] || { %[1]s "$@" && mkdir "$of" && cp *.json "$of"; } || exit
cp "$of"/*.json .
`, yosys, kept)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "yosys"), []byte(text), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestWhatThePlacerSays(t *testing.T) {
	opt := synth.Options{Target: synth.ICE40, Seeds: []int{1, 2}}
	sources, kept := source(t, counter), t.TempDir()
	t.Run("too large", func(t *testing.T) {
		fakes(t, kept, "echo 'Info:          ICESTORM_LC:  9203/ 7680   119%'; echo 'ERROR: no Bels remaining'; exit 1")
		r, err := synth.Measure(t.Context(), sources, opt)
		require.NoError(t, err)
		require.Equal(t, "does not fit: 9203 logic cells with the harness, an HX8K has 7680", r.Full)
		require.Empty(t, r.Clocks)
		require.Equal(t, 4, r.Area.FF)
	})
	t.Run("too many memories", func(t *testing.T) {
		fakes(t, kept, "echo 'Info:          ICESTORM_LC:  203/ 7680   3%'; echo 'Info:         ICESTORM_RAM:    40/   32   125%'; exit 1")
		r, err := synth.Measure(t.Context(), sources, opt)
		require.NoError(t, err)
		require.Equal(t, "does not fit: 40 block RAMs, an HX8K has 32", r.Full)
	})
	t.Run("fails", func(t *testing.T) {
		fakes(t, kept, "echo ERROR: out of pins; exit 1")
		_, err := synth.Measure(t.Context(), sources, opt)
		require.EqualError(t, err, "nextpnr-ice40: exit status 1: ERROR: out of pins")
	})
	t.Run("reports no clock", func(t *testing.T) {
		fakes(t, kept, "echo '{}' >report1.json; echo '{}' >report2.json")
		_, err := synth.Measure(t.Context(), sources, opt)
		require.EqualError(t, err, "report of nextpnr-ice40: no clock")
	})
	t.Run("is missing", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := synth.Measure(t.Context(), sources, opt)
		var missing *tool.Missing
		require.ErrorAs(t, err, &missing)
	})
	t.Run("is interrupted", func(t *testing.T) {
		fakes(t, kept, "sleep 1000000")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		_, err := synth.Measure(ctx, sources, opt)
		require.ErrorIs(t, err, context.Canceled)
		left, err := os.ReadDir(tmp)
		require.NoError(t, err)
		require.Empty(t, left, "the temporary folder is removed")
	})
}
