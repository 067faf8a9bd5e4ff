// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output of a wormhole chip, a link or an ejection channel: the port that picks an input, and its part of the crossbar.
// Where flits keep their virtual channel, each one has a crossbar of its own, and the port picks one of their flits: so the
// crossbars do not wait for the pick.
module wormhole_output #(
  parameter              Inputs    = 5,
  parameter [Inputs-1:0] Paths     = {Inputs{1'b1}},                 // inputs that may leave here
  parameter              Vcs       = 1,
  parameter              Keeps     = 0,                              // inputs below: flits keep their vc, the input's number modulo Vcs
  parameter              BodyWidth = 40,                             // flit without its vc field
  parameter              Flit      = 1,
  parameter              Claim     = 0,                              // see output_vc
  parameter              Holders   = 0,                              // 1: idle_o and held_o work
  parameter              Mutes     = 0,                              // 1: an input that requests need not be movable
  parameter              VcWidth   = (Vcs > 1) ? $clog2(Vcs) : 1,    // derived
  parameter              FlitWidth = VcWidth + BodyWidth             // derived
) (
  input  wire                        clk_i,
  input  wire                        rst_i,
  input  wire                        tick_i,
  // Inputs of the chip.
  input  wire [Inputs-1:0]           request_i,  // a head for this output is at the front
  input  wire [Vcs*Inputs-1:0]       allowed_i,  // bit v*Inputs+i: input i's head takes output-VC v, if its flits need not keep another
  input  wire [Inputs-1:0]           movable_i,  // the front may leave
  input  wire [Inputs*BodyWidth-1:0] flit_i,     // the fronts
  output wire [Inputs-1:0]           leave_o,    // the front leaves here
  output wire [Vcs-1:0]              idle_o,     // see output_port
  output wire [Inputs-1:0]           held_o,
  // The link or PE.
  input  wire                        rest_i,     // offer nothing
  input  wire [Vcs-1:0]              ready_i,
  input  wire                        go_i,       // an offered flit crosses
  output wire                        offer_o,
  output wire                        ready_o,    // the offered flit's vc is ready
  output wire [FlitWidth-1:0]        flit_o
);
  // Inputs that may take output-VC `vc`.
  function [Inputs-1:0] lane(input integer vc);
    integer n;
    begin
      for (n = 0; n < Inputs; n = n + 1) lane[n] = n >= Keeps || n % Vcs == vc;
    end
  endfunction

  wire [Inputs-1:0]     tail;
  wire [Vcs*Inputs-1:0] allowed;
  wire [Vcs*Inputs-1:0] owner;
  wire [Inputs-1:0]     select;
  wire [Vcs-1:0]        picked;
  wire [VcWidth-1:0]    vc;
  wire [BodyWidth-1:0]  body;
  assign flit_o = {vc, body};

  genvar i;
  genvar v;
  generate
    for (i = 0; i < Inputs; i = i + 1) begin : gen_tail
      assign tail[i] = Paths[i] ? flit_i[i*BodyWidth+BodyWidth-2] : 1'b0;
    end
    for (v = 0; v < Vcs; v = v + 1) begin : gen_allowed
      assign allowed[v*Inputs+:Inputs] = allowed_i[v*Inputs+:Inputs] & lane(v);
    end
  endgenerate

  output_port #(
    .Inputs (Inputs),
    .Vcs    (Vcs),
    .Flit   (Flit),
    .Claim  (Claim),
    .Holders(Holders),
    .Mutes  (Mutes)
  ) i_port (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .tick_i   (tick_i),
    .request_i(request_i & Paths),
    .allowed_i(allowed),
    .movable_i(movable_i),
    .tail_i   (tail),
    .rest_i   (rest_i),
    .ready_i  (ready_i),
    .go_i     (go_i),
    .offer_o  (offer_o),
    .ready_o  (ready_o),
    .vc_o     (picked),
    .idle_o   (idle_o),
    .held_o   (held_o),
    .owner_o  (owner),
    .select_o (select),
    .leave_o  (leave_o)
  );

  generate
    if (Vcs == 1 || Keeps == 0) begin : gen_together
      wire unused_owner = &{1'b0, owner};
      crossbar_mux #(
        .Inputs(Inputs),
        .Width (BodyWidth),
        .Paths (Paths)
      ) i_crossbar (
        .select_i(select),
        .flit_i  (flit_i),
        .flit_o  (body)
      );
    end else begin : gen_apart
      wire [Vcs*BodyWidth-1:0] bodies;  // by virtual channel
      wire                     unused_select = &{1'b0, select};
      for (v = 0; v < Vcs; v = v + 1) begin : gen_vc
        crossbar_mux #(
          .Inputs(Inputs),
          .Width (BodyWidth),
          .Paths (Paths & lane(v))
        ) i_crossbar (
          .select_i(owner[v*Inputs+:Inputs]),
          .flit_i  (flit_i),
          .flit_o  (bodies[v*BodyWidth+:BodyWidth])
        );
      end
      crossbar_mux #(
        .Inputs(Vcs),
        .Width (BodyWidth)
      ) i_pick (
        .select_i(picked),
        .flit_i  (bodies),
        .flit_o  (body)
      );
    end
  endgenerate

  vc_encoder #(
    .Vcs(Vcs)
  ) i_vc (
    .vc_i(picked),
    .vc_o(vc)
  );

`ifndef SYNTHESIS
  rule #(
    .Name("wormhole_output/turn-exists")
  ) i_turn_exists (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & |(request_i & ~Paths))
  );
`endif
endmodule
