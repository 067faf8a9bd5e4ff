// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Valiant's routing: in dimension order to the node via_i, in virtual channels of class 0, and from there to the
// destination, in virtual channels of class 1 (Valiant and Brebner, 1981).
module route_valiant #(
  parameter               Dims      = 2,
  parameter [Dims*32-1:0] Sizes     = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped   = {Dims{1'b0}},
  parameter               NodeWidth = 6
) (
  input  wire                      class_i,
  input  wire [NodeWidth-1:0]      via_i,
  input  wire [NodeWidth-1:0]      dst_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  output wire [2*Dims:0]           port_o,  // one-hot; the highest bit is: arrived
  output wire                      turn_o   // class 1 begins here
);
  wire [2*Dims:0] first;
  wire [2*Dims:0] second;
  assign turn_o = !class_i & first[2*Dims];
  assign port_o = (class_i | turn_o) ? second : first;

  route_dor #(
    .Dims     (Dims),
    .Sizes    (Sizes),
    .Wrapped  (Wrapped),
    .NodeWidth(NodeWidth)
  ) i_first (
    .dst_i (via_i),
    .here_i(here_i),
    .port_o(first)
  );
  route_dor #(
    .Dims     (Dims),
    .Sizes    (Sizes),
    .Wrapped  (Wrapped),
    .NodeWidth(NodeWidth)
  ) i_second (
    .dst_i (dst_i),
    .here_i(here_i),
    .port_o(second)
  );
endmodule
