// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// What enters in cycle t leaves in cycle t+Stages; with no stage it is a wire.
module delay_line #(
  parameter Width  = 32,
  parameter Stages = 0
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             tick_i,
  input  wire             valid_i,
  input  wire [Width-1:0] flit_i,
  output wire             valid_o,
  output wire [Width-1:0] flit_o
);
  generate
    if (Stages < 0) begin : gen_bad_stages
      delay_line_cannot_have_a_negative_number_of_stages i_stop ();
    end
    if (Stages <= 0) begin : gen_wire
      wire unused = &{1'b0, clk_i, rst_i, tick_i};
      assign valid_o = valid_i;
      assign flit_o  = flit_i;
    end else begin : gen_stages
      reg  [Stages-1:0]       valid_q;
      reg  [Stages*Width-1:0] flit_q;
      wire [Stages:0]         valid_d = {valid_q, valid_i};
      wire [(Stages+1)*Width-1:0] flit_d = {flit_q, flit_i};
      assign valid_o = valid_d[Stages];
      assign flit_o  = flit_d[Stages*Width+:Width];

      always @(posedge clk_i) begin
        if (rst_i) valid_q <= {Stages{1'b0}};
        else if (tick_i) valid_q <= valid_d[Stages-1:0];
      end

      always @(posedge clk_i) begin
        if (tick_i) flit_q <= flit_d[Stages*Width-1:0];
      end
    end
  endgenerate
endmodule
