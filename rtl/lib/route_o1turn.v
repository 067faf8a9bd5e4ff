// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// O1TURN: dimension order, lowest or highest dimension first, as the class of the flit's virtual channel says
// (Seo, Ali, Lim, Rafique and Thottethodi, 2005).
module route_o1turn #(
  parameter               Dims      = 2,
  parameter [Dims*32-1:0] Sizes     = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped   = {Dims{1'b0}},
  parameter               NodeWidth = 6
) (
  input  wire                      class_i,  // 1: highest dimension first
  input  wire [NodeWidth-1:0]      dst_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  output wire [2*Dims:0]           port_o    // one-hot; the highest bit is: arrived
);
  wire [2*Dims:0] lowest;
  wire [2*Dims:0] highest;
  assign port_o = class_i ? highest : lowest;

  route_dor #(
    .Dims     (Dims),
    .Sizes    (Sizes),
    .Wrapped  (Wrapped),
    .NodeWidth(NodeWidth)
  ) i_lowest (
    .dst_i (dst_i),
    .here_i(here_i),
    .port_o(lowest)
  );
  route_dor #(
    .Dims      (Dims),
    .Sizes     (Sizes),
    .Wrapped   (Wrapped),
    .NodeWidth (NodeWidth),
    .Descending(1)
  ) i_highest (
    .dst_i (dst_i),
    .here_i(here_i),
    .port_o(highest)
  );
endmodule
