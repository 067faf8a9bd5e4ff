// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The output port of a course in dimension order: the first dimension in which something is left.
module course_port #(
  parameter Dims       = 2,
  parameter Descending = 0  // 1: highest dimension first
) (
  input  wire [2*Dims-1:0] course_i,
  output wire [2*Dims:0]   port_o     // one-hot; the highest bit is: arrived
);
  assign port_o[2*Dims] = !(|course_i);

  genvar d;
  generate
    for (d = 0; d < Dims; d = d + 1) begin : gen_dim
      // The ports of the dimensions that are travelled before this one.
      localparam [2*Dims-1:0] Before = (Descending != 0) ? {2 * Dims{1'b1}} << d << d << 2 : ~({2 * Dims{1'b1}} << d << d);
      assign port_o[2*d+:2] = (|(course_i & Before)) ? 2'b00 : course_i[2*d+:2];
    end
  endgenerate
endmodule
