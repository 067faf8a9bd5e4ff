// SPDX-License-Identifier: Apache-2.0

  reg        under_way_q;
  reg  [7:0] due_q;  // ticks before the next flit leaves
  wire       under_way = under_way_q | start_i;
  wire [7:0] due = under_way_q ? due_q : Setup + Flit - 1;
  wire       leaves = under_way & due == 8'd0;
  always @(posedge clk_i) begin
    if (rst_i) under_way_q <= 1'b0;
    else if (tick_i) under_way_q <= under_way & !(leaves & tail_i);
    if (tick_i) due_q <= (due == 8'd0) ? Flit - 1 : due - 1'b1;
  end

  always @* begin
    if ($initstate) assume (rst_i);
    if (!$initstate) begin
      `EXPECT (!start_i | !busy_o);
      //: a packet is under way from its start to its tail
      assert (busy_o == under_way_q);
      //: its first flit leaves Setup + Flit - 1 ticks after the start, and then one in Flit ticks
      assert (fire_o == leaves);
    end
  end

  // Invariant.
  generate
    if (Setup + Flit > 1) begin : gen_left
      always @* begin
        if (!$initstate) begin
          assert (!busy_q | gen_count.left_q == due_q & due_q < Setup + Flit);
        end
      end
    end
  endgenerate
