// SPDX-License-Identifier: Apache-2.0

  // What comes to the ports of packet_router.

  // What the neighbours send: the flits of a packet Setup + Flit - 1 ticks after its grant and then one in Flit ticks.
  reg  [Ports-1:0]     receiving_q;  // a packet was granted and its tail did not come
  reg  [Ports-1:0]     asked_q;      // a request waits
  reg  [7:0]           pace_q;       // ticks before the next flit comes
  reg  [BodyWidth-1:0] arrival;
  reg                  within_q;     // a head came and its tail did not
  reg  [7:0]           length_q;     // flits of the packet that came
  reg  [NodeWidth-1:0] bound_q;      // its destination
  wire [Ports-1:0]     receiving = receiving_q | grant_o;
  wire [7:0]           pace = (|receiving_q) ? pace_q : Setup + Flit - 1;
  wire                 arrives = |valid_i;
  wire [7:0]           arrival_way = way_to(arrival[DstLsb+:NodeWidth]);
  reg                  strayed;      // in dimension order the dimensions below are done
  // What the PE sends: whole packets without a gap.
  wire                 places = inj_valid_i & inj_ready_o;
  wire [BodyWidth-1:0] placed_flit = inj_flit_i[BodyWidth-1:0];
  wire                 placed_head = placed_flit[BodyWidth-1];
  reg                  placing_q;
  reg  [7:0]           placed_q;
  reg  [NodeWidth-1:0] placed_for_q;
  integer              m;
  always @* begin
    {arrival, strayed} = 0;
    for (m = 0; m < Ports; m = m + 1) begin
      if (valid_i[m]) arrival = flit_i[m*FlitWidth+:BodyWidth];
      if (valid_i[m] & (flit_i[m*FlitWidth+BodyWidth] | Kind == 0 & arrival_way < m / 2 * 2)) strayed = 1'b1;
    end
    if (arrival_way > Ports | arrival[BodyWidth-1] == within_q) strayed = 1'b1;
    if (within_q & arrival[DstLsb+:NodeWidth] != bound_q | length_q == Packet - 1 & !arrival[TailBit]) strayed = 1'b1;
  end
  wire absurd_packet = places & (placed_head == placing_q | placed_head & way_to(placed_flit[DstLsb+:NodeWidth]) >= Ports
    | placing_q & placed_flit[DstLsb+:NodeWidth] != placed_for_q | placed_q == Packet - 1 & !placed_flit[TailBit]);
  always @(posedge clk_i) begin
    if (rst_i) begin
      {receiving_q, asked_q, within_q, length_q, placing_q, placed_q} <= 0;
    end else if (tick_i) begin
      asked_q <= request_i & ~grant_o;
      receiving_q <= (arrives & arrival[TailBit]) ? {Ports{1'b0}} : receiving;
      pace_q <= (pace == 8'd0) ? Flit - 1 : pace - 1'b1;
      if (arrives) begin
        within_q <= !arrival[TailBit];
        length_q <= arrival[TailBit] ? 8'd0 : length_q + 1'b1;
        bound_q <= arrival[DstLsb+:NodeWidth];
      end
      if (places) begin
        placing_q <= !placed_flit[TailBit];
        placed_q <= placed_flit[TailBit] ? 8'd0 : placed_q + 1'b1;
        placed_for_q <= placed_flit[DstLsb+:NodeWidth];
      end
    end
  end

  always @* begin
    if ($initstate) assume (rst_i);
    assume (here_i == position & table_i == entries & !absurd & way_to(node_i) == Ports);
    if (!$initstate) begin
      `EXPECT (valid_i == ((pace == 8'd0) ? receiving : {Ports{1'b0}}));
      `EXPECT (!(|(asked_q & ~request_i)) & !(|(request_i & receiving_q)));
      `EXPECT (!arrives | !strayed);
      `EXPECT (!absurd_packet & (!placing_q | inj_valid_i));
      `EXPECT (!(|(grant_i & ~request_o)));
    end
  end
