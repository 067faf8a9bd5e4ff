// SPDX-License-Identifier: Apache-2.0

package verilog

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func ExamplePrint() {
	m := &Module{
		Name:    "pair",
		Comment: []string{"Two inverters in a row."},
		Locals:  []Constant{{Name: "Width", Value: "8", Comment: "bits"}},
		Ports: []Port{
			{Name: "clk_i"},
			{Name: "data_i", Width: "Width"},
			{Name: "data_o", Width: "2*Width", Output: true, Comment: "twice"},
		},
		Items: []Item{
			Wire{Width: "Width", Name: "middle"}, Wire{Name: "x"},
			Note(""), Note("First."),
			Instance{
				Module: "inverter", Name: "i_first",
				Parameters: []Connection{{"Width", "Width"}},
				Ports:      []Connection{{"data_i", "data_i"}, {"out_o", "middle"}},
			},
			Instance{Module: "tie", Name: "i_tie", Ports: []Connection{{"y_o", "x"}}},
			Assign{"data_o[0+:8]", "middle"},
		},
	}
	_ = Print(os.Stdout, m)
	// Output:
	// // SPDX-License-Identifier: Apache-2.0
	// // Two inverters in a row.
	// `default_nettype none
	//
	// module pair #(
	//   parameter Width = 8 // bits
	// ) (
	//   input  wire               clk_i,
	//   input  wire [Width-1:0]   data_i,
	//   output wire [2*Width-1:0] data_o  // twice
	// );
	//   wire [Width-1:0] middle;
	//   wire             x;
	//
	//   // First.
	//   inverter #(
	//     .Width (Width)
	//   ) i_first (
	//     .data_i (data_i),
	//     .out_o  (middle)
	//   );
	//   tie i_tie (
	//     .y_o (x)
	//   );
	//   assign data_o[0+:8] = middle;
	// endmodule
	//
	// `default_nettype wire
}

func TestPrintedTwiceIsTheSame(t *testing.T) {
	m := &Module{Name: "m", Ports: []Port{{Name: "a_i"}}, Items: []Item{Wire{Name: "w"}, Assign{"w", "a_i"}}}
	var one, two strings.Builder
	require.NoError(t, Print(&one, m))
	require.NoError(t, Print(&two, m))
	require.Equal(t, one.String(), two.String())
	for line := range strings.Lines(one.String()) {
		require.Equal(t, strings.TrimRight(line, " \n"), strings.TrimSuffix(line, "\n"), "no blanks at the end of a line")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestPrintReportsWriteErrors(t *testing.T) {
	require.EqualError(t, Print(full{}, &Module{Name: "m"}), "disk full")
}
