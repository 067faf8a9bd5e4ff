// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One-hot virtual channel to its number in the flit.
module vc_encoder #(
  parameter Vcs     = 1,
  parameter VcWidth = (Vcs > 1) ? $clog2(Vcs) : 1  // derived
) (
  input  wire [Vcs-1:0]     vc_i,
  output reg  [VcWidth-1:0] vc_o
);
  integer v;
  always @* begin
    vc_o = {VcWidth{1'b0}};
    for (v = 0; v < Vcs; v = v + 1) if (vc_i[v]) vc_o = vc_o | v[VcWidth-1:0];
  end
endmodule
