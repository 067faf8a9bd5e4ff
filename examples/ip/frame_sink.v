// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Takes frames in three cycles of four, counts them, and checks that the beats of each of two sources come in order.
module frame_sink #(
  parameter       Beats = 4,
  parameter [1:0] Node  = 2'd0  // its own
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        tvalid_i,
  output wire        tready_o,
  input  wire [31:0] tdata_i,
  input  wire        tlast_i,
  input  wire [1:0]  tid_i,
  output reg  [31:0] frames_o,
  output reg         error_o
);
  reg  [1:0]  cycle_q;
  reg  [31:0] next_q [0:1];  // by source
  wire        source = tid_i[0];
  wire        take = tvalid_i & tready_o;
  wire        wrong = tid_i > 2'd1 | tid_i == Node | tdata_i != next_q[source] | tlast_i != (tdata_i % Beats == Beats - 1);
  assign tready_o = cycle_q != 2'd0;

  always @(posedge clk_i) begin
    if (rst_i) begin
      cycle_q   <= 2'd0;
      next_q[0] <= 32'd0;
      next_q[1] <= 32'd0;
      frames_o  <= 32'd0;
      error_o   <= 1'b0;
    end else begin
      cycle_q <= cycle_q + 2'd1;
      if (take) next_q[source] <= tdata_i + 32'd1;
      if (take & tlast_i) frames_o <= frames_o + 32'd1;
      if (take & wrong) error_o <= 1'b1;
    end
  end
endmodule
