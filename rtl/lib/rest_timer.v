// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A start in cycle t makes rest_o high in the cycles t+1 .. t+Cycles-1: what started occupies Cycles cycles.
module rest_timer #(
  parameter Cycles = 1
) (
  input  wire clk_i,
  input  wire rst_i,
  input  wire tick_i,
  input  wire start_i,
  output wire rest_o
);
  generate
    if (Cycles < 1) begin : gen_bad_cycles
      rest_timer_needs_at_least_one_cycle i_stop ();
    end
    if (Cycles <= 1) begin : gen_never
      wire unused = &{1'b0, clk_i, rst_i, tick_i, start_i};
      assign rest_o = 1'b0;
    end else begin : gen_count
      localparam Bits = $clog2(Cycles);
      localparam Last = Cycles - 1;

      reg  [Bits-1:0] left_q;
      wire [Bits-1:0] left_d = start_i ? Last[Bits-1:0] : rest_o ? left_q - 1'b1 : left_q;
      assign rest_o = |left_q;

      always @(posedge clk_i) begin
        if (rst_i) left_q <= {Bits{1'b0}};
        else if (tick_i) left_q <= left_d;
      end
    end
  endgenerate
endmodule
