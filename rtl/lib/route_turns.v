// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Adaptive routing along shortest routes without the turns that a turn model forbids (Glass and Ni, 1992; odd-even: Chiu, 2000).
// East is the port of the + direction of dimension 0 (port 0), west port 1, north the + direction of dimension 1 (port 2), south
// port 3; the column is the coordinate in dimension 0.
//
//   Model 0, west-first       no turn to west
//   Model 1, north-last       no turn from north
//   Model 2, negative-first   no turn from a + direction to a - direction; any number of dimensions
//   Model 3, odd-even         no turn from east in an even column, no turn to west in an odd column
//
// The head takes the first idle channel, or waits for virtual channel 0 of the first port, see channel_choice.
module route_turns #(
  parameter               Model     = 0,
  parameter               Dims      = 2,
  parameter [Dims*32-1:0] Sizes     = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped   = {Dims{1'b0}},
  parameter               NodeWidth = 6,
  parameter               Vcs       = 1,
  parameter               From      = 2 * Dims  // port by which heads come in; 2*Dims: they are injected
) (
  input  wire [NodeWidth-1:0]      dst_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [2*Dims*Vcs-1:0]     idle_i,  // bit p*Vcs+v: nobody has claimed the channel
  output wire [2*Dims:0]           port_o,  // one-hot; the highest bit is: arrived
  output wire [Vcs-1:0]            vc_o     // one-hot; zero: arrived
);
  generate
    if (Wrapped != 0) begin : gen_bad_rings
      turn_models_are_for_meshes_not_for_rings i_stop ();
    end
    if (Model != 2 && Dims != 2) begin : gen_bad_dims
      this_turn_model_is_for_meshes_of_two_dimensions i_stop ();
    end
  endgenerate

  wire [2*Dims-1:0]         toward;  // ports that shorten the route
  wire [2*Dims-1:0]         open;    // those that the model leaves
  wire [Dims*NodeWidth-1:0] there;

  genvar d;
  generate
    for (d = 0; d < Dims; d = d + 1) begin : gen_dim
      wire [NodeWidth-1:0] from = here_i[d*NodeWidth+:NodeWidth];
      wire [NodeWidth-1:0] to = there[d*NodeWidth+:NodeWidth];
      assign toward[2*d] = to > from;
      assign toward[2*d+1] = to < from;
      coordinate #(
        .Stride   (nodes_below(d)),
        .Size     (Sizes[d*32+:32]),
        .NodeWidth(NodeWidth)
      ) i_coordinate (
        .node_i      (dst_i),
        .coordinate_o(there[d*NodeWidth+:NodeWidth])
      );
    end

    if (Model == 0) begin : gen_west_first
      assign open = {toward[3:2] & {2{!toward[1]}}, toward[1:0]};
    end else if (Model == 1) begin : gen_north_last
      assign open = {toward[3], toward[2] & !(|toward[1:0]), toward[1:0]};
    end else if (Model == 2) begin : gen_negative_first
      wire [Dims-1:0] negative;
      for (d = 0; d < Dims; d = d + 1) begin : gen_open
        assign negative[d] = toward[2*d+1];
        assign open[2*d] = toward[2*d] & !(|negative);
        assign open[2*d+1] = negative[d];
      end
    end else if (Model == 3) begin : gen_odd_even
      // A head that came east does not leave an even column for north or south, so that it must not enter that of its
      // destination with rows left. One that goes west leaves for north or south where it can turn to west again.
      wire [NodeWidth-1:0] ahead = there[NodeWidth-1:0] - here_i[NodeWidth-1:0];
      wire                 level = !(|toward[3:2]);
      wire                 odd = here_i[0];
      wire                 turns = toward[0] ? odd | (From != 1) : toward[1] ? !odd : 1'b1;
      assign open[0] = toward[0] & (level | there[0] | ahead != 1);
      assign open[1] = toward[1];
      assign open[3:2] = toward[3:2] & {2{turns}};
    end else begin : gen_bad_model
      turn_model_is_none_of_the_four i_stop ();
    end
  endgenerate

  channel_choice #(
    .Ports(2 * Dims),
    .Vcs  (Vcs)
  ) i_choice (
    .open_i  (open),
    .idle_i  (idle_i),
    .second_i({2 * Dims{1'b0}}),
    .port_o  (port_o),
    .vc_o    (vc_o)
  );

  function integer nodes_below(input integer dim);
    integer k;
    begin
      nodes_below = 1;
      for (k = 0; k < dim; k = k + 1) nodes_below = nodes_below * Sizes[k*32+:32];
    end
  endfunction
endmodule
