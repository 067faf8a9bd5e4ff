// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// What stands around a unit whose clock is measured. A shift register drives its inputs, and every 256 cycles
// another register captures its outputs and shifts them out. So four pins are enough for a unit of any size,
// and the paths that decide the clock are the unit's own.
module harness_registers #(
  parameter Inputs  = 1,
  parameter Outputs = 1
) (
  input  wire               clk_i,
  input  wire               data_i,
  output wire               data_o,
  output wire [Inputs-1:0]  inputs_o,
  input  wire [Outputs-1:0] outputs_i
);
  reg [Inputs-1:0]  inputs_q;
  reg [Outputs-1:0] outputs_q;
  reg [7:0]         cycle_q = 8'd0;
  reg               capture_q;

  assign inputs_o = inputs_q;
  assign data_o = outputs_q[Outputs-1];

  always @(posedge clk_i) begin
    cycle_q <= cycle_q + 8'd1;
    capture_q <= &cycle_q;
    inputs_q <= {inputs_q, data_i};
    outputs_q <= capture_q ? outputs_i : {outputs_q, 1'b0};
  end
endmodule
