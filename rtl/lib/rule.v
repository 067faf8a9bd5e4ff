// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A rule that the module around it keeps, in simulation only. The clock edge at which it is broken ends the simulation
// with "FAIL time=T rule=NAME at=INSTANCE". Verilator gives the chip for the instance.
//
// Modules instantiate rules under `ifndef SYNTHESIS. Synthesis tools define this macro by themselves, so that they never
// meet a rule; a parameter would have to be set in every chip.
module rule #(
  parameter Name = "module/rule"
) (
  input wire clk_i,
  input wire rst_i,
  input wire broken_i  // unknown counts as kept
);
`ifdef SYNTHESIS
  wire unused = &{1'b0, clk_i, rst_i, broken_i};
`elsif VERILATOR
  // All chips of a kind share their compiled code, and %m in it would make each one its own. So the class that the code
  // runs for, a chip, says its name, "TOP.bench.i_top.n4_chip"; the top of all has no dot.
  always @(posedge clk_i) begin
    if (broken_i & !rst_i) begin
      $write("FAIL time=%0d rule=%0s", $time, Name);
      $c("if (const char* at = std::strchr(this->name(), '.')) VL_PRINTF(\" at=%s\", at + 1);");
      $display;
      $stop;
    end
  end
`else
  // Sleeps while the rule is kept: in an event simulator a clocked block for each rule costs half as much as the chips.
  always begin
    wait (broken_i);
    @(posedge clk_i);
    if (broken_i & !rst_i) begin
      $display("FAIL time=%0d rule=%0s at=%m", $time, Name);
      $stop;
    end
  end
`endif
endmodule
