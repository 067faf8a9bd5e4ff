// SPDX-License-Identifier: Apache-2.0

  reg  [7:0] held_q;      // packets of links that wait
  reg        waiting_q;   // a packet of the PE waits
  reg  [7:0] earlier_q;   // packets of links that are ahead of it
  wire [7:0] earlier = placed_i ? held_q : earlier_q;
  wire       first = own_i & earlier == 8'd0;
  wire       link_starts = start_i & !first;
  always @(posedge clk_i) begin
    if (rst_i) begin
      held_q <= 8'd0;
      waiting_q <= 1'b0;
    end else if (tick_i) begin
      held_q <= held_q + push_i - link_starts;
      waiting_q <= own_i & !(start_i & first);
      earlier_q <= earlier - link_starts;
    end
  end

  always @* begin
    if ($initstate) assume (rst_i);
    if (!$initstate) begin
      `EXPECT (!push_i | held_q < Depth);
      `EXPECT (!placed_i | !waiting_q);
      `EXPECT (own_i == (placed_i | waiting_q));
      `EXPECT (!start_i | valid_o);
      //: the PE's packet has its turn after exactly the packets of links of earlier ticks
      assert (from_o[Ports] == first);
      //: some packet has its turn whenever any waits
      assert (valid_o == (own_i | held_q != 8'd0));
      //: a packet of the PE goes to the link that the PE says
      assert (!first | to_o == own_to_i);
      // Invariants.
      assert (count == held_q & held_q <= Depth);
      assert (!waiting_q | ahead_q == earlier_q & earlier_q <= held_q & first_q == (earlier_q == 8'd0));
    end
  end
