// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output of the crossbar: the selected input's flit, or any flit when none is selected. A tree of multiplexers of
// four over the inputs that have a path: two four-input tables per bit for four inputs, where and-or needs three.
module crossbar_mux #(
  parameter              Inputs = 5,
  parameter              Width  = 40,
  parameter [Inputs-1:0] Paths  = {Inputs{1'b1}}
) (
  /* verilator lint_off UNUSED */  // inputs without a path; a reduction would take time in simulations
  input  wire [Inputs-1:0]       select_i,  // one-hot or zero
  input  wire [Inputs*Width-1:0] flit_i,
  /* verilator lint_on UNUSED */
  output wire [Width-1:0]        flit_o
);
  // The input at leaf n of the tree: the n-th with a path, the last one again behind the end.
  function integer input_at(input integer n);
    integer k;
    integer seen;
    begin
      input_at = 0;
      seen = 0;
      for (k = Inputs - 1; k >= 0; k = k - 1) begin
        if (Paths[k]) begin
          if (seen <= n) input_at = k;
          seen = seen + 1;
        end
      end
    end
  endfunction

  // Inputs whose leaf has bit `position` of its number set.
  function [Inputs-1:0] with_bit(input integer position);
    integer k;
    integer leaf;
    begin
      leaf = 0;
      for (k = Inputs - 1; k >= 0; k = k - 1) begin
        with_bit[k] = Paths[k] && (leaf >> position) % 2 == 1;
        if (Paths[k]) leaf = leaf + 1;
      end
    end
  endfunction

  function integer count_of(input [Inputs-1:0] paths);
    integer k;
    begin
      count_of = 0;
      for (k = 0; k < Inputs; k = k + 1) if (paths[k]) count_of = count_of + 1;
    end
  endfunction

  localparam Leaves = count_of(Paths);
  localparam Levels = (Leaves > 4) ? ($clog2(Leaves) + 1) / 2 : 1;

  genvar l;
  genvar n;
  generate
    for (l = 0; l < Levels; l = l + 1) begin : gen_level
      localparam Nodes = 1 << 2 * (Levels - 1 - l);
      localparam [Inputs-1:0] Odd = with_bit(2 * l);
      localparam [Inputs-1:0] Upper = with_bit(2 * l + 1);
      wire                   odd = |(select_i & Odd);
      wire                   upper = |(select_i & Upper);
      wire [Nodes*Width-1:0] flit;
      for (n = 0; n < Nodes; n = n + 1) begin : gen_node
        wire [Width-1:0] a;  // to choose from
        wire [Width-1:0] b;
        wire [Width-1:0] c;
        wire [Width-1:0] d;
        if (l == 0) begin : gen_leaves
          localparam A = input_at(4 * n);
          localparam B = input_at(4 * n + 1);
          localparam C = input_at(4 * n + 2);
          localparam D = input_at(4 * n + 3);
          assign a = flit_i[A*Width+:Width];
          assign b = flit_i[B*Width+:Width];
          assign c = flit_i[C*Width+:Width];
          assign d = flit_i[D*Width+:Width];
        end else begin : gen_below
          assign a = gen_level[l-1].flit[4*n*Width+:Width];
          assign b = gen_level[l-1].flit[(4*n+1)*Width+:Width];
          assign c = gen_level[l-1].flit[(4*n+2)*Width+:Width];
          assign d = gen_level[l-1].flit[(4*n+3)*Width+:Width];
        end
        assign flit[n*Width+:Width] = upper ? (odd ? d : c) : (odd ? b : a);
      end
    end
  endgenerate

  assign flit_o = gen_level[Levels-1].flit;
endmodule
