// SPDX-License-Identifier: Apache-2.0
`include "chip.vh"

  // What the neighbours send: the flits of a packet from its grant on, one a tick.
  reg  [Ports-1:0]     receiving_q;  // a packet was granted and its tail did not come
  reg  [Ports-1:0]     asked_q;      // a request waits
  reg  [BodyWidth-1:0] arrival;
  reg                  within_q;     // a head came and its tail did not
  reg  [7:0]           length_q;     // flits of the packet that came
  reg  [NodeWidth-1:0] bound_q;      // its destination
  wire                 arrives = |valid_i;
  wire [7:0]           arrival_way = way_to(arrival[DstLsb+:NodeWidth]);
  reg                  strayed;      // in dimension order the dimensions below are done
  // What the PE sends: whole packets without a gap.
  wire                 places = inj_valid_i & inj_ready_o;
  wire [BodyWidth-1:0] placed = inj_flit_i[BodyWidth-1:0];
  wire                 placed_head = placed[BodyWidth-1];
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
  wire absurd_packet = places & (placed_head == placing_q | placed_head & way_to(placed[DstLsb+:NodeWidth]) >= Ports
    | placing_q & placed[DstLsb+:NodeWidth] != placed_for_q | placed_q == Packet - 1 & !placed[TailBit]);
  always @(posedge clk_i) begin
    if (rst_i) begin
      {receiving_q, asked_q, within_q, length_q, placing_q, placed_q} <= 0;
    end else if (tick_i) begin
      asked_q <= request_i & ~grant_o;
      receiving_q <= (arrives & arrival[TailBit]) ? {Ports{1'b0}} : receiving_q | grant_o;
      if (arrives) begin
        within_q <= !arrival[TailBit];
        length_q <= arrival[TailBit] ? 8'd0 : length_q + 1'b1;
        bound_q <= arrival[DstLsb+:NodeWidth];
      end
      if (places) begin
        placing_q <= !placed[TailBit];
        placed_q <= placed[TailBit] ? 8'd0 : placed_q + 1'b1;
        placed_for_q <= placed[DstLsb+:NodeWidth];
      end
    end
  end

  // The flit that came for the PE in the last tick.
  reg                 home_q;
  reg [BodyWidth-1:0] home_flit_q;
  always @(posedge clk_i) begin
    if (rst_i) home_q <= 1'b0;
    else if (tick_i) home_q <= arrives & arrival_way == Ports;
    if (tick_i) home_flit_q <= arrival;
  end

  // One flit, any, of one input, any, that goes on, and the flit that comes behind it.
  (* anyconst *) wire [7:0] watched;
  (* anyseq *) wire         mark;
  reg                  enters;
  reg                  leaves;
  reg  [BodyWidth-1:0] come;
  reg  [7:0]           held_q;  // flits of the input that came and have not left
  always @* begin
    {enters, leaves, come} = 0;
    for (m = 0; m < Ports; m = m + 1) begin
      if (watched == m) begin
        enters = tick_i & valid_i[m] & arrival_way != Ports;
        come = arrival;
      end
    end
    if (watched == Ports) begin
      enters = tick_i & places;
      come = placed;
    end
    for (m = 0; m < Inputs; m = m + 1) if (watched == m) leaves = tick_i & leave[m];
  end
  reg                  watching_q;
  reg                  follows_q;
  reg  [BodyWidth-1:0] flit_q;
  reg  [7:0]           ahead_q;
  wire                 starts = enters & mark & !watching_q & !follows_q;
  wire                 watching = watching_q | starts;
  wire [BodyWidth-1:0] it = starts ? come : flit_q;
  wire [7:0]           ahead = starts ? held_q : ahead_q;
  wire                 goes_now = watching & leaves & ahead == 8'd0;
  wire [7:0]           way = way_to(it[DstLsb+:NodeWidth]);
  reg                  known_q;
  reg  [BodyWidth-1:0] next_q;
  reg  [7:0]           way_q;
  wire                 knows = known_q | enters & (watching_q | follows_q);
  wire [BodyWidth-1:0] next = known_q ? next_q : come;
  reg                  by_way;
  reg                  by_same;
  reg                  open_q;   // the last flit that left is no tail
  always @* begin
    {by_way, by_same} = 0;
    for (m = 0; m < Ports; m = m + 1) begin
      if (way == m) by_way = valid_o[m];
      if (way_q == m) by_same = valid_o[m];
    end
  end
  always @(posedge clk_i) begin
    flit_q <= it;
    ahead_q <= ahead - leaves;
    known_q <= knows & !starts;
    next_q <= next;
    if (goes_now) way_q <= way;
    if (rst_i) {held_q, watching_q, follows_q, open_q} <= 0;
    else begin
      held_q <= held_q + enters - leaves;
      watching_q <= watching & !goes_now;
      follows_q <= goes_now ? !it[TailBit] : follows_q & !(tick_i & |valid_o);
      if (tick_i & |valid_o) open_q <= !flit_o[TailBit];
    end
  end

  always @* begin
    if ($initstate) assume (rst_i);
    assume (here_i == position & table_i == entries & watched < Inputs & !absurd & way_to(node_i) == Ports);
    if (!$initstate) begin
      `EXPECT (valid_i == (receiving_q | grant_o));
      `EXPECT (!(|(asked_q & ~request_i)) & !(|(request_i & receiving_q)));
      `EXPECT (!arrives | !strayed);
      `EXPECT (!absurd_packet & (!placing_q | inj_valid_i));
      `EXPECT (!(|(grant_i & ~request_o)));
      //: no flit is missing when its turn comes, and none finds its buffer full
      assert (!tick_i | !lost_o);
      //: one packet is received at a time
      assert (!(|(grant_o & (grant_o - 1'b1))) & !(|(grant_o & ~request_i)) & (!(|grant_o) | !(|receiving_q)));
      //: one packet is sent at a time
      assert (!(|(valid_o & (valid_o - 1'b1))) & !(|(request_o & (request_o - 1'b1))) & (!tick_i | count_of(leave) == count_of(valid_o)));
      //: the PE gets the flits for it in the next tick, unchanged, and no others
      assert (ej_valid_o == home_q & (!home_q | ej_flit_o[BodyWidth-1:0] == home_flit_q));
      //: every other flit leaves after exactly the flits of its input before it, unchanged, by the link of its way
      assert (!goes_now | by_way & flit_o[BodyWidth-1:0] == it);
      //: behind a flit that is no tail comes the next one of its packet, on the same link
      assert (!follows_q | !tick_i | !(|valid_o) | knows & by_same & flit_o[BodyWidth-1:0] == next);
      //: packets leave whole, a head first and a tail last
      assert (!tick_i | !(|valid_o) | flit_o[BodyWidth-1] != open_q);
    end
  end
