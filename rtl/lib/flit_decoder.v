// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The other side of flit_encoder. SECDED corrects one wrong bit and detects two, parity detects every odd number. Data
// with detected errors stay as they are.
module flit_decoder #(
  parameter Width  = 32,
  parameter Checks = 7
) (
  input  wire [Width+Checks-1:0] word_i,
  output wire [Width-1:0]        data_o,
  output wire                    corrected_o,
  output wire                    detected_o
);
  wire odd = ^word_i;

  generate
    if (Checks == 1) begin : gen_parity
      assign data_o = word_i[Width-1:0];
      assign corrected_o = 1'b0;
      assign detected_o = odd;
    end else begin : gen_secded
      wire [Checks-2:0] syndrome;
      wire [Width-1:0]  wrong;
      wire              of_checks = !(|(syndrome & (syndrome - 1'b1)));  // the wrong bit is no data bit
      hamming #(
        .Width (Width),
        .Checks(Checks - 1)
      ) i_hamming (
        .data_i    (word_i[Width-1:0]),
        .checks_i  (word_i[Width+:Checks-1]),
        .syndrome_o(syndrome),
        .wrong_o   (wrong)
      );
      assign data_o = word_i[Width-1:0] ^ (wrong & {Width{odd}});
      assign corrected_o = odd & (of_checks | (|wrong));
      assign detected_o = odd ? !of_checks & !(|wrong) : |syndrome;
    end
  endgenerate
endmodule
