// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The 16 registers of a PE, in a block RAM: one read and one written a clock cycle. At the start of a user's own
// program r15 holds the PE's number and r14 the number of PEs; all others are zero.
module pe_registers #(
  parameter            Word = 32,
  parameter [Word-1:0] R14  = 0,  // at the start
  parameter [Word-1:0] R15  = 0
) (
  input  wire            clk_i,
  input  wire [3:0]      number_i,
  output reg  [Word-1:0] word_o,
  input  wire            write_i,
  input  wire [3:0]      target_i,
  input  wire [Word-1:0] word_i
);
  reg [Word-1:0] words_q[0:15];

  integer i;
  initial begin
    for (i = 0; i < 14; i = i + 1) words_q[i] = {Word{1'b0}};
    words_q[14] = R14;
    words_q[15] = R15;
  end

  always @(posedge clk_i) begin
    if (write_i) words_q[target_i] <= word_i;
    word_o <= words_q[number_i];
  end
endmodule
