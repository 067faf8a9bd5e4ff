// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output of a bufferless chip: the lowest input that may go leaves, the flits of all others are lost.
module bufferless_output #(
  parameter Inputs     = 5,
  parameter Flit       = 1  // cycles a flit occupies the output
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              tick_i,
  input  wire [Inputs-1:0] request_i,
  input  wire [Inputs-1:0] block_i,    // may not leave in this cycle
  output wire              valid_o,
  output reg  [Inputs-1:0] select_o,   // one-hot or zero
  output wire              lost_o      // a flit that wants this output is lost
);
  wire              rest;
  wire [Inputs-1:0] candidates = request_i & ~block_i & {Inputs{!rest}};
  assign valid_o  = |candidates;
  assign lost_o   = |(request_i & ~select_o);

  reg     taken;
  integer i;
  always @* begin
    taken = 1'b0;
    for (i = 0; i < Inputs; i = i + 1) begin
      select_o[i] = candidates[i] & !taken;
      taken       = taken | candidates[i];
    end
  end

  rest_timer #(
    .Cycles(Flit)
  ) i_rest (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .start_i(valid_o),
    .rest_o (rest)
  );

`ifndef SYNTHESIS
  rule #(
    .Name("bufferless_output/select-is-one-hot")
  ) i_select_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(|(select_o & (select_o - 1'b1)))
  );
`endif
endmodule
