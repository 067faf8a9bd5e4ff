// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One chip without buffers: every flit that is here, in a link register or offered by the PE, leaves in this cycle
// by the output it is routed to. If it cannot, that is a collision: collision_o is high and the flit is lost; the
// lowest input goes first.
//
//   links ----> bufferless_inputs -+-> bufferless_outputs -> links
//   channels -> bufferless_inputs -+-> bufferless_outputs -> PE
//
// Flit, most significant first: {vc, head, tail, kind[2], tag, src, dst, route, payload}; with HeadFlit {vc, head, tail,
// payload}, and {..., route, kind[2], tag, src, dst} in the payload of a head.
module bufferless_node #(
  parameter                         Ports      = 4,
  parameter                         Channels   = 1,               // 1, or one per link port
  parameter                         Flit       = 1,               // cycles per flit and link
  parameter                         SinglePort = 0,               // 1: one flit out and one in per cycle
  parameter                         HalfDuplex = 0,               // 1: the PE does not send while it receives
  parameter                         HeadFlit   = 0,               // 1: only heads have a header, in their payload
  parameter                         Ahead      = 0,               // 1: heads carry their course, see bufferless_input
  parameter                         Kind       = 0,               // routing: 0 dimension order, 1 table, 2 source
  parameter                         Dims       = 2,               // dimension order
  parameter [Dims*32-1:0]           Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]              Wrapped    = {Dims{1'b0}},
  parameter                         EntryWidth = 4,               // table: bits per entry
  parameter                         PortWidth  = 3,               // source: bits per hop
  parameter [Ports*(Ports+1)-1:0]   Paths      = {Ports * (Ports + 1) {1'b1}},  // bit o*(Ports+1)+i: turn i -> o exists
  parameter                         NodeWidth  = 6,
  parameter                         TagWidth   = 8,
  parameter                         RouteWidth = 0,
  parameter                         Width      = 32,
  // Derived: leave alone.
  parameter                         Header     = 2 + TagWidth + 2 * NodeWidth,  // besides its route
  parameter                         BodyWidth  = 2 + Width + ((HeadFlit != 0) ? 0 : Header + RouteWidth),
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
  localparam Sources = Ports / Channels;  // link inputs of an ejection channel
  localparam DstLsb = (HeadFlit != 0) ? 0 : Width + RouteWidth;
  localparam RouteLsb = (HeadFlit != 0) ? Header : Width;

  // Inputs: links, then channels of the PE.
  wire [Ports*BodyWidth-1:0]  arrivals;  // flits of the links
  wire [Inputs*BodyWidth-1:0] onward;  // as they go to the outputs of links
  wire [Inputs*(Ports+1)-1:0] port;    // bit i*(Ports+1)+o: input i has a flit for link o; o = Ports: for the PE
  wire [Inputs-1:0]           depart;  // has a flit for a link
  assign inj_ready_o = {Channels{1'b1}};

  genvar i;
  generate
    for (i = 0; i < Inputs; i = i + 1) begin : gen_input
      wire                 come;
      wire                 valid;
      wire [FlitWidth-1:0] flit;
      wire [BodyWidth-1:0] here;
      wire [Ports:0]       to;
      wire                 unused = &{1'b0, flit[BodyWidth], valid, here};
      assign port[i*(Ports+1)+:Ports+1] = to;
      assign depart[i] = |to[Ports-1:0];
      if (i < Ports) begin : gen_link
        assign come = valid_i[i];
        assign count_o[i] = valid;
        assign flit = flit_i[i*FlitWidth+:FlitWidth];
        assign arrivals[i*BodyWidth+:BodyWidth] = here;
      end else begin : gen_channel
        assign come = inj_valid_i[i-Ports];
        assign flit = inj_flit_i[(i-Ports)*FlitWidth+:FlitWidth];
`ifndef SYNTHESIS
        rule #(
          .Name("bufferless_node/not-for-this-chip")
        ) i_not_for_this_chip (
          .clk_i   (clk_i),
          .rst_i   (rst_i),
          .broken_i(tick_i & to[Ports])
        );
        rule #(
          .Name("bufferless_node/over-its-own-link")
        ) i_over_its_own_link (
          .clk_i   (clk_i),
          .rst_i   (rst_i),
          .broken_i(tick_i & depart[i] & (Channels > 1) & !to[i-Ports])
        );
`endif
      end

      bufferless_input #(
        .Link      (i < Ports),
        .Port      ((i < Ports) ? i : 0),
        .HeadFlit  (HeadFlit),
        .Ahead     (Ahead),
        .Kind      (Kind),
        .Ports     (Ports),
        .Width     (BodyWidth),
        .Payload   (Width),
        .NodeWidth (NodeWidth),
        .DstLsb    (DstLsb),
        .RouteLsb  (RouteLsb),
        .RouteWidth(RouteWidth),
        .PortWidth (PortWidth),
        .EntryWidth(EntryWidth),
        .Dims      (Dims),
        .Sizes     (Sizes),
        .Wrapped   (Wrapped)
      ) i_input (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .tick_i  (tick_i),
        .here_i  (here_i),
        .table_i (table_i),
        .valid_i (come),
        .flit_i  (flit[BodyWidth-1:0]),
        .valid_o (valid),
        .flit_o  (here),
        .onward_o(onward[i*BodyWidth+:BodyWidth]),
        .port_o  (to)
      );
    end
  endgenerate

  // Single port and half duplex.
  wire [Inputs-1:0] block;
  wire              silence;
  wire [Ports-1:0]  injected;  // by link: its flit is the PE's

  bufferless_regime #(
    .Ports     (Ports),
    .Channels  (Channels),
    .Flit      (Flit),
    .SinglePort(SinglePort),
    .HalfDuplex(HalfDuplex)
  ) i_regime (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .tick_i   (tick_i),
    .depart_i (depart),
    .sent_i   (valid_o),
    .inject_i (|injected),
    .eject_i  (|ej_valid_o),
    .block_o  (block),
    .silence_o(silence),
    .offer_i  (offer_i),
    .take_o   (take_o)
  );

  // Outputs. A flit of the PE leaves over the link of its channel, or from its only channel over any.
  wire [Ports-1:0]    link_lost;
  wire [Channels-1:0] ej_lost;
  assign collision_o = |ej_lost | |link_lost | |(offer_i & ~take_o);

  genvar o;
  genvar s;
  generate
    for (o = 0; o < Ports; o = o + 1) begin : gen_link_output
      localparam Mine = Ports + ((Channels > 1) ? o : 0);
      wire [BodyWidth-1:0] body;
      wire [Ports:0] request;
      wire [Ports:0] leave;
      wire           unused_leave = &{1'b0, leave};
      assign injected[o] = leave[Ports];
      assign flit_o[o*FlitWidth+BodyWidth] = 1'b0;
      assign request[Ports] = port[Mine*(Ports+1)+o];
      for (s = 0; s < Ports; s = s + 1) begin : gen_request
        assign request[s] = port[s*(Ports+1)+o];
      end

      bufferless_output #(
        .Inputs(Ports + 1),
        .Flit  (Flit),
        .Width (BodyWidth),
        .Late  (Ahead),
        .Paths (Paths[o*(Ports+1)+:Ports+1])
      ) i_output (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(request),
        .block_i  ({block[Mine], block[Ports-1:0]}),
        .flit_i   ({onward[Mine*BodyWidth+:BodyWidth], onward[Ports*BodyWidth-1:0]}),
        .valid_o  (valid_o[o]),
        .leave_o  (leave),
        .flit_o   (body),
        .lost_o   (link_lost[o])
      );
      course_end #(
        .Enabled  (Ahead),
        .Port     (o),
        .Width    (BodyWidth),
        .DstLsb   (DstLsb),
        .CourseLsb(Width - 2 * Dims),
        .Dims     (Dims),
        .Sizes    (Sizes),
        .NodeWidth(NodeWidth)
      ) i_end (
        .here_i(here_i),
        .flit_i(body),
        .flit_o(flit_o[o*FlitWidth+:BodyWidth])
      );
    end

    for (o = 0; o < Channels; o = o + 1) begin : gen_ejection
      wire [Sources-1:0] request;
      wire [Sources-1:0] unused_leave;
      assign ej_flit_o[o*FlitWidth+BodyWidth] = 1'b0;
      for (s = 0; s < Sources; s = s + 1) begin : gen_request
        assign request[s] = port[(o*Sources+s)*(Ports+1)+Ports];
      end

      bufferless_output #(
        .Inputs(Sources),
        .Flit  (Flit),
        .Width (BodyWidth)
      ) i_output (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(request),
        .block_i  ({Sources{silence}}),
        .flit_i   (arrivals[o*Sources*BodyWidth+:Sources*BodyWidth]),
        .valid_o  (ej_valid_o[o]),
        .leave_o  (unused_leave),
        .flit_o   (ej_flit_o[o*FlitWidth+:BodyWidth]),
        .lost_o   (ej_lost[o])
      );
    end
  endgenerate
endmodule
