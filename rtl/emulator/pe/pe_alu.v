// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// What a PE computes from two registers, or from a register and an immediate. A word of more than 32 bits has elements
// of 32 bits, which are computed each by itself: immediates, cycles, addresses and order are those of element 0.
module pe_alu #(
  parameter Word    = 32,
  parameter Element = (Word > 32) ? 32 : Word  // derived
) (
  input  wire [Word-1:0]    a_i,
  input  wire [Word-1:0]    b_i,
  input  wire [Element-1:0] imm_i,
  input  wire [Element-1:0] now_i,
  input  wire               takes_imm_i,  // the second operand is the immediate
  input  wire               takes_now_i,  // it is the cycle
  input  wire               subtract_i,
  input  wire               smaller_i,    // result: the smaller one
  input  wire               larger_i,
  input  wire               second_i,     // result: the second operand
  input  wire               first_i,
  input  wire               upper_i,      // result: the lower half of a, below it the immediate
  output wire [Element-1:0] sum_o,
  output wire [Word-1:0]    result_o,
  output wire               less_o,       // a < second, signed
  output wire               equal_o,      // in all elements
  output wire               due_o         // cycle a is here or past, modulo 2^Element
);
  wire [Element-1:0]      second = takes_now_i ? now_i : takes_imm_i ? imm_i : b_i[Element-1:0];
  wire [Element-1:0]      upper;
  wire [Word/Element-1:0] equal;
  assign equal_o = &equal;
  assign due_o   = sum_o[Element-1] | equal[0];

  pe_element #(
    .Width(Element)
  ) i_element (
    .a_i       (a_i[Element-1:0]),
    .b_i       (second),
    .subtract_i(subtract_i),
    .smaller_i (smaller_i),
    .larger_i  (larger_i),
    .second_i  (second_i),
    .first_i   (first_i),
    .joined_i  (upper_i),
    .word_i    (upper),
    .sum_o     (sum_o),
    .result_o  (result_o[Element-1:0]),
    .less_o    (less_o),
    .equal_o   (equal[0])
  );

  genvar k;
  generate
    if (Element > 16) begin : gen_upper
      assign upper = {imm_i[Element-17:0], a_i[15:0]};
    end else begin : gen_upper
      assign upper = a_i;
    end

    for (k = 1; k < Word / Element; k = k + 1) begin : gen_element
      wire [Element-1:0] sum;
      wire               less;
      wire               unused = &{1'b0, sum, less};
      pe_element #(
        .Width(Element)
      ) i_element (
        .a_i       (a_i[k*Element+:Element]),
        .b_i       ((takes_now_i | takes_imm_i) ? {Element{1'b0}} : b_i[k*Element+:Element]),
        .subtract_i(subtract_i),
        .smaller_i (smaller_i),
        .larger_i  (larger_i),
        .second_i  (second_i),
        .first_i   (first_i),
        .joined_i  (upper_i),
        .word_i    (a_i[k*Element+:Element]),
        .sum_o     (sum),
        .result_o  (result_o[k*Element+:Element]),
        .less_o    (less),
        .equal_o   (equal[k])
      );
    end
  endgenerate
endmodule
