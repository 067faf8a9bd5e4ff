// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The outputs of a wormhole chip: a link output for each port, and the ejection channels. Inputs are numbered as in
// wormhole_inputs.
module wormhole_outputs #(
  parameter                       Ports      = 4,
  parameter                       Vcs        = 1,
  parameter                       Channels   = 1,
  parameter                       Flit       = 1,
  parameter [Ports*7-1:0]         Flits      = {Ports{Flit[6:0]}},           // of the outgoing links, see rest_timers
  parameter [Ports*7-1:0]         TakeFlits  = {Ports{Flit[6:0]}},           // of the incoming links
  parameter                       Claim      = 0,
  parameter                       SinglePort = 0,
  parameter                       HalfDuplex = 0,
  parameter                       Dateline   = 0,
  parameter                       Kind       = 0,
  parameter                       Classes    = Vcs,                          // see wormhole_router
  parameter [Ports*(Ports+1)-1:0] Paths      = {Ports * (Ports + 1) {1'b1}},
  parameter                       BodyWidth  = 40,                           // flit without its vc field
  parameter                       VcWidth    = (Vcs > 1) ? $clog2(Vcs) : 1,  // derived, as all below
  parameter                       FlitWidth  = VcWidth + BodyWidth,
  parameter                       Inputs     = Ports * Vcs + Channels
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire                          tick_i,
  input  wire [Ports-1:0]              wraps_i,
  // Inputs of the chip.
  input  wire [Inputs-1:0]             valid_i,
  /* verilator lint_off UNUSED */  // the registers' fronts: nothing is sent to its own node
  input  wire [Inputs*BodyWidth-1:0]   front_i,
  /* verilator lint_on UNUSED */
  input  wire [Inputs*BodyWidth-1:0]   onward_i,
  input  wire [Inputs*(Ports+1)-1:0]   goes_i,
  input  wire [Inputs-1:0]             turn_i,
  input  wire [Inputs*Vcs-1:0]         chosen_i,
  input  wire [Channels*VcWidth-1:0]   inj_vc_i,
  output wire [Inputs-1:0]             pop_o,
  output wire [Ports*Vcs-1:0]          unclaimed_o,  // heads choose: nobody has claimed the output-VC
  // Links and PE.
  output wire [Ports-1:0]              valid_o,
  output wire [Ports*FlitWidth-1:0]    flit_o,
  input  wire [Ports*Vcs-1:0]          ready_i,
  input  wire [Ports-1:0]              take_i,
  input  wire [Ports-1:0]              offer_i,
  output wire [Ports-1:0]              take_o,
  output wire [Channels-1:0]           ej_valid_o,
  input  wire [Channels*Vcs-1:0]       ej_ready_i,
  output wire [Channels*FlitWidth-1:0] ej_flit_o
);
  localparam Buffers = Ports * Vcs;
  localparam Sources = Buffers / Channels;             // buffers per ejection channel
  localparam Adaptive = (Kind >= 6) ? 1 : 0;
  localparam Free = (Adaptive == 0 && Classes < Vcs) ? 1 : 0;  // heads choose among the virtual channels of their link
  localparam Chooses = (Adaptive != 0 || Free != 0) ? 1 : 0;
  localparam Own = (Channels > 1 && Kind < 4) ? 1 : 0;  // a message is injected at the channel of the link that it takes

  // Inputs that have a path to link output `port`.
  function [Inputs-1:0] with_path_to(input integer port);
    integer n;
    begin
      for (n = 0; n < Buffers; n = n + 1) with_path_to[n] = Paths[port*(Ports+1)+n/Vcs];
      for (n = 0; n < Channels; n = n + 1) with_path_to[Buffers+n] = Paths[port*(Ports+1)+Ports] && (Own == 0 || n == port);
    end
  endfunction

  // Inputs that come from the dimension of link output `port`.
  function [Buffers-1:0] in_dimension_of(input integer port);
    integer n;
    begin
      for (n = 0; n < Buffers; n = n + 1) in_dimension_of[n] = n / Vcs / 2 == port / 2;
    end
  endfunction

  wire                    mute;       // nothing leaves an injection register
  wire                    ej_rest;    // nothing is ejected
  wire                    send_rest;  // no link output offers anything
  wire [Channels-1:0]     ej_fire;
  wire [Buffers-1:0]      ej_leave;
  wire [Ports-1:0]        offer;
  wire [Ports-1:0]        room;       // the offered flit's vc is ready
  wire [Ports-1:0]        fire = valid_o & room & take_i;
  wire [Ports-1:0]        go = (SinglePort != 0) ? fire : room & take_i;  // does not wait for valid_o
  wire [Ports*Inputs-1:0] leave;      // bit o*Inputs+i: the front of input i leaves by link output o
  wire [Ports*Inputs-1:0] held;       // heads choose: input i owns a channel of link output o
  wire [Inputs-1:0]       movable = valid_i & ~{{Channels{mute}}, {Buffers{1'b0}}};
  wire [Inputs-1:0]       left;
  wire [Ports-1:0]        injected;   // a register's flit leaves by the link
  wire [Inputs-1:0]       claimed;    // heads choose: inputs whose heads have claimed a link output and request no other
  wire                    unused = &{1'b0, turn_i, chosen_i};
  wire [Ports*FlitWidth-1:0]    sent;     // put together once, see wormhole_inputs
  wire [Channels*FlitWidth-1:0] ejected;
  assign flit_o = sent;
  assign ej_flit_o = ejected;
  assign pop_o = left | {{Channels{1'b0}}, ej_leave};

  genvar c, i, o;
  generate
    for (c = 0; c < Channels; c = c + 1) begin : gen_ejection
      wire               taken;
      wire [Vcs-1:0]     unused_idle;
      wire [Sources-1:0] unused_held;
      wire [Sources-1:0] arrived;
      for (i = 0; i < Sources; i = i + 1) begin : gen_arrived
        assign arrived[i] = goes_i[(c*Sources+i)*(Ports+1)+Ports];
      end
      assign ej_fire[c] = ej_valid_o[c] & taken;
      wormhole_output #(
        .Inputs   (Sources),
        .Vcs      (Vcs),
        .Keeps    (Sources),
        .BodyWidth(BodyWidth),
        .Flit     (Flit),
        .Claim    (Claim)
      ) i_output (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(arrived),
        .allowed_i({Vcs * Sources{1'b1}}),
        .movable_i(valid_i[c*Sources+:Sources]),
        .flit_i   (front_i[c*Sources*BodyWidth+:Sources*BodyWidth]),
        .leave_o  (ej_leave[c*Sources+:Sources]),
        .idle_o   (unused_idle),
        .held_o   (unused_held),
        .rest_i   (ej_rest),
        .ready_i  (ej_ready_i[c*Vcs+:Vcs]),
        .go_i     (taken),
        .offer_o  (ej_valid_o[c]),
        .ready_o  (taken),
        .flit_o   (ejected[c*FlitWidth+:FlitWidth])
      );
    end

    for (o = 0; o < Ports; o = o + 1) begin : gen_link
      wire [Inputs-1:0]     request;
      wire [Vcs*Inputs-1:0] allowed;
      assign injected[o] = |leave[o*Inputs+Buffers+:Channels];
      for (i = 0; i < Inputs; i = i + 1) begin : gen_request
        assign request[i] = goes_i[i*(Ports+1)+o];
      end
      if (Adaptive != 0) begin : gen_chosen
        wire unused_vc = &{1'b0, inj_vc_i, wraps_i[o]};
        for (i = 0; i < Vcs * Inputs; i = i + 1) begin : gen_vc
          assign allowed[i] = chosen_i[i%Inputs*Vcs+i/Inputs];
        end
      end else begin : gen_classes
        allowed_channels #(
          .Buffers (Buffers),
          .Channels(Channels),
          .Vcs     (Vcs),
          .VcWidth (VcWidth),
          .Dateline(Dateline),
          .Classes (Classes),
          .Phase   ((Kind != 5) ? 0 : (Dateline != 0) ? 2 : 1),
          .Stay    (in_dimension_of(o))
        ) i_allowed (
          .vc_i       (inj_vc_i),
          .wraps_i    (wraps_i[o]),
          .turn_i     (turn_i[Buffers-1:0]),
          .unclaimed_i(unclaimed_o[o*Vcs+:Vcs]),
          .allowed_o  (allowed)
        );
      end
      wormhole_output #(
        .Inputs   (Inputs),
        .Paths    (with_path_to(o)),
        .Vcs      (Vcs),
        .Keeps    ((Dateline == 0 && Kind < 5 && Free == 0) ? Buffers : 0),
        .BodyWidth(BodyWidth),
        .Flit     ({25'd0, Flits[o*7+:7]}),
        .Claim    (Claim),
        .Holders  (Chooses),
        .Mutes    (HalfDuplex)
      ) i_output (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(request & ~claimed),
        .allowed_i(allowed),
        .movable_i(movable),
        .flit_i   (onward_i),
        .leave_o  (leave[o*Inputs+:Inputs]),
        .idle_o   (unclaimed_o[o*Vcs+:Vcs]),
        .held_o   (held[o*Inputs+:Inputs]),
        .rest_i   (send_rest),
        .ready_i  (ready_i[o*Vcs+:Vcs]),
        .go_i     (go[o]),
        .offer_o  (offer[o]),
        .ready_o  (room[o]),
        .flit_o   (sent[o*FlitWidth+:FlitWidth])
      );
    end
  endgenerate

  any_of #(
    .Count(Ports),
    .Width(Inputs)
  ) i_claimed (
    .words_i(held),
    .any_o  (claimed)
  );

  any_of #(
    .Count(Ports),
    .Width(Inputs)
  ) i_left (
    .words_i(leave),
    .any_o  (left)
  );

  single_port #(
    .Ports    (Ports),
    .Flit     (Flit),
    .Flits    (Flits),
    .TakeFlits(TakeFlits),
    .Enabled  (SinglePort)
  ) i_single_port (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (tick_i),
    .offer_i    (offer),
    .room_i     (room),
    .fire_i     (fire),
    .valid_o    (valid_o),
    .send_rest_o(send_rest),
    .arrival_i  (offer_i),
    .take_o     (take_o)
  );

  half_duplex #(
    .Links   (Ports),
    .Flit    (Flit),
    .Flits   (Flits),
    .Channels(Channels),
    .Enabled (HalfDuplex)
  ) i_half_duplex (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .tick_i   (tick_i),
    .receive_i(|ej_fire),
    .send_i   (injected),
    .mute_o   (mute),
    .rest_o   (ej_rest)
  );
endmodule
