// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The routing function of one input: where the flit at its front goes, and what the flit looks like on the link.
module route #(
  parameter               Kind       = 0,                // 0 dimension order, 1 table, 2 source, 3 highest dimension first
  parameter               Ports      = 4,
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
  parameter               FirstDim   = 0,
  parameter               TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1  // derived
) (
  input  wire [Width-1:0]          flit_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [TableWidth-1:0]     table_i,
  output wire [Width-1:0]          flit_o,
  output wire [Ports:0]            port_o   // one-hot; the highest bit is: arrived
);
  generate
    if (Kind == 0 || Kind == 3) begin : gen_dor
      if (Ports != 2 * Dims) begin : gen_bad_ports
        dimension_order_needs_two_ports_per_dimension i_stop ();
      end
      wire unused = &{1'b0, table_i};
      assign flit_o = flit_i;
      route_dor #(
        .Dims      (Dims),
        .Sizes     (Sizes),
        .Wrapped   (Wrapped),
        .NodeWidth (NodeWidth),
        .FirstDim  ((Kind == 0) ? FirstDim : 0),
        .Descending(Kind == 3)
      ) i_route (
        .dst_i (flit_i[DstLsb+:NodeWidth]),
        .here_i(here_i),
        .port_o(port_o)
      );
    end else if (Kind == 1) begin : gen_table
      wire unused = &{1'b0, here_i};
      assign flit_o = flit_i;
      route_table #(
        .Ports     (Ports),
        .NodeWidth (NodeWidth),
        .EntryWidth(EntryWidth)
      ) i_route (
        .dst_i  (flit_i[DstLsb+:NodeWidth]),
        .table_i(table_i),
        .port_o (port_o)
      );
    end else if (Kind == 2) begin : gen_source
      wire unused = &{1'b0, here_i, table_i};
      route_source #(
        .Ports     (Ports),
        .PortWidth (PortWidth),
        .RouteWidth(RouteWidth)
      ) i_route (
        .route_i(flit_i[RouteLsb+:RouteWidth]),
        .route_o(flit_o[RouteLsb+:RouteWidth]),
        .port_o (port_o)
      );
      assign flit_o[Width-1:RouteLsb+RouteWidth] = flit_i[Width-1:RouteLsb+RouteWidth];
      assign flit_o[RouteLsb-1:0] = flit_i[RouteLsb-1:0];
    end else begin : gen_bad_kind
      routing_kind_is_none_of_dor_table_source_yx i_stop ();
    end
  endgenerate
endmodule
