// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One flit between the PE and its router. A flit offered to the empty register takes part in the same cycle,
// and is kept only if it does not leave in it.
module injection_register #(
  parameter Width = 32
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             tick_i,
  input  wire             valid_i,  // accepted while ready_o, else ignored
  input  wire [Width-1:0] flit_i,
  output wire             ready_o,  // empty at the start of the cycle
  output wire             valid_o,
  output wire [Width-1:0] flit_o,   // kept_o, or if ready_o flit_i
  output wire [Width-1:0] kept_o,
  input  wire             leave_i   // only while valid_o
);
  reg             full_q;
  reg [Width-1:0] flit_q;
  assign ready_o = !full_q;
  assign valid_o = full_q | valid_i;
  assign kept_o  = flit_q;
  assign flit_o  = full_q ? flit_q : flit_i;

  always @(posedge clk_i) begin
    if (tick_i & !full_q) flit_q <= flit_i;
    if (rst_i) full_q <= 1'b0;
    else if (tick_i) full_q <= valid_o & !leave_i;
  end

`ifndef SYNTHESIS
  rule #(
    .Name("injection_register/no-leave-when-empty")
  ) i_no_leave_when_empty (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & leave_i & !valid_o)
  );
`endif
endmodule
