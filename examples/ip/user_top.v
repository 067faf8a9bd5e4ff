// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A user's own design around a network of 2x2 nodes: sources at PEs 0 and 1, sinks at PEs 2 and 3.
//
//   source at 0 --> s0  [         ]  m2 --> sink
//   source at 1 --> s1  [ network ]  m3 --> sink
//
// Source 0 sends to node 3 and source 1 to node 2, so that their frames cross.
module user_top #(
  parameter Frames = 100,
  parameter Beats  = 4
) (
  input  wire        clk_i,
  input  wire        rst_i,     // synchronous
  output wire [31:0] frames_o,  // received
  output wire        error_o
);
  wire        s0_valid, s0_ready, s0_last;
  wire        s1_valid, s1_ready, s1_last;
  wire        m2_valid, m2_ready, m2_last;
  wire        m3_valid, m3_ready, m3_last;
  wire [31:0] s0_data, s1_data, m2_data, m3_data;
  wire [1:0]  s0_dest, s1_dest, m2_source, m3_source;
  wire [31:0] frames_2, frames_3;
  wire        error_2, error_3;
  wire [3:0]  dropped;
  reg         dropped_q;
  assign frames_o = frames_2 + frames_3;
  assign error_o = error_2 | error_3 | dropped_q;

  always @(posedge clk_i) begin
    if (rst_i) dropped_q <= 1'b0;
    else if (|dropped) dropped_q <= 1'b1;
  end

  frame_source #(.Frames(Frames), .Beats(Beats), .Destination(2'd3)) i_source_0 (
    .clk_i(clk_i), .rst_i(rst_i),
    .tvalid_o(s0_valid), .tready_i(s0_ready), .tdata_o(s0_data), .tlast_o(s0_last), .tdest_o(s0_dest)
  );
  frame_source #(.Frames(Frames), .Beats(Beats), .Destination(2'd2)) i_source_1 (
    .clk_i(clk_i), .rst_i(rst_i),
    .tvalid_o(s1_valid), .tready_i(s1_ready), .tdata_o(s1_data), .tlast_o(s1_last), .tdest_o(s1_dest)
  );
  frame_sink #(.Beats(Beats), .Node(2'd2)) i_sink_2 (
    .clk_i(clk_i), .rst_i(rst_i),
    .tvalid_i(m2_valid), .tready_o(m2_ready), .tdata_i(m2_data), .tlast_i(m2_last), .tid_i(m2_source),
    .frames_o(frames_2), .error_o(error_2)
  );
  frame_sink #(.Beats(Beats), .Node(2'd3)) i_sink_3 (
    .clk_i(clk_i), .rst_i(rst_i),
    .tvalid_i(m3_valid), .tready_o(m3_ready), .tdata_i(m3_data), .tlast_i(m3_last), .tid_i(m3_source),
    .frames_o(frames_3), .error_o(error_3)
  );

  // PEs 0 and 1 receive nothing, PEs 2 and 3 send nothing. An input without a use is tied; a stream that
  // nobody reads stays ready, so that it never holds up the network.
  /* verilator lint_off PINCONNECTEMPTY */
  fabric_axis i_fabric (
    .aclk(clk_i), .aresetn(!rst_i), .dropped_o(dropped),
    .s0_axis_tvalid(s0_valid), .s0_axis_tready(s0_ready), .s0_axis_tdata(s0_data), .s0_axis_tlast(s0_last), .s0_axis_tdest(s0_dest), .s0_axis_tuser(8'd0),
    .s1_axis_tvalid(s1_valid), .s1_axis_tready(s1_ready), .s1_axis_tdata(s1_data), .s1_axis_tlast(s1_last), .s1_axis_tdest(s1_dest), .s1_axis_tuser(8'd0),
    .m2_axis_tvalid(m2_valid), .m2_axis_tready(m2_ready), .m2_axis_tdata(m2_data), .m2_axis_tlast(m2_last), .m2_axis_tid(m2_source), .m2_axis_tuser(),
    .m3_axis_tvalid(m3_valid), .m3_axis_tready(m3_ready), .m3_axis_tdata(m3_data), .m3_axis_tlast(m3_last), .m3_axis_tid(m3_source), .m3_axis_tuser(),
    .s2_axis_tvalid(1'b0), .s2_axis_tready(), .s2_axis_tdata(32'd0), .s2_axis_tlast(1'b0), .s2_axis_tdest(2'd0), .s2_axis_tuser(8'd0),
    .s3_axis_tvalid(1'b0), .s3_axis_tready(), .s3_axis_tdata(32'd0), .s3_axis_tlast(1'b0), .s3_axis_tdest(2'd0), .s3_axis_tuser(8'd0),
    .m0_axis_tvalid(), .m0_axis_tready(1'b1), .m0_axis_tdata(), .m0_axis_tlast(), .m0_axis_tid(), .m0_axis_tuser(),
    .m1_axis_tvalid(), .m1_axis_tready(1'b1), .m1_axis_tdata(), .m1_axis_tlast(), .m1_axis_tid(), .m1_axis_tuser()
  );
  /* verilator lint_on PINCONNECTEMPTY */
endmodule
