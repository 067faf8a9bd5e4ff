// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One chip: wormhole switching, Ports links, Vcs virtual channels, Channels injection and ejection channels.
//
//   link inputs -> input_buffer -> route --+--> ejection output_ports -> PE
//                                          |
//   PE -> injection_register ----> route --+--> link output_ports -> crossbar -> links
//
// Inputs are numbered p*Vcs+v for the link ports, then Ports*Vcs+c for the injection channels. All decisions are
// taken from registers and from the flits that the PE offers in the same cycle. Flit, most significant first:
// {vc, head, tail, kind[2], tag, src, dst, route, payload}.
module wormhole_router #(
  parameter                         Ports      = 4,
  parameter                         Vcs        = 1,
  parameter                         Channels   = 1,               // 1, or one per link port
  parameter                         Buffer     = 4,               // flits per input buffer
  parameter                         Code       = 0,               // of the buffers: 0 none, 1 parity, 2 SECDED
  parameter                         Upsets     = 0,               // 1: upset_i works
  parameter                         Flit       = 1,               // cycles per flit and link
  parameter                         SinglePort = 0,               // 1: one flit out and one in per cycle
  parameter                         HalfDuplex = 0,               // 1: the PE does not send while it receives
  parameter                         Dateline   = 0,               // 1: the lowest bit of the vc is a dateline class
  parameter                         Kind       = 0,               // routing: 0 dimension order, 1 table, 2 source, 3 highest
                                                                  // dimension first, 4 O1TURN, 5 Valiant, 6 adaptive
  parameter                         Escape     = 1,               // adaptive: escape channels of a link
  parameter                         Dims       = 2,               // dimension order
  parameter [Dims*32-1:0]           Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]              Wrapped    = {Dims{1'b0}},
  parameter                         EntryWidth = 4,               // table: bits per entry
  parameter                         PortWidth  = 3,               // source: bits per hop
  parameter [Ports*(Ports+1)-1:0]   Paths      = {Ports * (Ports + 1) {1'b1}},  // bit o*(Ports+1)+i: turns i -> o exist
  parameter                         NodeWidth  = 6,
  parameter                         TagWidth   = 8,
  parameter                         RouteWidth = 0,
  parameter                         Width      = 32,
  parameter                         Word       = Width,           // bits of a stored payload, check bits included
  // Derived: leave alone.
  parameter                         VcWidth    = (Vcs > 1) ? $clog2(Vcs) : 1,
  parameter                         BodyWidth  = 4 + TagWidth + 2 * NodeWidth + RouteWidth + Width,
  parameter                         FlitWidth  = VcWidth + BodyWidth,
  parameter                         CountWidth = $clog2(Buffer + 1),
  parameter                         TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1
) (
  input  wire                            clk_i,
  input  wire                            rst_i,
  input  wire                            tick_i,       // the network's time advances at this edge
  // Constants of the chip; inputs, so that all chips share one module.
  input  wire [Dims*NodeWidth-1:0]       here_i,       // own coordinates (dimension order)
  input  wire [TableWidth-1:0]           table_i,      // next hops (table)
  input  wire [Ports-1:0]                wraps_i,      // ports whose outgoing link closes a ring (dateline)
  // Link outputs: a flit crosses when valid & ready[its vc] & take. Ready comes from registers; valid does not
  // depend on take.
  output wire [Ports-1:0]                valid_o,
  output reg  [Ports*FlitWidth-1:0]      flit_o,
  input  wire [Ports*Vcs-1:0]            ready_i,
  input  wire [Ports*Vcs-1:0]            empty_i,      // buffers behind the links (adaptive)
  input  wire [Ports-1:0]                take_i,
  // Link inputs: an offer is valid and ready where it comes from; what was taken arrives Hop-1 cycles later.
  input  wire [Ports-1:0]                offer_i,
  output wire [Ports-1:0]                take_o,
  input  wire [Ports-1:0]                valid_i,
  input  wire [Ports*FlitWidth-1:0]      flit_i,
  output reg  [Ports*Vcs*CountWidth-1:0] count_o,      // flits in each input buffer
  input  wire [Ports*Word-1:0]           upset_i,      // bits that change in the stored payload of the flit that comes in
  output wire [15:0]                     corrected_o,  // flits that left a buffer with errors, see input_buffer
  output wire [15:0]                     detected_o,
  // PE: a flit is accepted when valid & ready. Ready = injection register empty at the start of the cycle.
  input  wire [Channels-1:0]             inj_valid_i,
  input  wire [Channels*FlitWidth-1:0]   inj_flit_i,
  output wire [Channels-1:0]             inj_ready_o,
  // PE: a flit is taken when valid & ready[its vc]. Ready comes from registers; tied to ones, it costs nothing. A flit
  // that is not taken may be withdrawn or give way to another one.
  output reg  [Channels-1:0]             ej_valid_o,
  input  wire [Channels*Vcs-1:0]         ej_ready_i,
  output reg  [Channels*FlitWidth-1:0]   ej_flit_o
);
  localparam Buffers = Ports * Vcs;
  localparam Inputs = Buffers + Channels;
  localparam DstLsb = Width + RouteWidth;
  localparam HeadBit = BodyWidth - 1;
  localparam TailBit = BodyWidth - 2;

  generate
    if (Channels != 1 && Channels != Ports) begin : gen_bad_channels
      wormhole_router_has_one_channel_or_one_per_link_port i_stop ();
    end
    if (Vcs < 1) begin : gen_bad_vcs
      wormhole_router_needs_at_least_one_virtual_channel i_stop ();
    end
  endgenerate

  // Inputs that have a path to link output `port`.
  function [Inputs-1:0] with_path_to(input integer port);
    integer n;
    begin
      for (n = 0; n < Inputs; n = n + 1) with_path_to[n] = Paths[port*(Ports+1)+((n<Buffers)?n/Vcs : Ports)];
    end
  endfunction

  // Inputs that come from the dimension of link output `port`.
  function [Buffers-1:0] in_dimension_of(input integer port);
    integer n;
    begin
      for (n = 0; n < Buffers; n = n + 1) in_dimension_of[n] = n / Vcs / 2 == port / 2;
    end
  endfunction

  // Inputs that may leave by output `port`, ejection channels included.
  function [Inputs-1:0] sources_of(input integer port);
    integer n;
    begin
      sources_of = with_path_to((port < Ports) ? port : 0);
      for (n = 0; n < Inputs; n = n + 1) if (port >= Ports) sources_of[n] = n < Buffers && (Channels == 1 || n / Vcs == port - Ports);
    end
  endfunction

  function integer members(input [Inputs-1:0] mask);
    integer n;
    begin
      members = 0;
      for (n = 0; n < Inputs; n = n + 1) if (mask[n]) members = members + 1;
    end
  endfunction

  // The input at leaf `leaf` of a multiplexer: the leaf-th of `mask`, the last one again behind the end.
  function integer input_at(input [Inputs-1:0] mask, input integer leaf);
    integer n;
    integer seen;
    begin
      input_at = 0;
      seen = 0;
      for (n = 0; n < Inputs; n = n + 1) begin
        if (mask[n]) begin
          if (seen <= leaf) input_at = n;
          seen = seen + 1;
        end
      end
    end
  endfunction

  // Inputs in the upper half of their node at a multiplexer's level.
  function [Inputs-1:0] upper_at(input [Inputs-1:0] mask, input integer level);
    integer n;
    integer seen;
    begin
      seen = 0;
      for (n = 0; n < Inputs; n = n + 1) begin
        upper_at[n] = mask[n] && (seen >> (level - 1)) % 2 == 1;
        if (mask[n]) seen = seen + 1;
      end
    end
  endfunction

  genvar i;
  genvar o;
  genvar c;
  genvar l;
  genvar n;

  // Vectors are put together by small always blocks, one for each input or output: an event simulator then sees the
  // one element that changes, where continuous assignments to slices would copy the whole vector bit by bit.
  reg  [Buffers-1:0]          buffer_valid;
  reg  [Buffers-1:0]          arrived;         // heads for this chip's PE
  reg  [Buffers-1:0]          corrected;       // errors of flits that leave
  reg  [Buffers-1:0]          detected;
  reg  [Channels-1:0]         register_valid;
  wire [Channels*VcWidth-1:0] register_vc;
  reg  [Ports*Inputs-1:0]     wanted;          // bit o*Inputs+i: input i has a head for link output o
  wire [Inputs-1:0]           turning;         // Valiant: heads whose second phase begins here
  wire [Vcs*Inputs-1:0]       chosen;          // adaptive: bit v*Inputs+i: input i takes virtual channel v
  reg  [Ports*Vcs-1:0]        unclaimed;       // bit o*Vcs+v
  wire [Ports*Inputs-1:0]     held;            // bit o*Inputs+i: input i owns a channel of link output o
  wire [Inputs-1:0]           claimed;         // adaptive: inputs whose heads have claimed a link output and request no other
  wire [Buffers-1:0]          buffer_pop;
  wire [Channels-1:0]         register_leave;

  generate
    for (i = 0; i < Inputs; i = i + 1) begin : gen_input
      // The dimensions below a link's own are behind its flits (dimension order).
      localparam Turn = (i < Buffers) ? i / Vcs : Ports;
      localparam FirstDim = (i < Buffers) ? i / Vcs / 2 : 0;
      wire [BodyWidth-1:0] flit;    // at the front
      wire [BodyWidth-1:0] onward;  // as it goes onto a link
      wire [Ports:0]       port;
      wire                 valid;
      wire [Ports:0]       goes = (valid & flit[HeadBit]) ? port : {Ports + 1{1'b0}};  // bodies follow their head's claim

      if (i < Buffers) begin : gen_buffer
        localparam Vc = i % Vcs;
        wire [CountWidth-1:0] count;
        wire                  is_corrected;
        wire                  is_detected;
        wire [VcWidth-1:0]    unused_vc = flit_i[Turn*FlitWidth+BodyWidth+:VcWidth];
        always @* count_o[i*CountWidth+:CountWidth] = count;
        always @* buffer_valid[i] = valid;
        always @* arrived[i] = goes[Ports];
        always @* corrected[i] = is_corrected;
        always @* detected[i] = is_detected;

        input_buffer #(
          .Width  (BodyWidth),
          .Buffer (Buffer),
          .Code   (Code),
          .Payload(Width),
          .Word   (Word),
          .Upsets (Upsets)
        ) i_buffer (
          .clk_i      (clk_i),
          .rst_i      (rst_i),
          .tick_i     (tick_i),
          .push_i     (valid_i[Turn] & ((Vcs == 1) | (unused_vc == Vc[VcWidth-1:0]))),
          .data_i     (flit_i[Turn*FlitWidth+:BodyWidth]),
          .upset_i    (upset_i[Turn*Word+:Word]),
          .pop_i      (buffer_pop[i]),
          .valid_o    (valid),
          .data_o     (flit),
          .count_o    (count),
          .corrected_o(is_corrected),
          .detected_o (is_detected)
        );
      end else begin : gen_register
        localparam C = i - Buffers;
        wire unused_arrived = goes[Ports];
        always @* register_valid[C] = valid;
`ifndef SYNTHESIS
        rule #(
          .Name("wormhole_router/not-for-this-chip")
        ) i_not_for_this_chip (
          .clk_i   (clk_i),
          .rst_i   (rst_i),
          .broken_i(tick_i & goes[Ports])
        );
`endif

        injection_register #(
          .Width(FlitWidth)
        ) i_register (
          .clk_i  (clk_i),
          .rst_i  (rst_i),
          .tick_i (tick_i),
          .valid_i(inj_valid_i[C]),
          .flit_i (inj_flit_i[C*FlitWidth+:FlitWidth]),
          .ready_o(inj_ready_o[C]),
          .valid_o(valid),
          .flit_o ({register_vc[C*VcWidth+:VcWidth], flit}),
          .leave_i(register_leave[C])
        );
      end

      if (Kind < 4) begin : gen_route
        route #(
          .Kind      (Kind),
          .Ports     (Ports),
          .Width     (BodyWidth),
          .NodeWidth (NodeWidth),
          .DstLsb    (DstLsb),
          .RouteLsb  (Width),
          .RouteWidth(RouteWidth),
          .PortWidth (PortWidth),
          .EntryWidth(EntryWidth),
          .Dims      (Dims),
          .Sizes     (Sizes),
          .Wrapped   (Wrapped),
          .FirstDim  (FirstDim)
        ) i_route (
          .flit_i (flit),
          .here_i (here_i),
          .table_i(table_i),
          .flit_o (onward),
          .port_o (port)
        );
        assign turning[i] = 1'b0;
      end else begin : gen_route
        wire unused_table = &{1'b0, table_i};
        assign onward = flit;
        if (Kind == 4 || Kind == 5) begin : gen_class
          localparam ClassBit = (Dateline != 0) ? 1 : 0;
          wire in_class;
          if (i < Buffers) begin : gen_of_buffer
            assign in_class = (i % Vcs >> ClassBit) % 2 == 1;
          end else begin : gen_of_register
            assign in_class = register_vc[(i-Buffers)*VcWidth+ClassBit];
          end
          if (Kind == 4) begin : gen_o1turn
            assign turning[i] = 1'b0;
            route_o1turn #(
              .Dims     (Dims),
              .Sizes    (Sizes),
              .Wrapped  (Wrapped),
              .NodeWidth(NodeWidth)
            ) i_route (
              .class_i(in_class),
              .dst_i  (flit[DstLsb+:NodeWidth]),
              .here_i (here_i),
              .port_o (port)
            );
          end else begin : gen_valiant
            wire turn;
            assign turning[i] = turn;
            route_valiant #(
              .Dims     (Dims),
              .Sizes    (Sizes),
              .Wrapped  (Wrapped),
              .NodeWidth(NodeWidth)
            ) i_route (
              .class_i(in_class),
              .via_i  (flit[Width+:NodeWidth]),
              .dst_i  (flit[DstLsb+:NodeWidth]),
              .here_i (here_i),
              .port_o (port),
              .turn_o (turn)
            );
          end
        end else if (Kind == 6) begin : gen_adaptive
          wire [Vcs-1:0] vc;
          assign turning[i] = 1'b0;
          route_adaptive #(
            .Dims     (Dims),
            .Sizes    (Sizes),
            .Wrapped  (Wrapped),
            .NodeWidth(NodeWidth),
            .Vcs      (Vcs),
            .Escape   (Escape)
          ) i_route (
            .dst_i (flit[DstLsb+:NodeWidth]),
            .here_i(here_i),
            .idle_i(unclaimed & empty_i),
            .port_o(port),
            .vc_o  (vc)
          );
          for (n = 0; n < Vcs; n = n + 1) begin : gen_chosen
            assign chosen[n*Inputs+i] = vc[n];
          end
        end else begin : gen_bad_kind
          routing_kind_is_none_of_the_seven i_stop ();
        end
      end

`ifndef SYNTHESIS
      rule #(
        .Name("wormhole_router/port-is-one-hot")
      ) i_port_is_one_hot (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(tick_i & valid & flit[HeadBit] & (!(|port) | |(port & (port - 1'b1))))
      );
`endif

      for (o = 0; o < Ports; o = o + 1) begin : gen_wanted
        localparam [Ports:0] Mask = (Paths[o*(Ports+1)+Turn] != 0) ? {{Ports{1'b0}}, 1'b1} << o : {Ports + 1{1'b0}};
        always @* wanted[o*Inputs+i] = |(goes & Mask);
      end
    end
  endgenerate

  generate
    if (Kind != 6) begin : gen_not_adaptive
      wire unused_empty = &{1'b0, empty_i, unclaimed, held};
      assign claimed = {Inputs{1'b0}};
      assign chosen = {Vcs * Inputs{1'b0}};
    end else begin : gen_adaptive_claims
      reg [Inputs-1:0] holders;
      integer          k;
      always @* begin
        holders = {Inputs{1'b0}};
        for (k = 0; k < Ports; k = k + 1) holders = holders | held[k*Inputs+:Inputs];
      end
      assign claimed = holders;
    end
  endgenerate
  wire unused_turning = &{1'b0, turning, chosen};

  // Crossbar: for each output a binary tree over the inputs that have a path, the selected one's flit at its root, or
  // any flit when none is selected. Two four-input tables per bit for four inputs, where and-or needs three.
  generate
    for (o = 0; o < Ports + Channels; o = o + 1) begin : gen_crossbar
      localparam [Inputs-1:0] Members = sources_of(o);
      localparam Leaves = members(Members);
      localparam Levels = (Leaves > 1) ? $clog2(Leaves) : 0;
      wire [Inputs-1:0]    select;  // one-hot or zero
      wire [BodyWidth-1:0] flit;
      if (Levels == 0) begin : gen_unused
        wire unused = &{1'b0, select};
      end

      for (l = 1; l <= Levels; l = l + 1) begin : gen_upper
        localparam [Inputs-1:0] Upper = upper_at(Members, l);
        wire yes = |(select & Upper);
      end
      for (l = 0; l <= Levels; l = l + 1) begin : gen_level
        for (n = 0; n < 1 << (Levels - l); n = n + 1) begin : gen_node
          localparam Source = input_at(Members, n);  // of a leaf
          wire [BodyWidth-1:0] data;
          if (l > 0) begin : gen_mux
            assign data = gen_upper[l].yes ? gen_level[l-1].gen_node[2*n+1].data : gen_level[l-1].gen_node[2*n].data;
          end else if (o < Ports) begin : gen_onward
            assign data = gen_input[Source].onward;
          end else begin : gen_front
            assign data = gen_input[Source].flit;
          end
        end
      end
      assign flit = gen_level[Levels].gen_node[0].data;
    end
  endgenerate

  // Ejection: one channel takes from all buffers, or each from its own link port's. Its output-VCs are the buffers'.
  localparam Sources = Buffers / Channels;  // buffers per ejection channel
  wire                ej_rest;
  reg  [Buffers-1:0]  ej_pop;
  reg  [Channels-1:0] ej_fire;

  // Buffers of an ejection channel by output-VC.
  function [Vcs*Sources-1:0] by_vc(input integer vcs);
    integer k;
    begin
      by_vc = {Vcs * Sources{1'b0}};
      for (k = 0; k < Sources; k = k + 1) by_vc[k%vcs*Sources+k] = 1'b1;
    end
  endfunction

  localparam [Vcs*Sources-1:0] ByVc = by_vc(Vcs);

  generate
    for (c = 0; c < Channels; c = c + 1) begin : gen_ejection
      wire [Vcs-1:0]       picked;
      wire [VcWidth-1:0]   vc;
      wire [Sources-1:0]   select;
      wire                 offer;
      wire                 taken;    // the offered flit's vc is ready
      wire                 fire = offer & taken;
      wire [Vcs-1:0]       unused_idle;
      wire [Sources-1:0]   unused_held;
      assign gen_crossbar[Ports+c].select = {{Inputs - Sources{1'b0}}, select} << c * Sources;
      always @* ej_valid_o[c] = offer;
      always @* ej_fire[c] = fire;
      always @* ej_pop[c*Sources+:Sources] = fire ? select : {Sources{1'b0}};

      output_port #(
        .Inputs    (Sources),
        .Vcs       (Vcs),
        .Flit      (Flit)
      ) i_port (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(arrived[c*Sources+:Sources]),
        .allowed_i(ByVc),
        .movable_i(buffer_valid[c*Sources+:Sources]),
        .tail_i   (gen_crossbar[Ports+c].flit[TailBit]),
        .rest_i   (ej_rest),
        .ready_i  (ej_ready_i[c*Vcs+:Vcs]),
        .fire_i   (fire),
        .offer_o  (offer),
        .ready_o  (taken),
        .vc_o     (picked),
        .idle_o   (unused_idle),
        .held_o   (unused_held),
        .select_o (select)
      );

      vc_encoder #(
        .Vcs(Vcs)
      ) i_vc (
        .vc_i(picked),
        .vc_o(vc)
      );
      always @* ej_flit_o[c*FlitWidth+:FlitWidth] = {vc, gen_crossbar[Ports+c].flit};
    end
  endgenerate

  // Half duplex: an ejected flit and an injected one exclude each other for the time of a flit.
  wire inj_mask;
  generate
    if (HalfDuplex != 0) begin : gen_duplex
      wire received;
      rest_timer #(
        .Cycles(Flit)
      ) i_received (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|ej_fire),
        .rest_o (received)
      );
      rest_timer #(
        .Cycles(Flit)
      ) i_sent (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|register_leave),
        .rest_o (ej_rest)
      );
      assign inj_mask = |ej_fire | received;
    end else begin : gen_duplex
      wire unused_fire = &{1'b0, ej_fire};
      assign inj_mask = 1'b0;
      assign ej_rest = 1'b0;
    end
  endgenerate

  // Link outputs.
  wire [Inputs-1:0] movable = {register_valid & {Channels{!inj_mask}}, buffer_valid};
  reg  [Ports-1:0]  offer;
  reg  [Ports-1:0]  room;     // the offered flit's vc is ready
  wire [Ports-1:0]  fire = valid_o & room & take_i;
  wire              send_rest;

  generate
    for (o = 0; o < Ports; o = o + 1) begin : gen_output
      wire [Vcs*Inputs-1:0] allowed;
      wire [Vcs-1:0]        idle;
      wire [Vcs-1:0]        picked;
      wire [VcWidth-1:0]    vc;
      wire [Inputs-1:0]     select;
      wire [Inputs-1:0]     moved;    // leaves by this output or a lower one
      wire                  offered;
      wire                  ready;
      assign gen_crossbar[o].select = select;
      always @* offer[o] = offered;
      always @* room[o] = ready;
      always @* unclaimed[o*Vcs+:Vcs] = idle;
      if (o == 0) begin : gen_moved
        assign moved = fire[o] ? select : {Inputs{1'b0}};
      end else begin : gen_moved
        assign moved = (fire[o] ? select : {Inputs{1'b0}}) | gen_output[o-1].moved;
      end

      if (Kind == 6) begin : gen_allowed
        wire unused_vc = &{1'b0, register_vc, wraps_i[o]};
        assign allowed = chosen;
      end else begin : gen_allowed
        dateline #(
          .Buffers (Buffers),
          .Channels(Channels),
          .Vcs     (Vcs),
          .VcWidth (VcWidth),
          .Enabled (Dateline),
          .Phase   ((Kind != 5) ? 0 : (Dateline != 0) ? 2 : 1),
          .Stay    (in_dimension_of(o))
        ) i_dateline (
          .vc_i     (register_vc),
          .wraps_i  (wraps_i[o]),
          .turn_i   (turning[Buffers-1:0]),
          .allowed_o(allowed)
        );
      end

      output_port #(
        .Inputs    (Inputs),
        .Vcs       (Vcs),
        .Flit      (Flit),
        .Holders   (Kind == 6)
      ) i_port (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(wanted[o*Inputs+:Inputs] & ~claimed),
        .allowed_i(allowed),
        .movable_i(movable),
        .tail_i   (gen_crossbar[o].flit[TailBit]),
        .rest_i   (send_rest),
        .ready_i  (ready_i[o*Vcs+:Vcs]),
        .fire_i   (fire[o]),
        .offer_o  (offered),
        .ready_o  (ready),
        .vc_o     (picked),
        .idle_o   (idle),
        .held_o   (held[o*Inputs+:Inputs]),
        .select_o (select)
      );

      vc_encoder #(
        .Vcs(Vcs)
      ) i_vc (
        .vc_i(picked),
        .vc_o(vc)
      );
      always @* flit_o[o*FlitWidth+:FlitWidth] = {vc, gen_crossbar[o].flit};
    end
  endgenerate
  assign {register_leave, buffer_pop} = gen_output[Ports-1].moved | {{Channels{1'b0}}, ej_pop};

  single_port #(
    .Ports     (Ports),
    .Flit      (Flit),
    .Enabled   (SinglePort)
  ) i_single_port (
    .clk_i       (clk_i),
    .rst_i       (rst_i),
    .tick_i      (tick_i),
    .offer_i     (offer),
    .room_i      (room),
    .fire_i      (fire),
    .valid_o     (valid_o),
    .send_rest_o (send_rest),
    .arrival_i   (offer_i),
    .take_o      (take_o)
  );

  // What the code of the buffers met; the flits counted are those that leave.
  error_counter #(
    .Inputs (Buffers),
    .Enabled(Code == 2)
  ) i_corrected (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .error_i(corrected),
    .count_o(corrected_o)
  );
  error_counter #(
    .Inputs (Buffers),
    .Enabled(Code != 0)
  ) i_detected (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .error_i(detected),
    .count_o(detected_o)
  );
endmodule
