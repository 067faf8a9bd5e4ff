// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The route of a flit that is here, and what it looks like on the next link. With HeadFlit only heads have a destination;
// the other flits of a message take the route of its head.
module flit_route #(
  parameter               HeadFlit   = 0,
  parameter               Kind       = 0,                // routing: 0 dimension order, 1 table, 2 source
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
  input  wire                      clk_i,
  input  wire                      tick_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [TableWidth-1:0]     table_i,
  input  wire                      valid_i,
  input  wire [Width-1:0]          flit_i,
  output wire [Width-1:0]          flit_o,  // on the link
  output wire [Ports:0]            port_o   // one-hot; the highest bit is: arrived; zero while not valid
);
  wire [Width-1:0] moved;  // of a head
  wire [Ports:0]   found;

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
    .flit_o (moved),
    .port_o (found)
  );

  generate
    if (HeadFlit == 0) begin : gen_each
      wire unused = &{1'b0, clk_i, tick_i};
      assign flit_o = moved;
      assign port_o = found & {Ports + 1{valid_i}};
    end else begin : gen_follow
      wire          head = flit_i[Width-1];
      reg [Ports:0] port_q;
      assign flit_o = head ? moved : flit_i;
      assign port_o = (head ? found : port_q) & {Ports + 1{valid_i}};

      always @(posedge clk_i) begin
        if (tick_i & valid_i & head) port_q <= found;
      end
    end
  endgenerate
endmodule
