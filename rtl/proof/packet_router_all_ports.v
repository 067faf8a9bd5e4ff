// SPDX-License-Identifier: Apache-2.0
`include "chip.vh"

  localparam TailBit = BodyWidth - 2;
  localparam Sources = 2 * Ports;  // link inputs, then injection channels
  localparam Stored = BodyWidth + Ports;

  // By link input: what the neighbour sends. A packet starts when there is room for it, and its flits come at their times.
  (* anyseq *) wire [Ports-1:0] begins;
  reg  [Ports-1:0]           coming_q;  // a packet started and its tail did not come
  reg  [Ports-1:0]           within_q;  // a head came and its tail did not
  reg  [Ports*NodeWidth-1:0] bound_q;   // its destination
  wire [Ports-1:0]           untimely;  // a flit comes too soon or too late
  wire [Ports-1:0]           strayed;   // it is no part of a packet, or has no business here
  wire [Ports-1:0]           onward;    // a flit comes that is not for the PE
  // By channel: what the PE sends, whole packets without a gap.
  reg  [Ports-1:0]           placing_q;
  wire [Ports-1:0]           absurd_packet;
  // By input: what it holds, the front lowest.
  wire [Sources*8-1:0]       held;
  wire [Sources*Buffer*BodyWidth-1:0] stored;
  // By output: the packet that is under way.
  wire [Ports-1:0]           busy;
  wire [Ports-1:0]           open;   // its head crossed
  wire [Ports*8-1:0]         ticks_left;   // ticks before its next flit crosses
  wire [Ports*Inputs-1:0]    owner;  // the input that it is of, means something if the next is high
  wire [Ports-1:0]           owned;  // a packet was picked
  wire [Ports-1:0]           own_waits;  // a head of its channel did not leave
  // Invariants.
  wire [Ports-1:0]           unframed, late, overfull, misplaced, misheard;

  // The output that serves an input, or 255.
  function [7:0] served_by(input integer source);
    integer o;
    begin
      served_by = 8'd255;
      for (o = 0; o < Ports; o = o + 1) begin
        if (owned[o] & (source < Ports ? owner[o*Inputs+source%Ports] : owner[o*Inputs+Ports] & o == source - Ports)) served_by = o;
      end
    end
  endfunction

  genvar k;
  genvar place;
  generate
    for (k = 0; k < Ports; k = k + 1) begin : \gen_output
      (* hierconn *) wire \i_output.busy ;
      (* hierconn *) wire \i_output.held_q ;
      (* hierconn *) wire \i_output.open_q ;
      (* hierconn *) wire [Inputs-1:0] \i_output.from_q ;
      (* hierconn *) wire [7:0] \i_output.due_q ;
      (* hierconn *) wire [Inputs-1:0] \i_output.waits_q ;
      assign own_waits[k] = \i_output.waits_q [Ports];
      assign busy[k] = \i_output.busy ;
      assign open[k] = \i_output.open_q ;
      assign ticks_left[k*8+:8] = \i_output.due_q ;
      assign owner[k*Inputs+:Inputs] = \i_output.from_q ;
      assign owned[k] = \i_output.busy | \i_output.held_q ;
    end

    for (k = 0; k < Ports; k = k + 1) begin : \gen_input
      (* hierconn *) wire [Buffer*Stored-1:0] \i_input.i_buffer.gen_plain.i_flits.contents ;
      wire [Buffer*Stored-1:0]    contents = \i_input.i_buffer.gen_plain.i_flits.contents ;
      wire [BodyWidth-1:0]        flit = flit_i[k*FlitWidth+:BodyWidth];
      wire [7:0]                  way = way_to(flit[DstLsb+:NodeWidth]);
      wire [NodeWidth-1:0]        bound = bound_q[k*NodeWidth+:NodeWidth];
      wire                        starts = begins[k] & room_o[k] & !coming_q[k];
      reg  [7:0]                  pace_q;    // ticks before the next flit comes
      wire [7:0]                  pace = coming_q[k] ? pace_q : Setup + Flit - 1;
      reg  [7:0]                  length_q;  // flits of the packet that came
      wire [7:0]                  number = count_o[k*CountWidth+:CountWidth];
      wire [7:0]                  server = served_by(k);
      wire                        receives = within_q[k] & way_to(bound) < Ports;
      reg                         home_q;    // the last flit was for the PE
      reg  [BodyWidth-1:0]        home_flit_q;
      assign untimely[k] = valid_i[k] != ((coming_q[k] | starts) & pace == 8'd0);
      assign strayed[k] = valid_i[k] & (flit_i[k*FlitWidth+BodyWidth] | way > Ports | Kind == 0 & way < k / 2 * 2 | flit[BodyWidth-1] == within_q[k]
        | within_q[k] & flit[DstLsb+:NodeWidth] != bound | length_q == Packet - 1 & !flit[TailBit]);
      assign onward[k] = valid_i[k] & way != Ports;
      assign held[k*8+:8] = number;
      assign misheard[k] = ej_valid_o[k] != home_q | home_q & ej_flit_o[k*FlitWidth+:BodyWidth] != home_flit_q;
      always @(posedge clk_i) begin
        if (rst_i) begin
          {coming_q[k], within_q[k], length_q, home_q} <= 0;
        end else if (tick_i) begin
          coming_q[k] <= (coming_q[k] | starts) & !(valid_i[k] & flit[TailBit]);
          pace_q <= (pace == 8'd0) ? Flit - 1 : pace - 1'b1;
          home_q <= valid_i[k] & way == Ports;
          if (valid_i[k]) begin
            within_q[k] <= !flit[TailBit];
            length_q <= flit[TailBit] ? 8'd0 : length_q + 1'b1;
            bound_q[k*NodeWidth+:NodeWidth] <= flit[DstLsb+:NodeWidth];
          end
        end
        if (tick_i) home_flit_q <= flit;
      end

      // The buffer is part of a packet that leaves, whole packets, and part of one that comes.
      reg                 wrong;
      reg                 inside;
      reg                 sends;   // a packet is under way from here
      reg                 opened;
      reg  [7:0]          time_left;
      reg  [7:0]          tails;
      reg  [Stored-1:0]   word;
      reg  [NodeWidth-1:0] last;
      integer             n;
      always @* begin
        {wrong, tails, word, last, sends, opened, time_left} = 0;
        for (n = 0; n < Ports; n = n + 1) begin
          if (server == n) {sends, opened, time_left} = {busy[n], busy[n] & open[n], ticks_left[n*8+:8]};
          if (owned[n] & owner[n*Inputs+k] & server != n) wrong = 1'b1;
        end
        inside = opened;
        for (n = 0; n < Buffer; n = n + 1) begin
          if (n < number) begin
            word = contents[n*Stored+:Stored];
            if (word[BodyWidth-1] == inside | way_to(word[DstLsb+:NodeWidth]) >= Ports) wrong = 1'b1;
            if (word[Stored-1:BodyWidth] != {{Ports{1'b0}}, 1'b1} << way_to(word[DstLsb+:NodeWidth])) wrong = 1'b1;
            if (n == 0 & server != 8'd255 & way_to(word[DstLsb+:NodeWidth]) != server) wrong = 1'b1;
            if (n > 0 & inside & word[DstLsb+:NodeWidth] != last) wrong = 1'b1;
            tails = tails + word[TailBit];
            inside = !word[TailBit];
            last = word[DstLsb+:NodeWidth];
          end
        end
        if (inside != receives | receives & number != 8'd0 & last != bound) wrong = 1'b1;
        if (opened & number == 8'd0 & way_to(bound) != server) wrong = 1'b1;
        if (within_q[k] != (length_q != 8'd0) | within_q[k] & !coming_q[k] | length_q >= Packet) wrong = 1'b1;
        if (coming_q[k] & ((Setup + Flit == 1) ? !within_q[k] | pace_q != 8'd0 : pace_q > (within_q[k] ? Flit - 1 : Setup + Flit - 2))) wrong = 1'b1;
      end
      assign unframed[k] = wrong;
      assign late[k] = sends & (AtOnce == 0 & seconds[k] | number == 8'd0 & !opened | tails == 8'd0 & (CutThrough == 0 | pace_q >= time_left + Flit * number));
      if (CutThrough == 0) begin : \i_input.gen_store
        (* hierconn *) wire [$clog2(Buffer-Packet+2)-1:0] tails_q;
        assign overfull[k] = coming_q[k] & (number + Packet > Buffer + length_q | tails > Buffer - Packet) | tails > Buffer - Packet + 1 | tails_q != tails;
      end else begin : gen_count
        assign overfull[k] = coming_q[k] & number + Packet > Buffer + length_q;
      end
      for (place = 0; place < Buffer; place = place + 1) begin : gen_place
        assign stored[(k*Buffer+place)*BodyWidth+:BodyWidth] = contents[place*Stored+:BodyWidth];
      end
    end

    for (k = 0; k < Ports; k = k + 1) begin : \gen_channel
      wire [BodyWidth-1:0] flit = inj_flit_i[k*FlitWidth+:BodyWidth];
      wire [BodyWidth-1:0] kept = fronts[2*(Ports+k)*BodyWidth+:BodyWidth];
      wire                 places = inj_valid_i[k] & inj_ready_o[k];
      wire                 here = !inj_ready_o[k];
      wire                 opened = served_by(Ports + k) == k & busy[k] & open[k];
      reg  [7:0]           placed_q;
      reg  [NodeWidth-1:0] placed_for_q;
      assign absurd_packet[k] = placing_q[k] & !inj_valid_i[k] | places & (flit[BodyWidth-1] == placing_q[k] | way_to(flit[DstLsb+:NodeWidth]) != k
        | placing_q[k] & flit[DstLsb+:NodeWidth] != placed_for_q | placed_q == Packet - 1 & !flit[TailBit]);
      assign held[(Ports+k)*8+:8] = here;
      assign stored[(Ports+k)*Buffer*BodyWidth+:Buffer*BodyWidth] = kept;
      assign misplaced[k] = here & (kept[BodyWidth-1] == opened | placing_q[k] == kept[TailBit] | way_to(kept[DstLsb+:NodeWidth]) != k)
        | here & kept[BodyWidth-1] & gen_channel[k].port != {{Ports{1'b0}}, 1'b1} << k | !here & (placing_q[k] != opened | own_waits[k]);
      always @(posedge clk_i) begin
        if (rst_i) {placing_q[k], placed_q} <= 0;
        else if (tick_i & places) begin
          placing_q[k] <= !flit[TailBit];
          placed_q <= flit[TailBit] ? 8'd0 : placed_q + 1'b1;
        end
        if (tick_i & places) placed_for_q <= flit[DstLsb+:NodeWidth];
      end
    end
  endgenerate

`include "all_ports_watch.vh"

  always @* begin
    if ($initstate) assume (rst_i);
    assume (here_i == position & table_i == entries & !absurd & way_to(node_i) == Ports & watched < Sources);
    if (!$initstate) begin
      `EXPECT (!(|untimely) & !(|strayed) & !(|absurd_packet));
      //: no flit is missing when its turn comes, and none finds its buffer full
      assert (!tick_i | !lost_o);
      //: as many flits cross the links as leave the inputs
      assert (!tick_i | count_of(leave) == count_of(valid_o));
      //: the PE gets the flits for it in the next tick, unchanged, and no others
      assert (!(|misheard));
      //: every other flit leaves after exactly the flits of its input before it, unchanged, by the link of its route
      assert (!goes_now | by_way & carried == it);
      //: behind a flit that is no tail comes the next one of its packet, on the same link
      assert (!follows_q | !behind | knows & follower == next);
      //: packets leave whole on every link, a head first and a tail last
      assert (!tick_i | !(|torn));
      // Invariants.
      assert (!(|unframed));
      assert (!(|late));
      assert (!(|overfull));
      assert (!(|misplaced));
      assert (!elsewhere);
    end
  end
