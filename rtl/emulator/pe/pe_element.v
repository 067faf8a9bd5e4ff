// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// What a PE computes from an element of one register and that of another, or an immediate: one adder for sums,
// differences, comparisons and addresses.
module pe_element #(
  parameter Width = 32
) (
  input  wire [Width-1:0] a_i,
  input  wire [Width-1:0] b_i,
  input  wire             subtract_i,
  input  wire             smaller_i,  // result: the smaller one
  input  wire             larger_i,
  input  wire             second_i,   // result: b
  input  wire             first_i,    // result: a
  input  wire             joined_i,   // result: word_i
  input  wire [Width-1:0] word_i,
  output wire [Width-1:0] sum_o,
  output reg  [Width-1:0] result_o,
  output wire             less_o,     // a < b, signed
  output wire             equal_o
);
  wire [Width-1:0] added = b_i ^ {Width{subtract_i}};
  assign sum_o   = a_i + added + {{Width - 1{1'b0}}, subtract_i};
  assign less_o  = (a_i[Width-1] != b_i[Width-1]) ? a_i[Width-1] : sum_o[Width-1];
  assign equal_o = a_i == b_i;

  always @* begin
    result_o = sum_o;
    if (first_i | ((smaller_i | larger_i) & (less_o == smaller_i))) result_o = a_i;
    else if (second_i | smaller_i | larger_i) result_o = b_i;
    else if (joined_i) result_o = word_i;
  end
endmodule
