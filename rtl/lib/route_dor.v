// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Dimension-order routing, lowest dimension first, or highest first with Descending. Node id = x + A*y + A*B*z, port 2d = + direction of
// dimension d, port 2d+1 = - direction. A wrapped dimension takes the shorter way, ties go in + direction.
module route_dor #(
  parameter                Dims       = 2,
  parameter [Dims*32-1:0]  Sizes      = {32'd8, 32'd8},  // 32 bits per dimension, dimension 0 lowest
  parameter [Dims-1:0]     Wrapped    = {Dims{1'b0}},
  parameter                NodeWidth  = 6,
  parameter                FirstDim   = 0,               // dimensions below have been travelled already
  parameter                Descending = 0                // 1: highest dimension first
) (
  input  wire [NodeWidth-1:0]      dst_i,
  input  wire [Dims*NodeWidth-1:0] here_i,  // own coordinates, NodeWidth bits each
  output wire [2*Dims:0]           port_o   // one-hot; the highest bit is: arrived
);
  function integer stride(input integer dim);
    integer k;
    begin
      stride = 1;
      for (k = 0; k < dim; k = k + 1) stride = stride * Sizes[k*32+:32];
    end
  endfunction

  generate
    if (stride(Dims) > (1 << NodeWidth)) begin : gen_bad_width
      route_dor_has_more_nodes_than_fit_in_NodeWidth_bits i_stop ();
    end
  endgenerate

  // The destination's coordinates.
  wire [Dims*NodeWidth-1:0] there;
  wire [Dims-1:0]           home;  // nothing left to travel in dimension d
  assign port_o[2*Dims] = &home;

  genvar d;
  generate
    for (d = 0; d < Dims; d = d + 1) begin : gen_dim
      localparam [31:0] Size = Sizes[d*32+:32];
      localparam [NodeWidth-1:0] Half = Size[NodeWidth:1];
      wire [NodeWidth-1:0] from = here_i[d*NodeWidth+:NodeWidth];
      wire [NodeWidth-1:0] to = there[d*NodeWidth+:NodeWidth];
      wire                 same = from == to;
      wire                 plus;

      coordinate #(
        .Stride   (stride(d)),
        .Size     (Size),
        .NodeWidth(NodeWidth)
      ) i_coordinate (
        .node_i      (dst_i),
        .coordinate_o(there[d*NodeWidth+:NodeWidth])
      );

      if (Wrapped[d]) begin : gen_plus
        wire [NodeWidth-1:0] ahead = (to < from) ? to - from + Size[NodeWidth-1:0] : to - from;
        assign plus = ahead <= Half;
      end else begin : gen_plus
        assign plus = to > from;
      end

      if (d < FirstDim) begin : gen_port
        wire unused = &{1'b0, same, plus};
        assign home[d] = 1'b1;
        assign port_o[2*d+:2] = 2'b00;
      end else begin : gen_port
        // Dimensions that are not travelled before this one.
        localparam [Dims-1:0] Later = (Descending != 0) ? ~({Dims{1'b1}} << d << 1) : {Dims{1'b1}} << d;
        wire turn = &(home | Later) & !same;
        assign home[d] = same;
        assign port_o[2*d] = turn & plus;
        assign port_o[2*d+1] = turn & !plus;
      end
    end
  endgenerate
endmodule
