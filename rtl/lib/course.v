// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The course to a node: in each dimension the direction of the rest of the route. A wrapped dimension takes the
// shorter way, ties go in + direction. Node id = x + A*y + A*B*z.
module course #(
  parameter               Dims      = 2,
  parameter [Dims*32-1:0] Sizes     = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped   = {Dims{1'b0}},
  parameter               NodeWidth = 6
) (
  input  wire [NodeWidth-1:0]      dst_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  output wire [2*Dims-1:0]         course_o  // bit 2d: dimension d in + direction, 2d+1: in - direction, neither: nothing left
);
  function integer stride(input integer dim);
    integer k;
    begin
      stride = 1;
      for (k = 0; k < dim; k = k + 1) stride = stride * Sizes[k*32+:32];
    end
  endfunction

  // a > b, bit by bit: a comparator of carries would take longer.
  function beyond(input [NodeWidth-1:0] a, input [NodeWidth-1:0] b);
    integer k;
    begin
      beyond = 1'b0;
      for (k = 0; k < NodeWidth; k = k + 1) beyond = (a[k] == b[k]) ? beyond : a[k];
    end
  endfunction

  genvar d;
  generate
    for (d = 0; d < Dims; d = d + 1) begin : gen_dim
      localparam [31:0] Size = Sizes[d*32+:32];
      wire [NodeWidth-1:0] from = here_i[d*NodeWidth+:NodeWidth];
      wire [NodeWidth-1:0] to;
      wire                 plus;

      coordinate #(
        .Stride   (stride(d)),
        .Size     (Size),
        .NodeWidth(NodeWidth)
      ) i_coordinate (
        .node_i      (dst_i),
        .coordinate_o(to)
      );

      if (Wrapped[d]) begin : gen_plus
        localparam [NodeWidth-1:0] Half = Size[NodeWidth:1];
        wire [NodeWidth-1:0] ahead = (to < from) ? to - from + Size[NodeWidth-1:0] : to - from;
        assign plus = ahead <= Half;
      end else begin : gen_plus
        assign plus = beyond(to, from);
      end
      assign course_o[2*d] = plus & (to != from);
      assign course_o[2*d+1] = !plus & (to != from);
    end
  endgenerate
endmodule
