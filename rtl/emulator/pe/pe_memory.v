// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A memory of a PE: one word read and one written a clock cycle. What is read appears in the next cycle. Synthesis
// takes a block RAM for it. The content at the start is that of the file, or zero; a reset does not bring it back.
module pe_memory #(
  parameter Word         = 32,
  parameter Words        = 256,
  parameter AddressWidth = 8,
  parameter File         = ""   // as for $readmemh, all words
) (
  input  wire                    clk_i,
  input  wire [AddressWidth-1:0] address_i,
  output reg  [Word-1:0]         word_o,
  input  wire                    write_i,
  input  wire [AddressWidth-1:0] target_i,
  input  wire [Word-1:0]         word_i
);
  reg [Word-1:0] words_q[0:Words-1];

  integer i;
  initial begin
    if (File != "") $readmemh(File, words_q);
    else for (i = 0; i < Words; i = i + 1) words_q[i] = {Word{1'b0}};  // not both: Yosys would keep the zeros
  end

  always @(posedge clk_i) begin
    if (write_i) words_q[target_i] <= word_i;
    word_o <= words_q[address_i];
  end
endmodule
