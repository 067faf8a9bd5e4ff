// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The course at the next chip: a direction ends when the next chip is level with the destination.
module course_ahead #(
  parameter               Dims       = 2,
  parameter [Dims*32-1:0] Sizes      = {32'd8, 32'd8},
  parameter               NodeWidth  = 6,
  parameter               Descending = 0
) (
  input  wire [NodeWidth-1:0]      dst_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [2*Dims-1:0]         course_i,  // here
  output wire [2*Dims-1:0]         course_o   // there
);
  wire [2*Dims:0] port;
  wire            unused = port[2*Dims];

  course_port #(
    .Dims      (Dims),
    .Descending(Descending)
  ) i_port (
    .course_i(course_i),
    .port_o  (port)
  );

  function integer stride(input integer dim);
    integer k;
    begin
      stride = 1;
      for (k = 0; k < dim; k = k + 1) stride = stride * Sizes[k*32+:32];
    end
  endfunction

  genvar d;
  generate
    for (d = 0; d < Dims; d = d + 1) begin : gen_dim
      localparam Last = Sizes[d*32+:32] - 1;
      wire [NodeWidth-1:0] from = here_i[d*NodeWidth+:NodeWidth];
      wire [NodeWidth-1:0] to;
      wire [NodeWidth-1:0] after = (from == Last[NodeWidth-1:0]) ? {NodeWidth{1'b0}} : from + 1'b1;
      wire [NodeWidth-1:0] behind = (|from) ? from - 1'b1 : Last[NodeWidth-1:0];

      coordinate #(
        .Stride   (stride(d)),
        .Size     (Sizes[d*32+:32]),
        .NodeWidth(NodeWidth)
      ) i_coordinate (
        .node_i      (dst_i),
        .coordinate_o(to)
      );

      assign course_o[2*d] = course_i[2*d] & !(port[2*d] & (to == after));
      assign course_o[2*d+1] = course_i[2*d+1] & !(port[2*d+1] & (to == behind));
    end
  endgenerate
endmodule
