// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Adds check bits to data: one is a parity bit, more are a Hamming code and a parity bit (SECDED).
//
//   parity  {parity, data}         SECDED  {parity, Hamming checks, data}
//
// The parity of the whole word is even.
module flit_encoder #(
  parameter Width  = 32,
  parameter Checks = 7
) (
  input  wire [Width-1:0]        data_i,
  output wire [Width+Checks-1:0] word_o
);
  generate
    if (Checks == 1) begin : gen_parity
      assign word_o = {^data_i, data_i};
    end else begin : gen_secded
      wire [Checks-2:0] checks;
      wire [Width-1:0]  unused_wrong;
      hamming #(
        .Width (Width),
        .Checks(Checks - 1)
      ) i_hamming (
        .data_i    (data_i),
        .checks_i  ({Checks - 1{1'b0}}),
        .syndrome_o(checks),
        .wrong_o   (unused_wrong)
      );
      assign word_o = {^{checks, data_i}, checks, data_i};
    end
  endgenerate
endmodule
