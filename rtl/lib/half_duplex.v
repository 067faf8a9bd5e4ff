// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Half duplex: an ejected flit and an injected one exclude each other for the time of a flit, and with one
// channel so do injected ones.
module half_duplex #(
  parameter               Links    = 1,
  parameter               Flit     = 1,
  parameter [Links*7-1:0] Flits    = {Links{Flit[6:0]}},  // of the links, see rest_timers
  parameter               Channels = 1,
  parameter               Enabled  = 1
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             tick_i,
  input  wire             receive_i,  // a flit is ejected
  input  wire [Links-1:0] send_i,     // a flit leaves an injection register by the link
  output wire             mute_o,     // no flit may leave an injection register
  output wire             rest_o      // nothing may be ejected
);
  generate
    if (Enabled == 0) begin : gen_full
      wire unused = &{1'b0, clk_i, rst_i, tick_i, receive_i, send_i};
      assign mute_o = 1'b0;
      assign rest_o = 1'b0;
    end else begin : gen_half
      wire received;
      assign mute_o = receive_i | received | (rest_o & (Channels == 1));
      rest_timer #(
        .Cycles(Flit)
      ) i_received (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(receive_i),
        .rest_o (received)
      );
      rest_timers #(
        .Links(Links),
        .Flit (Flit),
        .Flits(Flits)
      ) i_sent (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(send_i),
        .rest_o (rest_o)
      );
    end
  endgenerate
endmodule
