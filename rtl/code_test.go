// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/code"
	"meshwright/internal/proctest"
	"meshwright/internal/soak"
)

// codeProbe encodes words, inverts none, one or two of their bits, and shows what the decoder
// makes of them. It takes all data of up to 6 bits, else some; of wide words it inverts only some bits.
const codeProbe = `
module probe #(parameter Width = 8, parameter Checks = 5, parameter Code = 2);
  localparam Word = Width + Checks;
  reg  [Width-1:0] data;
  reg  [Word-1:0]  wrong;
  wire [Word-1:0]  word;
  wire [Width-1:0] out;
  wire             corrected, detected;
  integer          n, i, j;
  flit_encoder #(.Width(Width), .Checks(Checks)) i_encoder (.data_i(data), .word_o(word));
  flit_decoder #(.Width(Width), .Checks(Checks)) i_decoder (.word_i(word ^ wrong), .data_o(out), .corrected_o(corrected), .detected_o(detected));
  initial begin
    for (n = 0; n < ((Width <= 6) ? 1 << Width : (Width <= 32) ? 6 : 2); n = n + 1) begin
      data = (Width <= 6) ? n : {(Width + 31) / 32{$random}};
      for (i = 0; i <= Word; i = i + ((Width > 32) ? Word / 16 : 1)) for (j = 0; j <= i; j = j + ((Width > 32) ? i / 2 + 1 : 1)) begin
        wrong = {Word{1'b0}};
        if (i > 0) wrong[i-1] = 1'b1;
        if (j > 0) wrong[j-1] = 1'b1;
        #1 $display("%0d %0d %h %h %h %h %b %b", Code, Width, data, word, wrong, out, corrected, detected);
      end
    end
  end
endmodule
`

// The encoder and the decoder of the library do what package code says.
func TestCodesOfTheLibrary(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, sources))
	var probes strings.Builder
	for k, c := range code.Codes()[1:] {
		for _, width := range soak.Some(2, []int{1, 2, 3, 4, 5, 6, 8, 16, 11, 12, 26, 27, 32, 64, 512, 128, 256}) {
			fmt.Fprintf(&probes, "  probe #(.Width(%d), .Checks(%d), .Code(%d)) i_%s_%d ();\n", width, c.Checks(width), k+1, c, width)
		}
	}
	bench := codeProbe + "module bench;\n" + probes.String() + "endmodule\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bench.v"), []byte(bench), 0o644))
	cmd := proctest.Command(t, "sh", "-c", "iverilog -g2005 -Wall -Wno-timescale -o icarus -s bench bench.v lib/*.v && vvp -n icarus")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Greater(t, len(lines), soak.Number(5000, 10000))
	for _, line := range lines {
		var kind, width, corrected, detected int
		var digits [4]string
		_, err := fmt.Sscanf(line, "%d %d %s %s %s %s %d %d", &kind, &width, &digits[0], &digits[1], &digits[2], &digits[3], &corrected, &detected)
		require.NoError(t, err, line)
		data, word, wrong, shown := bitsOf(t, digits[0]), bitsOf(t, digits[1]), bitsOf(t, digits[2]), bitsOf(t, digits[3])
		c := code.Codes()[kind]
		encoded, verdict := c.Decode(word, width)
		want, found := c.Decode(word.Xor(wrong), width)
		if encoded != data || verdict != code.Sound || want != shown || (found == code.Corrected) != (corrected == 1) || (found == code.Detected) != (detected == 1) {
			require.Failf(t, "codes differ", "%s %s: decoded %x %d", c, line, want, found)
		}
	}
}

// bitsOf reads a hexadecimal number.
func bitsOf(t *testing.T, digits string) (b code.Bits) {
	for i := range 4 * len(digits) {
		digit, err := strconv.ParseUint(digits[len(digits)-1-i/4:][:1], 16, 4)
		require.NoError(t, err, digits)
		if digit>>(i%4)&1 != 0 {
			b.Flip(i)
		}
	}
	return b
}

// Chips without a code have the hardware of chips whose buffers know nothing of codes.
func TestChipsWithoutACodeHaveNoHardwareOfIt(t *testing.T) {
	plain, err := os.ReadFile("testdata/plain_buffer.v")
	require.NoError(t, err)
	for _, chip := range []string{"wormhole_router", "packet_router", "packet_router_all_ports"} {
		t.Run(chip, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, sources))
			with := cells(t, dir, chip, 0)
			if chip == "packet_router" {
				require.NotEqual(t, cells(t, dir, chip, 1), with)
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "lib", "input_buffer.v"), plain, 0o644))
			require.Equal(t, cells(t, dir, chip, 0), with)
		})
	}
}

// cells lists the cells of a chip after Yosys has cleaned up what drives nothing.
func cells(t *testing.T, dir, chip string, code int) string {
	script := fmt.Sprintf("read_verilog -defer lib/*.v; hierarchy -top %s -chparam Ports 2 -chparam Width 8 -chparam Word %d -chparam Code %d; proc; flatten; opt_expr; opt_clean -purge; tee -q -o cells stat", chip, 8+code, code)
	cmd := proctest.Command(t, "yosys", "-q", "-p", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(filepath.Join(dir, "cells"))
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "Number of cells:")
	require.True(t, found, string(text))
	return list
}
