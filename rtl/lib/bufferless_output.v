// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output of a bufferless chip: the lowest input that may go leaves, the flits of all others are lost.
module bufferless_output #(
  parameter              Inputs = 5,
  parameter              Flit   = 1,   // cycles a flit occupies the output
  parameter              Width  = 40,
  parameter              Late   = 0,   // 1: the highest input requests late, so it may go also while none requests
  parameter [Inputs-1:0] Paths  = {Inputs{1'b1}}  // inputs that have a path to this output
) (
  input  wire                    clk_i,
  input  wire                    rst_i,
  input  wire                    tick_i,
  input  wire [Inputs-1:0]       request_i,
  input  wire [Inputs-1:0]       block_i,    // may not leave in this cycle
  input  wire [Inputs*Width-1:0] flit_i,
  output wire                    valid_o,
  output wire [Inputs-1:0]       leave_o,    // whose flit leaves: one-hot or zero
  output wire [Width-1:0]        flit_o,     // means something under valid
  output wire                    lost_o      // a flit that wants this output is lost
);
  wire              rest;
  wire [Inputs-1:0] candidates = request_i & Paths & ~block_i & {Inputs{!rest}};
  reg  [Inputs-1:0] behind;  // a lower candidate goes first
  reg  [Inputs-1:0] way;
  assign valid_o = |candidates;
  assign leave_o = candidates & way;
  assign lost_o  = |(request_i & Paths & ~leave_o);

  integer i;
  always @* begin
    behind = {Inputs{1'b0}};
    for (i = 1; i < Inputs; i = i + 1) behind[i] = behind[i-1] | candidates[i-1];
    way = candidates & ~behind;
    if (Late != 0) way[Inputs-1] = !behind[Inputs-1];
  end

  crossbar_mux #(
    .Inputs(Inputs),
    .Width (Width),
    .Paths (Paths)
  ) i_mux (
    .select_i(way),
    .flit_i  (flit_i),
    .flit_o  (flit_o)
  );

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
    .Name("bufferless_output/one-flit-leaves")
  ) i_one_flit_leaves (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(|(leave_o & (leave_o - 1'b1)))
  );
  rule #(
    .Name("bufferless_output/turn-exists")
  ) i_turn_exists (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & |(request_i & ~Paths))
  );
`endif
endmodule
