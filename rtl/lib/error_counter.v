// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Counts the errors of a chip's buffers. It stops at its greatest value.
module error_counter #(
  parameter Inputs  = 4,
  parameter Enabled = 1,  // 0: shows zero, without hardware
  parameter Width   = 16
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              tick_i,
  input  wire [Inputs-1:0] error_i,
  output wire [Width-1:0]  count_o
);
  generate
    if (Enabled == 0) begin : gen_off
      wire unused = &{1'b0, clk_i, rst_i, tick_i, error_i};
      assign count_o = {Width{1'b0}};
    end else begin : gen_on
      localparam Bits = $clog2(Inputs + 1);

      reg  [Width-1:0] count_q;
      reg  [Bits-1:0]  errors;
      wire [Width:0]   sum = {1'b0, count_q} + {{Width + 1 - Bits{1'b0}}, errors};
      integer          i;
      assign count_o = count_q;

      always @* begin
        errors = {Bits{1'b0}};
        for (i = 0; i < Inputs; i = i + 1) if (error_i[i]) errors = errors + 1'b1;
      end

      always @(posedge clk_i) begin
        if (rst_i) count_q <= {Width{1'b0}};
        else if (tick_i) count_q <= sum[Width] ? {Width{1'b1}} : sum[Width-1:0];
      end
    end
  endgenerate
endmodule
