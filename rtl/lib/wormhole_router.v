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
  parameter                         Depth      = 4,               // flits per input buffer
  parameter                         FlitCycles = 1,               // cycles per flit and link
  parameter                         SinglePort = 0,               // 1: one flit out and one in per cycle
  parameter                         HalfDuplex = 0,               // 1: the PE does not send while it receives
  parameter                         Dateline   = 0,               // 1: the lowest bit of the vc is a dateline class
  parameter                         Kind       = 0,               // routing: 0 dimension order, 1 table, 2 source
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
  // Derived: leave alone.
  parameter                         VcWidth    = (Vcs > 1) ? $clog2(Vcs) : 1,
  parameter                         BodyWidth  = 4 + TagWidth + 2 * NodeWidth + RouteWidth + Width,
  parameter                         FlitWidth  = VcWidth + BodyWidth,
  parameter                         CountWidth = $clog2(Depth + 1),
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
  output wire [Ports*FlitWidth-1:0]      flit_o,
  input  wire [Ports*Vcs-1:0]            ready_i,
  input  wire [Ports-1:0]                take_i,
  // Link inputs: an offer is valid and ready where it comes from; what was taken arrives Hop-1 cycles later.
  input  wire [Ports-1:0]                offer_i,
  output wire [Ports-1:0]                take_o,
  input  wire [Ports-1:0]                valid_i,
  input  wire [Ports*FlitWidth-1:0]      flit_i,
  output wire [Ports*Vcs*CountWidth-1:0] count_o,      // flits in each input buffer
  // PE: a flit is accepted when valid & ready. Ready = injection register empty at the start of the cycle.
  input  wire [Channels-1:0]             inj_valid_i,
  input  wire [Channels*FlitWidth-1:0]   inj_flit_i,
  output wire [Channels-1:0]             inj_ready_o,
  // The PE always takes.
  output wire [Channels-1:0]             ej_valid_o,
  output wire [Channels*FlitWidth-1:0]   ej_flit_o
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
  function [Inputs-1:0] in_dimension_of(input integer port);
    integer n;
    begin
      for (n = 0; n < Inputs; n = n + 1) in_dimension_of[n] = n < Buffers && n / Vcs / 2 == port / 2;
    end
  endfunction

  genvar p;
  genvar v;
  genvar i;
  genvar o;
  genvar c;

  // Fronts of the inputs. Buffers and injection are kept apart: ejection, which the PE may answer in the same
  // cycle, sees buffers only.
  wire [Buffers-1:0]           buffer_valid;
  wire [Buffers*BodyWidth-1:0] buffer_flit;
  wire [Buffers-1:0]           buffer_pop;
  wire [Channels-1:0]          register_valid;
  wire [Channels*FlitWidth-1:0] register_flit;
  wire [Channels-1:0]          register_leave;

  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_link_input
      wire [FlitWidth-1:0] flit = flit_i[p*FlitWidth+:FlitWidth];
      wire                 unused = &{1'b0, flit};
      for (v = 0; v < Vcs; v = v + 1) begin : gen_vc
        localparam [VcWidth-1:0] Vc = v;
        localparam B = p * Vcs + v;
        input_buffer #(
          .Width(BodyWidth),
          .Depth(Depth)
        ) i_buffer (
          .clk_i  (clk_i),
          .rst_i  (rst_i),
          .tick_i (tick_i),
          .push_i (valid_i[p] & ((Vcs == 1) | (flit[FlitWidth-1-:VcWidth] == Vc))),
          .data_i (flit[BodyWidth-1:0]),
          .pop_i  (buffer_pop[B]),
          .valid_o(buffer_valid[B]),
          .data_o (buffer_flit[B*BodyWidth+:BodyWidth]),
          .count_o(count_o[B*CountWidth+:CountWidth])
        );
      end
    end

    for (c = 0; c < Channels; c = c + 1) begin : gen_injection
      injection_register #(
        .Width(FlitWidth)
      ) i_register (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .valid_i(inj_valid_i[c]),
        .flit_i (inj_flit_i[c*FlitWidth+:FlitWidth]),
        .ready_o(inj_ready_o[c]),
        .valid_o(register_valid[c]),
        .flit_o (register_flit[c*FlitWidth+:FlitWidth]),
        .leave_i(register_leave[c])
      );
    end
  endgenerate

  // Routes. Heads request the outputs; bodies follow their head's claim.
  wire [Buffers-1:0]          arrived;  // heads for this chip's PE
  wire [Buffers-1:0]          buffer_tail;
  wire [Ports*Inputs-1:0]     wanted;   // bit o*Inputs+i: input i has a head for link output o
  wire [Inputs*BodyWidth-1:0] onward;   // fronts as they go onto a link
  wire [Inputs*VcWidth-1:0]   vc;
  wire [Inputs-1:0]           tail;
  assign tail[Buffers-1:0] = buffer_tail;

  generate
    for (i = 0; i < Inputs; i = i + 1) begin : gen_route
      // The dimensions below a link's own are behind its flits (dimension order).
      localparam Turn = (i < Buffers) ? i / Vcs : Ports;
      localparam FirstDim = (i < Buffers) ? i / Vcs / 2 : 0;
      wire [BodyWidth-1:0] flit;
      wire [Ports:0]       port;
      wire                 head;
      wire                 unused = &{1'b0, port};
      if (i < Buffers) begin : gen_front
        localparam Vc = i % Vcs;
        assign flit = buffer_flit[i*BodyWidth+:BodyWidth];
        assign head = buffer_valid[i] & flit[HeadBit];
        assign vc[i*VcWidth+:VcWidth] = Vc[VcWidth-1:0];
        assign buffer_tail[i] = flit[TailBit];
        assign arrived[i] = head & port[Ports];
      end else begin : gen_front
        assign {vc[i*VcWidth+:VcWidth], flit} = register_flit[(i-Buffers)*FlitWidth+:FlitWidth];
        assign head = register_valid[i-Buffers] & flit[HeadBit];
        assign tail[i] = flit[TailBit];
      end

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
        .flit_o (onward[i*BodyWidth+:BodyWidth]),
        .port_o (port)
      );

      for (o = 0; o < Ports; o = o + 1) begin : gen_wanted
        assign wanted[o*Inputs+i] = (Paths[o*(Ports+1)+Turn] != 0) ? head & port[o] : 1'b0;
      end
    end
  endgenerate

  // Ejection: one channel takes from all buffers, or each from its own link port's. Its output-VCs are the buffers'.
  localparam Sources = Buffers / Channels;  // buffers per ejection channel
  wire [Channels-1:0] ej_rest;
  wire [Buffers-1:0]  ej_pop;

  generate
    for (c = 0; c < Channels; c = c + 1) begin : gen_ejection
      wire [Vcs*Sources-1:0] request;
      wire [Vcs-1:0]         picked;
      wire [Sources-1:0]     select;
      wire                   unused;
      assign ej_pop[c*Sources+:Sources] = select & {Sources{ej_valid_o[c]}};

      for (v = 0; v < Vcs; v = v + 1) begin : gen_vc
        for (i = 0; i < Sources; i = i + 1) begin : gen_request
          assign request[v*Sources+i] = (i % Vcs == v) ? arrived[c*Sources+i] : 1'b0;
        end
      end

      output_port #(
        .Inputs    (Sources),
        .Vcs       (Vcs),
        .FlitCycles(FlitCycles)
      ) i_port (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(request),
        .movable_i(buffer_valid[c*Sources+:Sources]),
        .tail_i   (buffer_tail[c*Sources+:Sources]),
        .rest_i   (ej_rest[c]),
        .ready_i  ({Vcs{1'b1}}),
        .fire_i   (ej_valid_o[c]),
        .offer_o  (ej_valid_o[c]),
        .ready_o  (unused),
        .vc_o     (picked),
        .select_o (select)
      );

      crossbar_mux #(
        .Inputs(Sources),
        .Width (BodyWidth)
      ) i_mux (
        .select_i(select),
        .flit_i  (buffer_flit[c*Sources*BodyWidth+:Sources*BodyWidth]),
        .flit_o  (ej_flit_o[c*FlitWidth+:BodyWidth])
      );

      vc_encoder #(
        .Vcs(Vcs)
      ) i_vc (
        .vc_i(picked),
        .vc_o(ej_flit_o[c*FlitWidth+BodyWidth+:VcWidth])
      );
    end
  endgenerate

  // Half duplex: an ejected flit and an injected one exclude each other for the time of a flit.
  wire inj_mask;
  generate
    if (HalfDuplex != 0) begin : gen_duplex
      wire received;
      wire sent;
      rest_timer #(
        .Cycles(FlitCycles)
      ) i_received (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|ej_valid_o),
        .rest_o (received)
      );
      rest_timer #(
        .Cycles(FlitCycles)
      ) i_sent (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|register_leave),
        .rest_o (sent)
      );
      assign inj_mask = |ej_valid_o | received;
      assign ej_rest = {Channels{sent}};
    end else begin : gen_duplex
      assign inj_mask = 1'b0;
      assign ej_rest = {Channels{1'b0}};
    end
  endgenerate

  // Link outputs.
  wire [Inputs-1:0]       movable = {register_valid & {Channels{!inj_mask}}, buffer_valid};
  wire [Ports-1:0]        offer;
  wire [Ports-1:0]        room;     // the offered flit's vc is ready
  wire [Ports-1:0]        fire = valid_o & room & take_i;
  wire [Ports*Inputs-1:0] moves;    // bit o*Inputs+i: input i's flit crosses by o
  wire                    send_rest;

  generate
    for (o = 0; o < Ports; o = o + 1) begin : gen_link_output
      wire [Vcs*Inputs-1:0] request;
      wire [Vcs-1:0]        picked;
      wire [Inputs-1:0]     select;
      assign moves[o*Inputs+:Inputs] = select & {Inputs{fire[o]}};

      dateline #(
        .Inputs (Inputs),
        .Vcs    (Vcs),
        .VcWidth(VcWidth),
        .Enabled(Dateline),
        .Stay   (in_dimension_of(o))
      ) i_dateline (
        .request_i(wanted[o*Inputs+:Inputs]),
        .vc_i     (vc),
        .wraps_i  (wraps_i[o]),
        .request_o(request)
      );

      output_port #(
        .Inputs    (Inputs),
        .Vcs       (Vcs),
        .FlitCycles(FlitCycles)
      ) i_port (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(request),
        .movable_i(movable),
        .tail_i   (tail),
        .rest_i   (send_rest),
        .ready_i  (ready_i[o*Vcs+:Vcs]),
        .fire_i   (fire[o]),
        .offer_o  (offer[o]),
        .ready_o  (room[o]),
        .vc_o     (picked),
        .select_o (select)
      );

      crossbar_mux #(
        .Inputs(Inputs),
        .Width (BodyWidth),
        .Paths (with_path_to(o))
      ) i_mux (
        .select_i(select),
        .flit_i  (onward),
        .flit_o  (flit_o[o*FlitWidth+:BodyWidth])
      );

      vc_encoder #(
        .Vcs(Vcs)
      ) i_vc (
        .vc_i(picked),
        .vc_o(flit_o[o*FlitWidth+BodyWidth+:VcWidth])
      );
    end
  endgenerate

  single_port #(
    .Ports     (Ports),
    .FlitCycles(FlitCycles),
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

  // What leaves.
  reg [Inputs-1:0] moved;
  integer          k;
  always @* begin
    moved = {Inputs{1'b0}};
    for (k = 0; k < Ports; k = k + 1) moved = moved | moves[k*Inputs+:Inputs];
  end
  assign buffer_pop = moved[Buffers-1:0] | ej_pop;
  assign register_leave = moved[Inputs-1:Buffers];
endmodule
