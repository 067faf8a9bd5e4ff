// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output of the crossbar: the selected input's flit, or any flit when none is selected. A binary tree over the
// inputs that have a path: two four-input tables per bit for four inputs, where and-or needs three.
module crossbar_mux #(
  parameter              Inputs = 5,
  parameter              Width  = 40,
  parameter [Inputs-1:0] Paths  = {Inputs{1'b1}}
) (
  input  wire [Inputs-1:0]       select_i,  // one-hot or zero
  input  wire [Inputs*Width-1:0] flit_i,
  output wire [Width-1:0]        flit_o
);
  // The input at leaf n of the tree: the n-th with a path, the last one again behind the end.
  function integer input_at(input integer n);
    integer k;
    integer seen;
    begin
      input_at = 0;
      seen = 0;
      for (k = 0; k < Inputs; k = k + 1) begin
        if (Paths[k]) begin
          if (seen <= n) input_at = k;
          seen = seen + 1;
        end
      end
    end
  endfunction

  function integer paths_below(input integer end_);
    integer k;
    begin
      paths_below = 0;
      for (k = 0; k < end_; k = k + 1) if (Paths[k]) paths_below = paths_below + 1;
    end
  endfunction

  localparam Leaves = paths_below(Inputs);
  localparam Levels = (Leaves > 1) ? $clog2(Leaves) : 0;
  wire unused = &{1'b0, select_i, flit_i};

  genvar l;
  genvar n;
  generate
    for (l = 0; l <= Levels; l = l + 1) begin : gen_level
      localparam Nodes = 1 << (Levels - l);
      wire [Nodes*Width-1:0] flit;
      if (l == 0) begin : gen_leaves
        for (n = 0; n < Nodes; n = n + 1) begin : gen_leaf
          localparam Source = input_at(n);
          assign flit[n*Width+:Width] = flit_i[Source*Width+:Width];
        end
      end else begin : gen_muxes
        wire [Inputs-1:0] upper;  // selected inputs in the upper half of their node
        for (n = 0; n < Inputs; n = n + 1) begin : gen_upper
          localparam Upper = Paths[n] && (paths_below(n) >> (l - 1)) % 2 == 1;
          assign upper[n] = Upper ? select_i[n] : 1'b0;
        end
        for (n = 0; n < Nodes; n = n + 1) begin : gen_mux
          assign flit[n*Width+:Width] = (|upper) ? gen_level[l-1].flit[(2*n+1)*Width+:Width]
                                                 : gen_level[l-1].flit[2*n*Width+:Width];
        end
      end
    end
  endgenerate

  assign flit_o = gen_level[Levels].flit;
endmodule
