// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The rules of a handshake: valid and ready are known behind the reset, and a flit that is offered stays as it is until it is
// taken. No flit leaves across the border. The edge at which a rule is broken ends the simulation.
module link_check #(
  parameter Node   = 0,
  parameter Port   = 0,  // 0 to 3 as in router_adapter, 4 is the PE
  parameter Border = 0,
  parameter Stable = 1,  // 0: a flit that is offered may change or go away until it is taken
  parameter Width  = 34
) (
  input wire             clk_i,
  input wire             rst_i,
  input wire [31:0]      cycle_i,
  input wire [31:0]      asked_i,  // a link, counted as 5 * Node + Port: it tells what it holds
  input wire             valid_i,
  input wire             ready_i,
  input wire [Width-1:0] flit_i
);
  reg             held_q;   // a flit was offered at the last edge, and not taken
  reg [Width-1:0] flit_q;
  reg [31:0]      since_q;  // the cycle from which on a flit has been offered, and none taken
  always @(posedge clk_i) begin
    held_q <= !rst_i & valid_i & !ready_i;
    flit_q <= flit_i;
    if (!held_q) since_q <= cycle_i;
    if (!rst_i) begin
      if ((^{valid_i, ready_i}) === 1'bx) fail("unknown");
      else if (valid_i && Border != 0) fail("border");
      else if (Stable != 0 && held_q && !valid_i) fail("withdrawn");
      else if (Stable != 0 && held_q && flit_i !== flit_q) fail("changed");
    end
  end

  task where;
    begin
      $write("node=%0d port=%0d (to ", Node, Port);
      case (Port)
        0: $write("x + 1");
        1: $write("x - 1");
        2: $write("y + 1");
        3: $write("y - 1");
        default: $write("the PE");
      endcase
      $write(")");
    end
  endtask

  task fail(input [9*8-1:0] what);
    begin
      $write("FAIL cycle=%0d ", cycle_i);
      where;
      $display(" link=%0s", what);
      $stop;
    end
  endtask

  localparam Number = 5 * Node + Port;
  always @(asked_i) if (asked_i == Number && valid_i && !ready_i) begin
    $write("holds: ");
    where;
    $display(" since cycle=%0d", held_q ? since_q : cycle_i);
  end
endmodule
