// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The rule of the library, as something to prove.
module rule #(
  parameter Name = "module/rule"
) (
  input wire clk_i,
  input wire rst_i,
  input wire broken_i
);
  wire unused = clk_i;

  always @* begin
    if (!$initstate & !rst_i) begin
      //: every rule that the module has in simulation is kept
      assert (!broken_i);
    end
  end
endmodule
