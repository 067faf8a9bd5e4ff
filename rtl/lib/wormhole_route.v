// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Where a head that comes from an input goes, by any of the routings, and what the flit looks like on the link.
module wormhole_route #(
  parameter               Kind       = 0,                // see wormhole_router
  parameter               Ports      = 4,
  parameter               Vcs        = 1,
  parameter               Width      = 40,               // flit without its vc field
  parameter               NodeWidth  = 6,
  parameter               DstLsb     = 32,
  parameter               RouteLsb   = 32,
  parameter               RouteWidth = 0,
  parameter               PortWidth  = 3,
  parameter               EntryWidth = 4,
  parameter               Dims       = 2,
  parameter [Dims*32-1:0] Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped    = {Dims{1'b0}},
  parameter               FirstDim   = 0,                // dimension order: the dimensions below are behind the input's flits
  parameter               Escape     = 1,
  parameter               From       = Ports,            // turn models: the port by which heads come in; Ports: they are injected
  parameter               HeadFlit   = 0,                // 1: only heads have a header
  parameter               Ahead      = 0,                // 1: heads have their course at CourseLsb, where links lead
  parameter               CourseLsb  = 0,
  parameter               Ends       = 0,                // 1: it changes behind the crossbar, see course_end
  parameter               Injected   = 0,                // 1: the input is an injection channel, whose heads do not have it yet
  parameter [Ports-1:0]   Ways       = {Ports{1'b1}},    // link outputs that the input has a path to
  parameter               TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1  // derived
) (
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [TableWidth-1:0]     table_i,
  input  wire [Ports*Vcs-1:0]      idle_i,   // adaptive, see route_adaptive and route_turns
  input  wire [Width-1:0]          flit_i,   // its highest bit: a message begins; low while there is no flit
  input  wire                      class_i,  // of the flit's vc: O1TURN and Valiant
  output wire [Width-1:0]          flit_o,   // as it goes onto a link
  output wire [Ports:0]            goes_o,   // one-hot, the highest bit is: arrived; zero if there is no head
  output wire                      turn_o,   // Valiant: class 1 begins here
  output wire [Vcs-1:0]            vc_o      // adaptive: the virtual channel, one-hot
);
  wire [Ports:0] port;
  wire           head = flit_i[Width-1];
  assign goes_o = head ? port : {Ports + 1{1'b0}};  // bodies follow their head's claim

  generate
    if (Kind < 4) begin : gen_route
      wire unused = &{1'b0, idle_i, class_i};
      assign turn_o = 1'b0;
      assign vc_o = {Vcs{1'b0}};
      if (Ahead != 0) begin : gen_ahead
        wire [2*Dims-1:0] from;  // the course from here
        wire [2*Dims-1:0] on;    // as it goes on
        wire              unused_table = &{1'b0, table_i};
        // Directions in which the input's heads do not go are zero and stay so.
        localparam [2*Dims-1:0] Kept = (Injected != 0) ? {2 * Dims{1'b0}} : ~Ways;
        wire [2*Dims-1:0] told = flit_i[CourseLsb+:2*Dims];
        assign flit_o = {flit_i[Width-1:CourseLsb+2*Dims], (told & Kept) | ((flit_i[Width-1] ? on : told) & ~Kept), flit_i[CourseLsb-1:0]};
        if (Injected != 0) begin : gen_first
          course #(
            .Dims     (Dims),
            .Sizes    (Sizes),
            .Wrapped  (Wrapped),
            .NodeWidth(NodeWidth)
          ) i_course (
            .dst_i   (flit_i[DstLsb+:NodeWidth]),
            .here_i  (here_i),
            .course_o(from)
          );
        end else begin : gen_told
          assign from = told & Ways;
        end
        course_port #(
          .Dims      (Dims),
          .Descending(Kind == 3)
        ) i_port (
          .course_i(from),
          .port_o  (port)
        );
        if (Ends != 0) begin : gen_later
          wire unused_here = &{1'b0, here_i};
          assign on = from;
        end else begin : gen_on
          course_ahead #(
            .Dims      (Dims),
            .Sizes     (Sizes),
            .NodeWidth (NodeWidth),
            .Descending(Kind == 3)
          ) i_ahead (
            .dst_i   (flit_i[DstLsb+:NodeWidth]),
            .here_i  (here_i),
            .course_i(from),
            .course_o(on)
          );
        end
      end else begin : gen_here
        wire [Width-1:0] onward;  // a flit with a header
        assign flit_o = (HeadFlit == 0 || Kind != 2) ? onward : flit_i[Width-1] ? onward : flit_i;
        route #(
          .Kind      (Kind),
          .Ports     (Ports),
          .Width     (Width),
          .NodeWidth (NodeWidth),
          .DstLsb    (DstLsb),
          .RouteLsb  (RouteLsb),
          .RouteWidth(RouteWidth),
          .PortWidth (PortWidth),
          .EntryWidth(EntryWidth),
          .Dims      (Dims),
          .Sizes     (Sizes),
          .Wrapped   (Wrapped),
          .FirstDim  (FirstDim)
        ) i_route (
          .flit_i (flit_i),
          .here_i (here_i),
          .table_i(table_i),
          .flit_o (onward),
          .port_o (port)
        );
      end
    end else if (Kind == 4) begin : gen_o1turn
      wire unused = &{1'b0, table_i, idle_i};
      assign flit_o = flit_i;
      assign turn_o = 1'b0;
      assign vc_o = {Vcs{1'b0}};
      route_o1turn #(
        .Dims     (Dims),
        .Sizes    (Sizes),
        .Wrapped  (Wrapped),
        .NodeWidth(NodeWidth)
      ) i_route (
        .class_i(class_i),
        .dst_i  (flit_i[DstLsb+:NodeWidth]),
        .here_i (here_i),
        .port_o (port)
      );
    end else if (Kind == 5) begin : gen_valiant
      wire unused = &{1'b0, table_i, idle_i};
      assign flit_o = flit_i;
      assign vc_o = {Vcs{1'b0}};
      route_valiant #(
        .Dims     (Dims),
        .Sizes    (Sizes),
        .Wrapped  (Wrapped),
        .NodeWidth(NodeWidth)
      ) i_route (
        .class_i(class_i),
        .via_i  (flit_i[RouteLsb+:NodeWidth]),
        .dst_i  (flit_i[DstLsb+:NodeWidth]),
        .here_i (here_i),
        .port_o (port),
        .turn_o (turn_o)
      );
    end else if (Kind == 6) begin : gen_adaptive
      wire unused = &{1'b0, table_i, class_i};
      assign flit_o = flit_i;
      assign turn_o = 1'b0;
      route_adaptive #(
        .Dims     (Dims),
        .Sizes    (Sizes),
        .Wrapped  (Wrapped),
        .NodeWidth(NodeWidth),
        .Vcs      (Vcs),
        .Escape   (Escape)
      ) i_route (
        .dst_i (flit_i[DstLsb+:NodeWidth]),
        .here_i(here_i),
        .idle_i(idle_i),
        .port_o(port),
        .vc_o  (vc_o)
      );
    end else if (Kind <= 10) begin : gen_turns
      wire unused = &{1'b0, table_i, class_i};
      assign flit_o = flit_i;
      assign turn_o = 1'b0;
      route_turns #(
        .Model    (Kind - 7),
        .Dims     (Dims),
        .Sizes    (Sizes),
        .Wrapped  (Wrapped),
        .NodeWidth(NodeWidth),
        .Vcs      (Vcs),
        .From     (From)
      ) i_route (
        .dst_i (flit_i[DstLsb+:NodeWidth]),
        .here_i(here_i),
        .idle_i(idle_i),
        .port_o(port),
        .vc_o  (vc_o)
      );
    end else begin : gen_bad_kind
      routing_kind_is_none_of_the_eleven i_stop ();
    end
  endgenerate
endmodule
