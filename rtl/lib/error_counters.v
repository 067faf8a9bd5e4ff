// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// What the code of a chip's buffers met in the flits that left them.
module error_counters #(
  parameter Inputs = 4,
  parameter Code   = 0  // of the buffers: 0 none, 1 parity, 2 SECDED
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              tick_i,
  input  wire [Inputs-1:0] corrected_i,
  input  wire [Inputs-1:0] detected_i,
  output wire [15:0]       corrected_o,
  output wire [15:0]       detected_o
);
  error_counter #(
    .Inputs (Inputs),
    .Enabled(Code == 2)
  ) i_corrected (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .error_i(corrected_i),
    .count_o(corrected_o)
  );
  error_counter #(
    .Inputs (Inputs),
    .Enabled(Code != 0)
  ) i_detected (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .error_i(detected_i),
    .count_o(detected_o)
  );
endmodule
