// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output port, a link or an ejection channel: picks one of its virtual channels and offers that one's flit.
// Ready ones are preferred, but valid never waits for ready.
module output_port #(
  parameter Inputs     = 5,
  parameter Vcs        = 1,
  parameter Flit       = 1, // cycles from a fire to the next offer
  parameter Claim      = 0, // see output_vc
  parameter Holders    = 0, // 1: idle_o and held_o work
  parameter Mutes      = 0  // 1: an input that requests need not be movable
) (
  input  wire                  clk_i,
  input  wire                  rst_i,
  input  wire                  tick_i,
  input  wire [Inputs-1:0]     request_i,  // input has a head for this port at its front
  input  wire [Vcs*Inputs-1:0] allowed_i,  // bit v*Inputs+i: input i's head takes output-VC v
  input  wire [Inputs-1:0]     movable_i,
  input  wire [Inputs-1:0]     tail_i,     // the input's front is a tail
  input  wire                  rest_i,     // offer nothing
  input  wire [Vcs-1:0]        ready_i,    // room behind the link
  input  wire                  go_i,       // an offered flit crosses
  output wire                  offer_o,
  output wire                  ready_o,    // the picked one has room
  output wire [Vcs-1:0]        vc_o,       // one-hot
  output wire [Vcs-1:0]        idle_o,     // nobody owns the virtual channel at the start of the cycle
  output wire [Inputs-1:0]     held_o,     // input owns a virtual channel at the start of the cycle
  output wire [Vcs*Inputs-1:0] owner_o,    // by virtual channel, see output_vc
  output wire [Inputs-1:0]     select_o,   // one-hot: the input whose flit is offered
  output wire [Inputs-1:0]     leave_o     // the same, if it crosses
);
  wire [Vcs-1:0]        want;
  wire [Vcs*Inputs-1:0] owner;
  wire [Vcs*Inputs-1:0] held;    // by virtual channel
  wire [Vcs*Inputs-1:0] leave;
  wire                  rest;
  wire                  still = rest | rest_i;
  wire                  go = go_i & !still;
  wire                  fire = offer_o & go_i;
  assign offer_o = |want & !still;
  assign ready_o = |(vc_o & ready_i);
  assign owner_o = owner;

  genvar v;
  generate
    for (v = 0; v < Vcs; v = v + 1) begin : gen_vc
      output_vc #(
        .Inputs(Inputs),
        .Claim (Claim),
        .Mutes (Mutes)
      ) i_vc (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(request_i & allowed_i[v*Inputs+:Inputs]),
        .movable_i(movable_i),
        .tail_i   (tail_i),
        .go_i     (go & vc_o[v]),
        .owner_o  (owner[v*Inputs+:Inputs]),
        .want_o   (want[v]),
        .held_o   (held[v*Inputs+:Inputs]),
        .leave_o  (leave[v*Inputs+:Inputs])
      );
    end

    if (Holders == 0) begin : gen_no_holders
      wire unused_held = &{1'b0, held};
      assign idle_o = {Vcs{1'b0}};
      assign held_o = {Inputs{1'b0}};
    end else begin : gen_holders
      for (v = 0; v < Vcs; v = v + 1) begin : gen_idle
        assign idle_o[v] = !(|held[v*Inputs+:Inputs]);
      end
      any_of #(
        .Count(Vcs),
        .Width(Inputs)
      ) i_held (
        .words_i(held),
        .any_o  (held_o)
      );
    end

    if (Vcs == 1) begin : gen_one
      assign vc_o = 1'b1;
      assign select_o = owner;
      assign leave_o = leave;
    end else begin : gen_pick
      wire [Vcs*Inputs-1:0] picked;  // the owner of the picked virtual channel
      for (v = 0; v < Vcs; v = v + 1) begin : gen_picked
        assign picked[v*Inputs+:Inputs] = vc_o[v] ? owner[v*Inputs+:Inputs] : {Inputs{1'b0}};
      end
      round_robin #(
        .Inputs (Vcs),
        .Prefers(1)
      ) i_pick (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .update_i (tick_i & fire),
        .request_i(want),
        .prefer_i (ready_i),
        .grant_o  (vc_o)
      );
      any_of #(
        .Count(Vcs),
        .Width(Inputs)
      ) i_select (
        .words_i(picked),
        .any_o  (select_o)
      );
      any_of #(
        .Count(Vcs),
        .Width(Inputs)
      ) i_leave (
        .words_i(leave),
        .any_o  (leave_o)
      );
    end
  endgenerate

  rest_timer #(
    .Cycles(Flit)
  ) i_rest (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .start_i(fire),
    .rest_o (rest)
  );

`ifndef SYNTHESIS
  rule #(
    .Name("output_port/select-is-one-hot")
  ) i_select_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(offer_o & (!(|select_o) | |(select_o & (select_o - 1'b1))))
  );
  rule #(
    .Name("output_port/vc-is-one-hot")
  ) i_vc_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(offer_o & (!(|vc_o) | |(vc_o & (vc_o - 1'b1))))
  );
`endif
endmodule
