// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// When the flits of a packet leave: started in tick g, flit j (from 0) leaves in tick g + Setup + (j+1)*Flit - 1.
module packet_timer #(
  parameter Setup = 0,  // ticks before the first flit
  parameter Flit  = 1   // ticks per flit and link
) (
  input  wire clk_i,
  input  wire rst_i,
  input  wire tick_i,
  input  wire start_i,  // a packet starts in this tick; only while not busy_o
  input  wire tail_i,   // the flit at the front is its last
  output wire busy_o,   // a packet that started earlier has not ended
  output wire fire_o    // the flit at the front leaves in this tick
);
  generate
    if (Setup < 0) begin : gen_bad_setup
      packet_timer_needs_a_setup_of_zero_or_more_ticks i_stop ();
    end
    if (Flit < 1) begin : gen_bad_flit
      packet_timer_needs_at_least_one_tick_per_flit i_stop ();
    end
  endgenerate

  reg  busy_q;
  wire active = busy_q | start_i;
  assign busy_o = busy_q;

  always @(posedge clk_i) begin
    if (rst_i) busy_q <= 1'b0;
    else if (tick_i) busy_q <= active & !(fire_o & tail_i);
  end

  generate
    if (Setup + Flit == 1) begin : gen_at_once
      assign fire_o = active;
    end else begin : gen_count
      localparam First = Setup + Flit - 1;
      localparam Next = Flit - 1;
      localparam Bits = $clog2(First + 1);

      reg  [Bits-1:0] left_q;
      wire [Bits-1:0] left = busy_q ? left_q : First[Bits-1:0];
      wire [Bits-1:0] left_d = fire_o ? Next[Bits-1:0] : left - 1'b1;
      assign fire_o = active & !(|left);

      always @(posedge clk_i) begin
        if (rst_i) left_q <= {Bits{1'b0}};
        else if (tick_i & active) left_q <= left_d;
      end
    end
  endgenerate

`ifndef SYNTHESIS
  rule #(
    .Name("packet_timer/no-start-when-busy")
  ) i_no_start_when_busy (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & start_i & busy_q)
  );
`endif
endmodule
