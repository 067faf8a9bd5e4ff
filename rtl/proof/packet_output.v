// SPDX-License-Identifier: Apache-2.0

  // The packet that is under way: it starts when none is, a head may go, and there is room for it.
  reg               under_way_q;
  reg               open_q;   // the last flit that crossed is no tail
  reg  [Inputs-1:0] owner_q;  // and is of this input
  reg  [7:0]        due_q;    // ticks before the next flit crosses
  wire              starts = !under_way_q & (|request_i) & room_i;
  wire              under_way = under_way_q | starts;
  wire [7:0]        due = under_way_q ? due_q : Setup + Flit - 1;
  wire              crosses = under_way & due == 8'd0;
  wire              ends = |(leave_o & tail_i);
  reg  [Inputs-1:0] waits_q;  // heads that did not leave
  reg  [Width-1:0]  front;    // of the input that sends
  integer           n;
  always @* begin
    front = {Width{1'b0}};
    for (n = 0; n < Inputs; n = n + 1) if (leave_o[n]) front = flit_i[(2*n+(second_i[n]&Twice[n]))*Width+:Width];
  end
  always @(posedge clk_i) begin
    if (rst_i) {under_way_q, open_q, waits_q} <= 0;
    else if (tick_i) begin
      under_way_q <= under_way & !(crosses & ends);
      if (fire_o) open_q <= !ends;
      waits_q <= request_i & ~leave_o & ~(open_q ? owner_q : {Inputs{1'b0}});
    end
    if (tick_i) due_q <= (due == 8'd0) ? Flit - 1 : due - 1'b1;
    if (tick_i & fire_o) owner_q <= leave_o;
  end

  // One input, any, and heads of others that cross while its head waits.
  (* anyconst *) wire [7:0] watched;
  wire [Inputs-1:0] it = {{Inputs{1'b0}}, 1'b1} << watched;
  wire              asks = |(request_i & it) & !(open_q & |(owner_q & it));
  reg  [7:0]        overtaken_q;
  always @(posedge clk_i) begin
    if (rst_i | !asks) overtaken_q <= 8'd0;
    else if (tick_i & fire_o & !open_q) overtaken_q <= (|(leave_o & it)) ? 8'd0 : overtaken_q + 1'b1;
  end

  // The arbiter: what waits in it, and the order of that.
  (* hierconn *) wire [Inputs-1:0] \i_arbiter.waits_q ;
  (* hierconn *) wire [Inputs*Inputs-1:0] \i_arbiter.order ;
  wire [Inputs-1:0]        behind = \i_arbiter.waits_q ;
  wire [Inputs*Inputs-1:0] order = \i_arbiter.order ;
  wire                     picked = held_q | (busy & !open_q);  // a head is the next to cross
  reg  [7:0]               older;
  always @* begin
    older = 8'd0;
    for (n = 0; n < Inputs; n = n + 1) if (behind[n] & |((order >> n * Inputs) & it)) older = older + 1'b1;
  end

  always @* begin
    if ($initstate) assume (rst_i);
    assume (watched < Inputs);
    if (!$initstate) begin
      `EXPECT (!(|(waits_q & ~request_i)) & !(|(request_i & ~Paths)));
      //: a packet starts when none is under way, a head may go and there is room; its flits cross at their times
      assert (fire_o == crosses);
      //: a flit leaves one input as it crosses, and none else
      assert (!(|(leave_o & (leave_o - 1'b1))) & fire_o == |leave_o);
      //: what crosses is the front of that input, unchanged
      assert (!fire_o | flit_o == front);
      //: packets do not mix: an input that sent its head sends all flits up to its tail
      assert (!fire_o | (open_q ? leave_o == owner_q : !(|(leave_o & ~request_i))));
      //: observers see a flit that crosses, and a head that waits for room
      assert (offer_o == (crosses | (!under_way_q & (|request_i) & !room_i)));
      //: a head waits for at most one packet of each other input
      assert (overtaken_q <= Inputs - 1);
      // Invariants.
      assert (busy == under_way_q & !(held_q & busy) & (!open_q | busy & from_q == owner_q));
      assert (!held_q & !busy | |from_q & !(|(from_q & (from_q - 1'b1))) & !(|(from_q & ~Paths)));
      assert (!picked | !(|(from_q & ~waits_q)));
      assert (behind == (waits_q & ~(picked ? from_q : {Inputs{1'b0}})));
      assert ((Setup + Flit == 1) ? !busy | open_q & due_q == 8'd0 : !busy | due_q < (open_q ? Flit : Setup + Flit - 1));
      assert (overtaken_q == 8'd0 | |(waits_q & it));
      assert (!(|(behind & it)) | overtaken_q + older + picked <= Inputs - 1);
    end
  end
  generate
    if (Setup + Flit > 1) begin : \i_timer.gen_count
      (* hierconn *) wire [$clog2(Setup+Flit)-1:0] left_q;
      always @* begin
        if (!$initstate) begin
          assert (!busy | left_q == due_q);
        end
      end
    end
  endgenerate
