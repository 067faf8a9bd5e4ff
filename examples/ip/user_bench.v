// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Runs user_top until all frames have arrived. Ends with PASS or FAIL.
module user_bench;
  localparam Frames = 100;  // of each source

  reg         clk;
  reg         rst;
  wire [31:0] frames;
  wire        error;
  integer     cycle;

  user_top #(
    .Frames(Frames)
  ) i_top (
    .clk_i   (clk),
    .rst_i   (rst),
    .frames_o(frames),
    .error_o (error)
  );

  initial begin
    clk = 1'b0;
    rst = 1'b1;
    for (cycle = 0; cycle < 2 || (frames != 2 * Frames && !error && cycle < 10000); cycle = cycle + 1) begin
      #5 clk = 1'b1;
      #5 clk = 1'b0;
      rst = cycle == 0;
    end
    if (frames == 2 * Frames && !error) $display("PASS frames=%0d cycles=%0d", frames, cycle);
    else begin
      $display("FAIL frames=%0d cycles=%0d error=%b", frames, cycle, error);
      $stop;
    end
    $finish;
  end
endmodule
