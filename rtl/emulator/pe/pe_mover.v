// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Where the words are that move: between the data memory and the mail memory, or within the data memory. A copy to a
// higher address begins with the last word, so that each word is read before it is overwritten.
module pe_mover #(
  parameter AddressWidth = 8,
  parameter CountWidth   = 9
) (
  input  wire                    clk_i,
  input  wire                    copy_i,    // within the data memory
  input  wire                    count_i,   // takes the number of words, before a copy begins
  input  wire [CountWidth-1:0]   words_i,
  input  wire                    begin_i,   // takes the addresses
  input  wire [AddressWidth-1:0] from_i,    // of a copy it stays until the end
  input  wire [AddressWidth-1:0] to_i,      // of a copy alone
  input  wire                    step_i,    // to the next word
  output wire [AddressWidth-1:0] source_o,
  output wire [AddressWidth-1:0] target_o,
  output wire [CountWidth-1:0]   left_o,
  output wire                    last_o,    // one word is left
  output wire                    none_o
);
  localparam LeftWidth = (CountWidth < AddressWidth) ? CountWidth : AddressWidth;
  reg  [CountWidth-1:0]   left_q;
  reg  [AddressWidth-1:0] pointer_q;  // of a copy: to read
  reg  [AddressWidth-1:0] target_q;   // of a copy
  wire                    down = copy_i & (to_i > from_i);
  wire [AddressWidth-1:0] behind = {{AddressWidth - LeftWidth{1'b0}}, left_q[LeftWidth-1:0]} - 1'b1;
  wire [AddressWidth-1:0] first = down ? behind : {AddressWidth{1'b0}};

  always @(posedge clk_i) begin
    if (count_i) left_q <= words_i;
    else if (step_i) left_q <= left_q - 1'b1;
  end
  always @(posedge clk_i) begin
    if (begin_i) pointer_q <= from_i + first;
    else if (step_i) pointer_q <= down ? pointer_q - 1'b1 : pointer_q + 1'b1;
  end
  always @(posedge clk_i) begin
    if (begin_i) target_q <= to_i + first;
    else if (step_i) target_q <= down ? target_q - 1'b1 : target_q + 1'b1;
  end

  assign source_o = pointer_q;
  assign target_o = copy_i ? target_q : pointer_q;
  assign left_o   = left_q;
  assign last_o   = left_q == {{CountWidth - 1{1'b0}}, 1'b1};
  assign none_o   = !(|left_q);
endmodule
