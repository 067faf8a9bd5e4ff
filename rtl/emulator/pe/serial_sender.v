// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Sends bytes on a line: a start bit 0, eight bits, the lowest first, a stop bit 1; Divider clock cycles a bit.
module serial_sender #(
  parameter Divider = 104
) (
  input  wire       clk_i,
  input  wire       rst_i,
  input  wire       valid_i,   // accepted when ready
  input  wire [7:0] byte_i,
  output wire       ready_o,
  output wire       serial_o
);
  localparam TimerWidth = (Divider > 1) ? $clog2(Divider) : 1;
  localparam BeforeDivider = Divider - 1;
  localparam [TimerWidth-1:0] Reload = BeforeDivider[TimerWidth-1:0];
  reg [TimerWidth-1:0] timer_q;
  reg [3:0]            left_q;    // bits
  reg [8:0]            bits_q;
  wire                 next = timer_q == {TimerWidth{1'b0}};
  assign ready_o  = left_q == 4'd0;
  assign serial_o = ready_o | bits_q[0];

  always @(posedge clk_i) begin
    if (ready_o | next) timer_q <= Reload;
    else timer_q <= timer_q - 1'b1;
  end
  always @(posedge clk_i) begin
    if (rst_i) left_q <= 4'd0;
    else if (ready_o & valid_i) left_q <= 4'd10;
    else if (!ready_o & next) left_q <= left_q - 1'b1;
  end
  always @(posedge clk_i) begin
    if (ready_o) bits_q <= {byte_i, 1'b0};
    else if (next) bits_q <= {1'b1, bits_q[8:1]};
  end
endmodule
