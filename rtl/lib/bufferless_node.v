// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One chip without buffers: every flit that is here, in a link register or offered by the PE, leaves in this cycle
// by the output it is routed to. If it cannot, that is a collision: collision_o is high and the flit is lost; the
// lowest input has the way. Flit, most significant first: {vc, head, tail, kind[2], tag, src, dst, route, payload}.
module bufferless_node #(
  parameter                         Ports      = 4,
  parameter                         Channels   = 1,               // 1, or one per link port
  parameter                         Flit       = 1,               // cycles per flit and link
  parameter                         SinglePort = 0,               // 1: one flit out and one in per cycle
  parameter                         HalfDuplex = 0,               // 1: the PE does not send while it receives
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
  parameter                         BodyWidth  = 4 + TagWidth + 2 * NodeWidth + RouteWidth + Width,
  parameter                         FlitWidth  = 1 + BodyWidth,
  parameter                         TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire                          tick_i,       // the network's time advances at this edge
  // Constants of the chip; inputs, so that all chips share one module.
  input  wire [Dims*NodeWidth-1:0]     here_i,       // own coordinates (dimension order)
  input  wire [TableWidth-1:0]         table_i,      // next hops (table)
  // Links.
  output wire [Ports-1:0]              valid_o,
  output wire [Ports*FlitWidth-1:0]    flit_o,
  input  wire [Ports-1:0]              offer_i,      // a flit crosses to this chip in this cycle
  output wire [Ports-1:0]              take_o,       // and is not lost
  input  wire [Ports-1:0]              valid_i,      // arrives, at the end of the delay line
  input  wire [Ports*FlitWidth-1:0]    flit_i,
  output wire [Ports-1:0]              count_o,      // link registers that hold a flit
  // PE.
  input  wire [Channels-1:0]           inj_valid_i,  // always accepted
  input  wire [Channels*FlitWidth-1:0] inj_flit_i,
  output wire [Channels-1:0]           inj_ready_o,
  output wire [Channels-1:0]           ej_valid_o,
  output wire [Channels*FlitWidth-1:0] ej_flit_o,
  output wire                          collision_o
);
  localparam Inputs = Ports + Channels;
  localparam DstLsb = Width + RouteWidth;

  generate
    if (Channels != 1 && Channels != Ports) begin : gen_bad_channels
      bufferless_node_has_one_channel_or_one_per_link_port i_stop ();
    end
  endgenerate

  // Inputs that have a path to link output `port`.
  function [Inputs-1:0] with_path_to(input integer port);
    integer n;
    begin
      for (n = 0; n < Inputs; n = n + 1) with_path_to[n] = Paths[port*(Ports+1)+((n<Ports)?n : Ports)];
    end
  endfunction

  genvar p;
  genvar i;
  genvar o;
  genvar c;

  reg  [Ports-1:0]           held_q;
  reg  [Ports*BodyWidth-1:0] flit_q;
  wire [Ports*BodyWidth-1:0] flit_d;
  assign count_o = held_q;
  assign inj_ready_o = {Channels{1'b1}};

  always @(posedge clk_i) begin
    if (rst_i) held_q <= {Ports{1'b0}};
    else if (tick_i) held_q <= valid_i;
  end

  always @(posedge clk_i) begin
    if (tick_i) flit_q <= flit_d;
  end

  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_link_input
      wire unused = flit_i[p*FlitWidth+BodyWidth];
      assign flit_d[p*BodyWidth+:BodyWidth] = flit_i[p*FlitWidth+:BodyWidth];
    end
  endgenerate

  // Routes.
  wire [Ports-1:0]            arrived;
  wire [Ports*Inputs-1:0]     wanted;   // bit o*Inputs+i: input i has a flit for link output o
  wire [Inputs*BodyWidth-1:0] onward;   // flits as they go onto a link

  generate
    for (i = 0; i < Inputs; i = i + 1) begin : gen_route
      localparam Turn = (i < Ports) ? i : Ports;
      localparam FirstDim = (i < Ports) ? i / 2 : 0;
      wire [BodyWidth-1:0] flit;
      wire [Ports:0]       port;
      wire                 valid;
      wire                 unused = &{1'b0, port};
      if (i < Ports) begin : gen_front
        assign flit = flit_q[i*BodyWidth+:BodyWidth];
        assign valid = held_q[i];
        assign arrived[i] = valid & port[Ports];
      end else begin : gen_front
        wire unused_vc = inj_flit_i[(i-Ports)*FlitWidth+BodyWidth];
        assign flit = inj_flit_i[(i-Ports)*FlitWidth+:BodyWidth];
        assign valid = inj_valid_i[i-Ports];
`ifndef SYNTHESIS
        rule #(
          .Name("bufferless_node/not-for-this-chip")
        ) i_not_for_this_chip (
          .clk_i   (clk_i),
          .rst_i   (rst_i),
          .broken_i(tick_i & valid & port[Ports])
        );
`endif
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

`ifndef SYNTHESIS
      rule #(
        .Name("bufferless_node/port-is-one-hot")
      ) i_port_is_one_hot (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(tick_i & valid & (!(|port) | |(port & (port - 1'b1))))
      );
`endif

      for (o = 0; o < Ports; o = o + 1) begin : gen_wanted
        assign wanted[o*Inputs+i] = (Paths[o*(Ports+1)+Turn] != 0) ? valid & port[o] : 1'b0;
      end
    end
  endgenerate

  // Ejection.
  localparam Sources = Ports / Channels;  // link registers per ejection channel
  wire [Channels-1:0] ej_lost;
  wire                ej_rest;

  generate
    for (c = 0; c < Channels; c = c + 1) begin : gen_ejection
      wire [Sources-1:0] select;

      bufferless_output #(
        .Inputs    (Sources),
        .Flit      (Flit)
      ) i_output (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(arrived[c*Sources+:Sources]),
        .block_i  ({Sources{ej_rest}}),
        .valid_o  (ej_valid_o[c]),
        .select_o (select),
        .lost_o   (ej_lost[c])
      );

      crossbar_mux #(
        .Inputs(Sources),
        .Width (BodyWidth)
      ) i_mux (
        .select_i(select),
        .flit_i  (flit_q[c*Sources*BodyWidth+:Sources*BodyWidth]),
        .flit_o  (ej_flit_o[c*FlitWidth+:BodyWidth])
      );
      assign ej_flit_o[c*FlitWidth+BodyWidth] = 1'b0;
    end
  endgenerate

  // Half duplex: an ejected flit and an injected one exclude each other for the time of a flit.
  wire                inj_block;
  wire [Ports-1:0]    sent;  // by link output: an injected flit leaves
  generate
    if (HalfDuplex != 0) begin : gen_duplex
      wire received;
      rest_timer #(
        .Cycles(Flit)
      ) i_received (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|ej_valid_o),
        .rest_o (received)
      );
      rest_timer #(
        .Cycles(Flit)
      ) i_sent (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|sent),
        .rest_o (ej_rest)
      );
      assign inj_block = |ej_valid_o | received;
    end else begin : gen_duplex
      wire unused = &{1'b0, sent};
      assign inj_block = 1'b0;
      assign ej_rest = 1'b0;
    end
  endgenerate

  // Single port: the lowest input has the only way out, the lowest offer the only way in.
  wire [Inputs-1:0] duplex_block = {{Channels{inj_block}}, {Ports{1'b0}}};
  wire [Inputs-1:0] block;
  generate
    if (SinglePort != 0) begin : gen_single
      reg  [Inputs-1:0] behind;     // another flit goes first
      reg  [Inputs-1:0] departing;
      wire              send_rest;
      wire              take_rest;
      integer           k;
      integer           n;
      always @* begin
        departing = {Inputs{1'b0}};
        for (k = 0; k < Ports; k = k + 1) departing = departing | (wanted[k*Inputs+:Inputs] & ~duplex_block);
        behind[0] = 1'b0;
        for (n = 1; n < Inputs; n = n + 1) behind[n] = behind[n-1] | departing[n-1];
      end
      assign block = duplex_block | behind | {Inputs{send_rest}};
      assign take_o = offer_i & (~offer_i + 1'b1) & {Ports{!take_rest}};

      rest_timer #(
        .Cycles(Flit)
      ) i_send_rest (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|valid_o),
        .rest_o (send_rest)
      );
      rest_timer #(
        .Cycles(Flit)
      ) i_take_rest (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|take_o),
        .rest_o (take_rest)
      );
    end else begin : gen_all
      assign block = duplex_block;
      assign take_o = offer_i;
    end
  endgenerate

  // Link outputs.
  wire [Ports-1:0] link_lost;
  assign collision_o = |ej_lost | |link_lost | |(offer_i & ~take_o);

  generate
    for (o = 0; o < Ports; o = o + 1) begin : gen_link_output
      wire [Inputs-1:0] select;
      assign sent[o] = valid_o[o] & |select[Inputs-1:Ports];

      bufferless_output #(
        .Inputs    (Inputs),
        .Flit      (Flit)
      ) i_output (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(wanted[o*Inputs+:Inputs]),
        .block_i  (block),
        .valid_o  (valid_o[o]),
        .select_o (select),
        .lost_o   (link_lost[o])
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
      assign flit_o[o*FlitWidth+BodyWidth] = 1'b0;
    end
  endgenerate
endmodule
