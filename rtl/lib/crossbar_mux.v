// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output of the crossbar: the selected input's flit. Up to four inputs with a path are a multiplexer of four, which
// four-input tables make smaller than and-or; it shows any flit when none is selected. More inputs are and-or.
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
    end else begin : gen_and_or
      reg [Width-1:0] flit;
      integer         n;
      assign flit_o = flit;
      always @* begin
        flit = {Width{1'b0}};
        for (n = 0; n < Inputs; n = n + 1) if (Paths[n] & select_i[n]) flit = flit | flit_i[n*Width+:Width];
      end
    end
  endgenerate
endmodule
