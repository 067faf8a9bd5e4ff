// SPDX-License-Identifier: Apache-2.0

  // Invariants of packet_router: which packet of which buffer each place of the queue of packets stands for. A buffer is
  // part of a packet that is sent, whole packets, and part of one that comes. A packet of a link is in the queue from when
  // it may go to when it starts: its head stands for it with cut-through, else its tail.
  localparam Depth = Ports * (Room + 1);
  localparam OrderWidth = $clog2(Depth + 1);
  (* hierconn *) wire [Ports-1:0]         \i_receiver.receiving_q ;
  (* hierconn *) wire                     \i_sender.busy ;
  (* hierconn *) wire [Ports:0]           \i_sender.from_q ;
  (* hierconn *) wire [Ports-1:0]         \i_sender.to_q ;
  (* hierconn *) wire                     \i_sender.i_order.first_q ;
  (* hierconn *) wire [OrderWidth-1:0]    \i_sender.i_order.ahead_q ;
  (* hierconn *) wire [OrderWidth-1:0]    \i_sender.i_order.count ;
  (* hierconn *) wire [Depth*2*Ports-1:0] \i_sender.i_order.i_queue.gen_ram.i_flits.contents ;
  wire                     busy = \i_sender.busy ;
  wire [Ports:0]           from_q = \i_sender.from_q ;
  wire [Ports-1:0]         to_q = \i_sender.to_q ;
  wire [7:0]               queue_ahead = \i_sender.i_order.ahead_q ;
  wire [7:0]               queued = \i_sender.i_order.count ;
  wire [Depth*2*Ports-1:0] queue = \i_sender.i_order.i_queue.gen_ram.i_flits.contents ;
  wire [7:0]               left;    // ticks before the next flit of the packet that is sent leaves
  reg                      open_q;  // the last flit that left is no tail
  wire                     started = busy & !open_q;  // a packet of which no flit left
  always @(posedge clk_i) begin
    if (rst_i) open_q <= 1'b0;
    else if (tick_i & |valid_o) open_q <= !flit_o[TailBit];
  end

  // By link: what its buffer holds.
  wire [Ports*8-1:0]            held;      // flits
  wire [Ports*Buffer*BodyWidth-1:0] stored;  // they, the front lowest
  wire [Ports-1:0]              unframed;  // they are no packets
  wire [Ports-1:0]              late;      // a flit may be missing when its turn comes
  wire [Ports-1:0]              overfull;  // for the packet that comes, or for the queue
  wire [Ports-1:0]              unqueued;  // their packets are not those of the queue
  genvar g;
  generate
    if (Setup + Flit == 1) begin : gen_at_once
      assign left = 8'd0;
    end else begin : \i_sender.i_timer.gen_count
      (* hierconn *) wire [$clog2(Setup+Flit)-1:0] left_q;
      assign left = left_q;
    end

    for (g = 0; g < Ports; g = g + 1) begin : \i_receiver.gen_link
      (* hierconn *) wire [Buffer*BodyWidth-1:0] \i_buffer.gen_plain.i_flits.contents ;
      wire [Buffer*BodyWidth-1:0] contents = \i_buffer.gen_plain.i_flits.contents ;
      wire [7:0]                  count = count_o[g*CountWidth+:CountWidth];
      wire                        sends = busy & from_q[g];
      wire                        receives = receiving_q[g] & within_q & way_to(bound_q) < Ports;
      reg                         wrong;
      reg                         inside;   // a packet has begun and not ended
      reg                         ends;     // a tail is here
      reg  [NodeWidth-1:0]        last;     // destination of the last flit
      reg  [Buffer*Ports-1:0]     goals;    // links of the packets that may go or are sent, the first one lowest
      reg  [7:0]                  packets;  // their number
      reg  [BodyWidth-1:0]        flit;
      reg                         amiss;
      reg  [7:0]                  place;
      integer                     n;
      always @* begin
        {wrong, ends, last, packets, goals, flit} = 0;
        inside = sends & open_q;
        for (n = 0; n < Buffer; n = n + 1) begin
          if (n < count) begin
            flit = contents[n*BodyWidth+:BodyWidth];
            if (flit[BodyWidth-1] == inside | way_to(flit[DstLsb+:NodeWidth]) >= Ports) wrong = 1'b1;
            if (n == 0 & sends & to_q != {{Ports{1'b0}}, 1'b1} << way_to(flit[DstLsb+:NodeWidth])) wrong = 1'b1;
            if (n > 0 & inside & flit[DstLsb+:NodeWidth] != last) wrong = 1'b1;
            if ((CutThrough != 0) ? flit[BodyWidth-1] : flit[TailBit]) begin
              goals[packets*Ports+:Ports] = {{Ports{1'b0}}, 1'b1} << way_to(flit[DstLsb+:NodeWidth]);
              packets = packets + 1'b1;
            end
            if (flit[TailBit]) ends = 1'b1;
            inside = !flit[TailBit];
            last = flit[DstLsb+:NodeWidth];
          end
        end
        if (inside != receives | receives & count != 8'd0 & last != bound_q) wrong = 1'b1;
        if (sends & count == 8'd0 & to_q != {{Ports{1'b0}}, 1'b1} << way_to(bound_q)) wrong = 1'b1;
      end
      always @* begin
        amiss = 1'b0;
        place = (CutThrough != 0) ? sends & !open_q : sends;
        for (n = 0; n < Depth; n = n + 1) begin
          if (n < queued & queue[n*2*Ports+g]) begin
            if (queue[(2*n+1)*Ports+:Ports] != goals[place*Ports+:Ports]) amiss = 1'b1;
            place = place + 1'b1;
          end
        end
        if (place != packets) amiss = 1'b1;
      end
      assign held[g*8+:8] = count;
      assign stored[g*Buffer*BodyWidth+:Buffer*BodyWidth] = contents;
      assign unframed[g] = wrong;
      assign unqueued[g] = amiss;
      assign late[g] = sends & (AtOnce == 0 & recent[g] | count == 8'd0 & !open_q | ((CutThrough != 0) ? !ends & pace_q >= left + Flit * count : !ends));
      assign overfull[g] = receiving_q[g] & count + Packet > Buffer + length_q
        | packets > Room + ((receiving_q[g] & !(CutThrough != 0 & within_q)) ? 0 : 1);
    end
  endgenerate

  // The queue itself and the sender.
  reg     disordered;
  integer q;
  always @* begin
    disordered = queued > Depth;
    for (q = 0; q < Depth; q = q + 1) if (q < queued & count_of(queue[q*2*Ports+:Ports]) != 8'd1) disordered = 1'b1;
    if (busy & (count_of(from_q) != 8'd1 | count_of(to_q) != 8'd1)) disordered = 1'b1;
    if (Setup + Flit == 1 ? busy != open_q : open_q & !busy | busy & left > (open_q ? Flit - 1 : Setup + Flit - 2)) disordered = 1'b1;
  end

  // The PE's packet.
  wire kept_here = !inj_ready_o;
  wire own_sent = busy & from_q[Ports];
  wire own_waits = kept_here & !own_sent;  // and the packets ahead of it are counted
  wire [Ports-1:0] kept_link = {{Ports{1'b0}}, 1'b1} << way_to(kept[DstLsb+:NodeWidth]);
  reg  misplaced;
  always @* begin
    misplaced = kept_here & (kept[BodyWidth-1] == (own_sent & open_q) | placing_q == kept[TailBit] | way_to(kept[DstLsb+:NodeWidth]) >= Ports);
    if (kept_here & kept[BodyWidth-1] & own_to != kept_link) misplaced = 1'b1;
    if (kept_here & placing_q & placed_for_q != kept[DstLsb+:NodeWidth]) misplaced = 1'b1;
    if (!kept_here & placing_q != (own_sent & open_q) | own_sent & !open_q & !kept_here) misplaced = 1'b1;
    if (own_sent & to_q != (kept_here ? kept_link : {{Ports{1'b0}}, 1'b1} << way_to(placed_for_q))) misplaced = 1'b1;
    if (own_waits & (queue_ahead > queued | \i_sender.i_order.first_q != (queue_ahead == 8'd0))) misplaced = 1'b1;
  end

  always @* begin
    if (!$initstate) begin
      assert (\i_receiver.receiving_q == receiving_q & count_of(receiving_q) <= 8'd1);
      assert (within_q == (length_q != 8'd0) & length_q < Packet & (!within_q | (|receiving_q)));
      assert ((Setup + Flit == 1) ? (|receiving_q) == within_q & pace_q == 8'd0 | !(|receiving_q) : !(|receiving_q) | pace_q <= (within_q ? Flit - 1 : Setup + Flit - 2));
      assert (!(|unframed));
      assert (!(|late));
      assert (!(|overfull));
      assert (!(|unqueued));
      assert (!disordered);
      assert (!misplaced);
    end
  end
