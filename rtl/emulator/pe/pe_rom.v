// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A memory that is only read: the program of a PE, or the words that memories must hold at the end.
module pe_rom #(
  parameter Word         = 32,
  parameter Words        = 256,
  parameter AddressWidth = 8,
  parameter File         = ""   // as for $readmemh, all words
) (
  input  wire                    clk_i,
  input  wire [AddressWidth-1:0] address_i,
  output reg  [Word-1:0]         word_o
);
  reg [Word-1:0] words[0:Words-1];
  initial if (File != "") $readmemh(File, words);
  always @(posedge clk_i) word_o <= words[address_i];
endmodule
