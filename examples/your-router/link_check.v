// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The rules of a handshake: valid and ready are known behind the reset, and a flit that is offered stays as it is until it is
// taken. No flit leaves across the border. The edge at which a rule is broken ends the simulation.
module link_check #(
  parameter Node   = 0,
  parameter Port   = 0,  // 0 to 3 as in router_adapter, 4 is the PE
  parameter Border = 0,
  parameter Width  = 34
) (
  input wire             clk_i,
  input wire             rst_i,
  input wire             valid_i,
  input wire             ready_i,
  input wire [Width-1:0] flit_i
);
  reg             held_q;  // a flit was offered at the last edge, and not taken
  reg [Width-1:0] flit_q;
  always @(posedge clk_i) begin
    held_q <= !rst_i & valid_i & !ready_i;
    flit_q <= flit_i;
    if (!rst_i) begin
      if ((^{valid_i, ready_i}) === 1'bx) fail("unknown");
      else if (valid_i && Border != 0) fail("border");
      else if (held_q && !valid_i) fail("withdrawn");
      else if (held_q && flit_i !== flit_q) fail("changed");
    end
  end

  task fail(input [9*8-1:0] what);
    begin
      $display("FAIL time=%0d node=%0d port=%0d link=%0s", $time, Node, Port, what);
      $stop;
    end
  endtask
endmodule
