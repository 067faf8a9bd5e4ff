// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The course of a head that leaves by a link: the direction of the link ends when the next chip is level with the
// destination. No other direction can end here, so one bit behind the crossbar does for all inputs.
module course_end #(
  parameter               Enabled   = 1,                // 0: heads carry no course
  parameter               Port      = 0,                // of the link: its direction
  parameter               Width     = 40,               // flit without its vc field
  parameter               DstLsb    = 0,
  parameter               CourseLsb = 0,
  parameter               Dims      = 2,
  parameter [Dims*32-1:0] Sizes     = {32'd8, 32'd8},
  parameter               NodeWidth = 6
) (
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [Width-1:0]          flit_i,
  output wire [Width-1:0]          flit_o
);
  generate
    if (Enabled == 0) begin : gen_none
      wire unused = &{1'b0, here_i};
      assign flit_o = flit_i;
    end else begin : gen_end
      localparam [2*Dims-1:0] Direction = 1 << Port;
      wire [2*Dims-1:0] on;
      wire              ends = flit_i[Width-1] & !on[Port];
      wire              unused_on = &{1'b0, on};
      assign flit_o = flit_i & ~({{Width - 1{1'b0}}, ends} << CourseLsb + Port);

      course_ahead #(
        .Dims     (Dims),
        .Sizes    (Sizes),
        .NodeWidth(NodeWidth)
      ) i_ahead (
        .dst_i   (flit_i[DstLsb+:NodeWidth]),
        .here_i  (here_i),
        .course_i(Direction),
        .course_o(on)
      );
    end
  endgenerate
endmodule
