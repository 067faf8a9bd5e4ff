// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Adaptive routing along shortest routes (Duato, 1993). The head takes the first adaptive channel that is idle: the lowest
// dimension that differs first, in it the lowest virtual channel. If none is idle it waits for its escape channel,
// which follows dimension order. Virtual channels below Escape are escape channels. With two, for rings, channel 0 is for routes
// that still close the ring in their dimension, channel 1 for others.
module route_adaptive #(
  parameter               Dims      = 2,
  parameter [Dims*32-1:0] Sizes     = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped   = {Dims{1'b0}},
  parameter               NodeWidth = 6,
  parameter               Vcs       = 2,
  parameter               Escape    = 1  // 1 or 2
) (
  input  wire [NodeWidth-1:0]      dst_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [2*Dims*Vcs-1:0]     idle_i,  // bit p*Vcs+v: nobody has claimed the channel, and its buffer is empty
  output wire [2*Dims:0]           port_o,  // one-hot; the highest bit is: arrived
  output wire [Vcs-1:0]            vc_o     // one-hot; zero: arrived
);
  generate
    if (Escape >= Vcs) begin : gen_bad_vcs
      adaptive_routing_needs_an_adaptive_channel_beside_the_escape_channels i_stop ();
    end
  endgenerate

  // For each dimension the port of the shorter way, zero where nothing is left, and whether the route closes the ring.
  wire [2*Dims-1:0] toward;
  wire [Dims-1:0]   closes;

  genvar d;
  generate
    for (d = 0; d < Dims; d = d + 1) begin : gen_dim
      // A routing in one dimension of its own: all dimensions below count as travelled, and the ports of those above
      // are left out.
      wire [2*Dims:0]      port;
      wire [NodeWidth-1:0] there;
      wire [NodeWidth-1:0] from = here_i[d*NodeWidth+:NodeWidth];
      wire                 unused_port = &{1'b0, port};
      assign toward[2*d+:2] = port[2*d+:2];
      assign closes[d] = port[2*d] ? there < from : there > from;
      route_dor #(
        .Dims     (Dims),
        .Sizes    (Sizes),
        .Wrapped  (Wrapped),
        .NodeWidth(NodeWidth),
        .FirstDim (d)
      ) i_route (
        .dst_i (dst_i),
        .here_i(here_i),
        .port_o(port)
      );
      coordinate #(
        .Stride   (nodes_below(d)),
        .Size     (Sizes[d*32+:32]),
        .NodeWidth(NodeWidth)
      ) i_coordinate (
        .node_i      (dst_i),
        .coordinate_o(there)
      );
    end
  endgenerate

  function integer nodes_below(input integer dim);
    integer k;
    begin
      nodes_below = 1;
      for (k = 0; k < dim; k = k + 1) nodes_below = nodes_below * Sizes[k*32+:32];
    end
  endfunction

  // The escape channel of the lowest dimension is that of dimension order.
  wire [2*Dims-1:0] opened;
  generate
    for (d = 0; d < 2 * Dims; d = d + 1) begin : gen_port
      assign opened[d] = (Escape == 2) & !closes[d/2];
    end
  endgenerate

  channel_choice #(
    .Ports(2 * Dims),
    .Vcs  (Vcs),
    .First(Escape)
  ) i_choice (
    .open_i  (toward),
    .idle_i  (idle_i),
    .second_i(opened),
    .port_o  (port_o),
    .vc_o    (vc_o)
  );
endmodule
