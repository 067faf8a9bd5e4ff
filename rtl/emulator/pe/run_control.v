// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Advances the network's time when all PEs are settled, for as many target cycles as the run takes; then the memories
// are checked.
module run_control #(
  parameter                  CycleWidth = 32,
  parameter [CycleWidth-1:0] Cycles     = 1
) (
  input  wire                  clk_i,
  input  wire                  rst_i,
  input  wire                  settled_i,  // all PEs
  output wire                  tick_o,
  output wire [CycleWidth-1:0] cycle_o,    // the target cycle
  output wire                  check_o     // the last tick was one clock cycle ago
);
  localparam [CycleWidth-1:0] Last = Cycles - 1'b1;
  reg [CycleWidth-1:0] cycle_q;
  reg                  ended_q;
  reg                  check_q;
  assign tick_o  = settled_i & !ended_q & !rst_i;
  assign cycle_o = cycle_q;
  assign check_o = check_q;

  always @(posedge clk_i) begin
    if (rst_i) cycle_q <= {CycleWidth{1'b0}};
    else if (tick_o) cycle_q <= cycle_q + 1'b1;
  end
  wire last = tick_o & (cycle_q == Last);
  always @(posedge clk_i) begin
    if (rst_i) ended_q <= 1'b0;
    else if (last) ended_q <= 1'b1;
  end
  always @(posedge clk_i) check_q <= last;
endmodule
