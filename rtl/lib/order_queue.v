// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// FIFO that takes up to two entries in a tick. front_o means something while valid_o is high.
module order_queue #(
  parameter Width = 3,
  parameter Depth = 4
) (
  input  wire               clk_i,
  input  wire               rst_i,
  input  wire               tick_i,
  input  wire [1:0]         push_i,   // only while there is room; entry 0 goes ahead of entry 1
  input  wire [2*Width-1:0] entry_i,
  input  wire               pop_i,    // only while valid_o
  output wire               valid_o,
  output wire [Width-1:0]   front_o
);
  generate
    if (Depth < 2) begin : gen_bad_depth
      order_queue_needs_a_depth_of_at_least_two_entries i_stop ();
    end
  endgenerate

  localparam CountWidth = $clog2(Depth + 1);
  localparam Bits = $clog2(Depth);
  localparam Last = Depth - 1;

  // The slot behind a slot.
  function [Bits-1:0] after(input [Bits-1:0] slot);
    after = (slot == Last[Bits-1:0]) ? {Bits{1'b0}} : slot + 1'b1;
  endfunction

  reg  [Width-1:0]      entries_q [0:Depth-1];
  reg  [CountWidth-1:0] count_q;
  reg  [Bits-1:0]       write_q;
  reg  [Bits-1:0]       read_q;
  wire [Bits-1:0]       second = push_i[0] ? after(write_q) : write_q;  // slot of entry 1
  wire [Bits-1:0]       write_d = push_i[1] ? after(second) : second;
  wire [CountWidth-1:0] pushed = {{CountWidth - 1{1'b0}}, push_i[0]} + {{CountWidth - 1{1'b0}}, push_i[1]};
  wire [CountWidth-1:0] popped = {{CountWidth - 1{1'b0}}, pop_i};
  assign valid_o = |count_q;
  assign front_o = entries_q[read_q];

  // One block, because in an event simulator an idle one costs as much as a busy one.
  always @(posedge clk_i) begin
    if (tick_i & push_i[0]) entries_q[write_q] <= entry_i[Width-1:0];
    if (tick_i & push_i[1]) entries_q[second] <= entry_i[Width+:Width];
    if (rst_i) begin
      count_q <= {CountWidth{1'b0}};
      write_q <= {Bits{1'b0}};
      read_q  <= {Bits{1'b0}};
    end else if (tick_i) begin
      count_q <= count_q + pushed - popped;
      write_q <= write_d;
      if (pop_i) read_q <= after(read_q);
    end
  end

`ifndef SYNTHESIS
  localparam [CountWidth:0] Full = Depth[CountWidth:0];
  rule #(
    .Name("order_queue/no-push-when-full")
  ) i_no_push_when_full (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & ({1'b0, count_q} + {1'b0, pushed} > Full + {1'b0, popped}))
  );
  rule #(
    .Name("order_queue/no-pop-when-empty")
  ) i_no_pop_when_empty (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & pop_i & !valid_o)
  );
`endif
endmodule
