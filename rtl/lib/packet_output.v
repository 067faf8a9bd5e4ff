// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output of a chip that switches packets over all ports. It sends one packet at a time, the oldest request first; of
// several that begin together the lower input's. A packet that was picked waits for room behind the link.
//
//   request_i -> age_arbiter -> pick -> from -> mux -> flit_o
//   room_i ---------------------------> packet_timer -> fire_o
module packet_output #(
  parameter              Inputs = 5,
  parameter              Width  = 40,              // flit
  parameter [Inputs-1:0] Paths  = {Inputs{1'b1}},  // inputs that may leave here
  parameter [Inputs-1:0] Twice  = {Inputs{1'b1}},  // inputs whose front is one of two flits
  parameter              Setup  = 0,               // ticks per packet and link
  parameter              Flit   = 1                // ticks per flit and link
) (
  input  wire                      clk_i,
  input  wire                      rst_i,
  input  wire                      tick_i,
  input  wire [Inputs-1:0]         request_i,  // a head that may go; stays until it has left
  input  wire [Inputs-1:0]         tail_i,     // the front is a tail
  input  wire [2*Inputs*Width-1:0] flit_i,     // two flits of each input, the second one higher
  input  wire [Inputs-1:0]         second_i,   // the front is the second one; with Twice only
  input  wire                      room_i,     // for a largest packet behind the link; from registers
  output wire                      offer_o,    // a flit crosses, or the oldest request waits for room
  output wire                      fire_o,     // the flit crosses in this tick
  output wire [Inputs-1:0]         leave_o,    // input that it leaves: one-hot or zero
  output wire [Width-1:0]          flit_o      // means something with fire_o
);
  reg               held_q;  // a packet was picked and has not started
  reg  [Inputs-1:0] from_q;
  wire [Inputs-1:0] pick;
  wire              busy;
  wire              old = held_q | busy;  // from_q was picked before
  wire [Inputs-1:0] from = old ? from_q : pick;
  wire              ask = held_q | (|pick);
  wire              start = ask & room_i;
  wire [Inputs-1:0] sent = (Setup + Flit == 1) ? from : from_q;  // whose flits cross: picked before, unless they leave at once
  assign offer_o = fire_o | (ask & !room_i);
  assign leave_o = fire_o ? sent : {Inputs{1'b0}};

  age_arbiter #(
    .Inputs(Inputs)
  ) i_arbiter (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .tick_i   (tick_i),
    .request_i(request_i & Paths & ~(old ? from_q : {Inputs{1'b0}})),
    .ready_i  ({Inputs{!old}}),
    .grant_o  (pick)
  );

  always @(posedge clk_i) begin
    if (tick_i & !old) from_q <= pick;
    if (rst_i) held_q <= 1'b0;
    else if (tick_i) held_q <= ask & !room_i;
  end

  packet_timer #(
    .Setup(Setup),
    .Flit (Flit)
  ) i_timer (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .start_i(start),
    .tail_i (|(sent & tail_i)),
    .busy_o (busy),
    .fire_o (fire_o)
  );

  // The bits of two vectors in turn, as the flits of an input stand side by side.
  function [2*Inputs-1:0] in_turn(input [Inputs-1:0] second, input [Inputs-1:0] first);
    integer n;
    begin
      for (n = 0; n < Inputs; n = n + 1) in_turn[2*n+:2] = {second[n], first[n]};
    end
  endfunction

  wire [Inputs-1:0] second = second_i & Twice;
  crossbar_mux #(
    .Inputs(2 * Inputs),
    .Width (Width),
    .Paths (in_turn(Paths & Twice, Paths)),
    .Early ((Setup + Flit == 1) ? 0 : 1)
  ) i_mux (
    .select_i(in_turn(sent & second, sent & ~second)),
    .flit_i  (flit_i),
    .flit_o  (flit_o)
  );

`ifndef SYNTHESIS
  rule #(
    .Name("packet_output/request-stays")
  ) i_request_stays (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & held_q & !(|(from_q & request_i)))
  );
  rule #(
    .Name("packet_output/turn-exists")
  ) i_turn_exists (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & |(request_i & ~Paths))
  );
`endif
endmodule
