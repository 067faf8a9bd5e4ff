// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// What a PE computes from two registers, or from a register and an immediate: one adder for sums, differences,
// comparisons and addresses.
module pe_alu #(
  parameter Word = 32
) (
  input  wire [Word-1:0] a_i,
  input  wire [Word-1:0] b_i,
  input  wire [Word-1:0] imm_i,
  input  wire [Word-1:0] now_i,
  input  wire            takes_imm_i,  // the second operand is the immediate
  input  wire            takes_now_i,  // it is the cycle
  input  wire            subtract_i,
  input  wire            smaller_i,    // result: the smaller one
  input  wire            larger_i,
  input  wire            second_i,     // result: the second operand
  input  wire            first_i,
  input  wire            upper_i,      // result: the lower half of a, below it the immediate
  output wire [Word-1:0] sum_o,
  output reg  [Word-1:0] result_o,
  output wire            less_o,       // a < second, signed
  output wire            equal_o,
  output wire            due_o         // cycle a is here or past, modulo 2^Word
);
  wire [Word-1:0] second = takes_now_i ? now_i : takes_imm_i ? imm_i : b_i;
  wire [Word-1:0] added = second ^ {Word{subtract_i}};
  assign sum_o   = a_i + added + {{Word - 1{1'b0}}, subtract_i};
  assign less_o  = (a_i[Word-1] != second[Word-1]) ? a_i[Word-1] : sum_o[Word-1];
  assign equal_o = a_i == second;
  assign due_o   = sum_o[Word-1] | equal_o;

  wire [Word-1:0] upper;
  generate
    if (Word > 16) begin : gen_upper
      assign upper = {imm_i[Word-17:0], a_i[15:0]};
    end else begin : gen_upper
      assign upper = a_i;
    end
  endgenerate

  always @* begin
    result_o = sum_o;
    if (first_i | ((smaller_i | larger_i) & (less_o == smaller_i))) result_o = a_i;
    else if (second_i | smaller_i | larger_i) result_o = second;
    else if (upper_i) result_o = upper;
  end
endmodule
