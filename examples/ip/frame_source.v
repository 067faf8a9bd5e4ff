// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Sends Frames frames of Beats beats to one node. Beat b of frame f carries f * Beats + b.
module frame_source #(
  parameter       Frames      = 100,
  parameter       Beats       = 4,
  parameter [1:0] Destination = 2'd0
) (
  input  wire        clk_i,
  input  wire        rst_i,
  output wire        tvalid_o,
  input  wire        tready_i,
  output wire [31:0] tdata_o,
  output wire        tlast_o,
  output wire [1:0]  tdest_o
);
  reg [31:0] beat_q;  // beats that have gone
  assign tvalid_o = beat_q != Frames * Beats;
  assign tdata_o  = beat_q;
  assign tlast_o  = beat_q % Beats == Beats - 1;
  assign tdest_o  = Destination;

  always @(posedge clk_i) begin
    if (rst_i) beat_q <= 32'd0;
    else if (tvalid_o & tready_i) beat_q <= beat_q + 32'd1;
  end
endmodule
