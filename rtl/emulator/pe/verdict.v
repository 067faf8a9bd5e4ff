// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Compares the words that a walk names, and keeps the first that is wrong. A run passes when all PEs have halted, no chip
// has lost a flit, and every word is right.
module verdict #(
  parameter Word         = 32,
  parameter AddressWidth = 8,
  parameter NodeWidth    = 2
) (
  input  wire                    clk_i,
  input  wire                    rst_i,
  input  wire                    lost_i,         // a flit, at this edge
  input  wire                    halted_i,       // all PEs
  input  wire                    compare_i,      // a word
  input  wire                    last_i,         // it is the last one
  input  wire [NodeWidth-1:0]    node_i,
  input  wire [AddressWidth-1:0] address_i,
  input  wire [Word-1:0]         word_i,
  input  wire [Word-1:0]         expected_i,
  output reg                     done_o,
  output wire                    pass_o,         // means something once done
  output reg                     collision_o,    // a flit was lost
  output reg                     mismatch_o,     // a word was wrong, the first one:
  output reg  [NodeWidth-1:0]    node_o,
  output reg  [AddressWidth-1:0] address_o,
  output reg  [Word-1:0]         got_o,
  output reg  [Word-1:0]         expected_o
);
  wire wrong = compare_i & !done_o & (word_i != expected_i);
  assign pass_o = done_o & halted_i & !collision_o & !mismatch_o;

  always @(posedge clk_i) begin
    if (rst_i) collision_o <= 1'b0;
    else if (lost_i) collision_o <= 1'b1;
  end
  always @(posedge clk_i) begin
    if (rst_i) mismatch_o <= 1'b0;
    else if (wrong) mismatch_o <= 1'b1;
  end
  always @(posedge clk_i) begin
    if (rst_i) done_o <= 1'b0;
    else if (compare_i & last_i) done_o <= 1'b1;
  end
  always @(posedge clk_i) begin
    if (wrong & !mismatch_o) begin
      node_o     <= node_i;
      address_o  <= address_i;
      got_o      <= word_i;
      expected_o <= expected_i;
    end
  end
endmodule
