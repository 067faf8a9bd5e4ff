// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Something that one of several links starts, and that occupies what they share for the time of a flit on this link. A start of link l in
// cycle t makes rest_o high in the cycles t+1 .. t+Flits[l]-1. Links that are alike share a timer.
module rest_timers #(
  parameter               Links = 4,
  parameter               Flit  = 1,
  parameter [Links*7-1:0] Flits = {Links{Flit[6:0]}}  // by link, 7 bits each
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             tick_i,
  input  wire [Links-1:0] start_i,
  output wire             rest_o
);
  genvar l;
  generate
    if (Flits == {Links{Flit[6:0]}}) begin : gen_alike
      rest_timer #(
        .Cycles(Flit)
      ) i_timer (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|start_i),
        .rest_o (rest_o)
      );
    end else begin : gen_each
      wire [Links-1:0] rests;
      assign rest_o = |rests;
      for (l = 0; l < Links; l = l + 1) begin : gen_link
        localparam [31:0] Cycles = {25'd0, Flits[l*7+:7]};
        rest_timer #(
          .Cycles(Cycles)
        ) i_timer (
          .clk_i  (clk_i),
          .rst_i  (rst_i),
          .tick_i (tick_i),
          .start_i(start_i[l]),
          .rest_o (rests[l])
        );
      end
    end
  endgenerate
endmodule
