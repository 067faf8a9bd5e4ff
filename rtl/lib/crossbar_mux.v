// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output of the crossbar: the selected input's flit. Up to four inputs with a path are a multiplexer of four, which
// four-input tables make smaller than and-or; it shows any flit when none is selected. More inputs are and-or, or with Early
// a chain, which has fewer and slower tables: each has room for two flits and for what the one below it shows, which is a
// flit, or says which of the two is selected.
module crossbar_mux #(
  parameter              Inputs = 5,
  parameter              Width  = 40,
  parameter [Inputs-1:0] Paths  = {Inputs{1'b1}},  // inputs that may be selected
  parameter              Early  = 0                // 1: select_i comes early in a cycle
) (
  /* verilator lint_off UNUSED */  // inputs without a path; a reduction would take time in simulations
  input  wire [Inputs-1:0]       select_i,  // one-hot or zero
  input  wire [Inputs*Width-1:0] flit_i,
  /* verilator lint_on UNUSED */
  output wire [Width-1:0]        flit_o
);
  // The n-th input with a path from the highest one down, the lowest again behind the end.
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

  function integer count_of(input [Inputs-1:0] paths);
    integer k;
    begin
      count_of = 0;
      for (k = 0; k < Inputs; k = k + 1) if (paths[k]) count_of = count_of + 1;
    end
  endfunction

  localparam Leaves = count_of(Paths);

  // The second inputs of pairs, from the highest one down; if one has no other, it is the highest.
  function [Inputs-1:0] seconds_of(input [Inputs-1:0] paths);
    integer k;
    reg     second;
    begin
      second = count_of(paths) % 2 == 1;
      for (k = Inputs - 1; k >= 0; k = k - 1) begin
        seconds_of[k] = paths[k] & second;
        second = second ^ paths[k];
      end
    end
  endfunction

  generate
    if (Leaves <= 4) begin : gen_mux
      localparam A = input_at(0);
      localparam B = input_at(1);
      localparam C = input_at(2);
      localparam D = input_at(3);
      wire odd = ((Leaves > 1) & select_i[B]) | ((Leaves > 3) & select_i[D]);
      wire upper = ((Leaves > 2) & select_i[C]) | ((Leaves > 3) & select_i[D]);
      assign flit_o = odd ? (upper ? flit_i[D*Width+:Width] : flit_i[B*Width+:Width])
                          : (upper ? flit_i[C*Width+:Width] : flit_i[A*Width+:Width]);
    end else if (Early == 0) begin : gen_and_or
      reg [Width-1:0] flit;
      integer         n;
      assign flit_o = flit;
      always @* begin
        flit = {Width{1'b0}};
        for (n = 0; n < Inputs; n = n + 1) if (Paths[n] & select_i[n]) flit = flit | flit_i[n*Width+:Width];
      end
    end else begin : gen_chain
      localparam [Inputs-1:0] Seconds = seconds_of(Paths);
      wire             odd = |(select_i & Seconds);
      reg  [Width-1:0] flit;
      reg  [Width-1:0] first;     // flit of the pair's first input
      reg              selected;  // it is selected
      integer          n;
      assign flit_o = flit;
      always @* begin
        flit = {Width{odd}};
        first = {Width{1'b0}};
        selected = 1'b0;
        for (n = Inputs - 1; n >= 0; n = n - 1) begin
          if (Paths[n] & Seconds[n]) begin
            if (selected | select_i[n]) flit = (flit & flit_i[n*Width+:Width]) | (~flit & first);
          end else if (Paths[n]) begin
            first = flit_i[n*Width+:Width];
            selected = select_i[n];
          end
        end
      end
    end
  endgenerate
endmodule
