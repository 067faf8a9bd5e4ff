// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A single-port chip sends at most one flit over its links per cycle, and receives at most one: both pickers are
// round robin. Otherwise every offer goes out, and every arrival is taken.
module single_port #(
  parameter               Ports     = 4,
  parameter               Flit      = 1,
  parameter [Ports*7-1:0] Flits     = {Ports{Flit[6:0]}},  // of the outgoing links, see rest_timers
  parameter [Ports*7-1:0] TakeFlits = {Ports{Flit[6:0]}},  // of the incoming links
  parameter               Enabled   = 1
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             tick_i,
  // Send: those with room behind their link are preferred.
  input  wire [Ports-1:0] offer_i,
  input  wire [Ports-1:0] room_i,
  input  wire [Ports-1:0] fire_i,
  output wire [Ports-1:0] valid_o,
  output wire             send_rest_o,  // no offers in this cycle
  // Receive.
  input  wire [Ports-1:0] arrival_i,
  output wire [Ports-1:0] take_o
);
  generate
    if (Enabled == 0) begin : gen_all
      wire unused = &{1'b0, clk_i, rst_i, tick_i, room_i, fire_i, arrival_i};
      assign valid_o = offer_i;
      assign send_rest_o = 1'b0;
      assign take_o = {Ports{1'b1}};
    end else begin : gen_single
      wire [Ports-1:0] ready = offer_i & room_i;
      wire [Ports-1:0] take;
      wire             take_rest;
      wire             taken = |take_o;
      assign take_o = take & {Ports{!take_rest}};

      round_robin #(
        .Inputs(Ports)
      ) i_send (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .update_i (tick_i & |fire_i),
        .request_i((|ready) ? ready : offer_i),
        .prefer_i ({Ports{1'b0}}),
        .grant_o  (valid_o)
      );

      round_robin #(
        .Inputs(Ports)
      ) i_take (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .update_i (tick_i & taken),
        .request_i(arrival_i),
        .prefer_i ({Ports{1'b0}}),
        .grant_o  (take)
      );

      rest_timers #(
        .Links(Ports),
        .Flit (Flit),
        .Flits(Flits)
      ) i_send_rest (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(fire_i),
        .rest_o (send_rest_o)
      );

      rest_timers #(
        .Links(Ports),
        .Flit (Flit),
        .Flits(TakeFlits)
      ) i_take_rest (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(take_o),
        .rest_o (take_rest)
      );

`ifndef SYNTHESIS
      rule #(
        .Name("single_port/one-flit-out")
      ) i_one_flit_out (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(|(fire_i & (fire_i - 1'b1)))
      );
      rule #(
        .Name("single_port/one-flit-in")
      ) i_one_flit_in (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(|(take_o & (take_o - 1'b1)))
      );
`endif
    end
  endgenerate
endmodule
