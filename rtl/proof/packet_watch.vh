// SPDX-License-Identifier: Apache-2.0

  // What the properties of packet_router watch: an input, a flit of it and the flit behind that, its packets' turns, and
  // how long its link's request waits.

  // One flit, any, of one input, any, that goes on, and the flit that comes behind it.
  (* anyconst *) wire [7:0] watched;
  (* anyseq *) wire         mark;
  wire                        of_pe = watched == Ports;
  reg                         enters;
  reg                         leaves;
  reg  [BodyWidth-1:0]        come;
  reg  [7:0]                  here;      // flits of the input that came and have not left
  reg  [Buffer*BodyWidth-1:0] contents;  // they, the front lowest
  reg                         its_from;  // its packet is sent
  integer                     w;
  always @* begin
    enters = of_pe & tick_i & places;
    come = of_pe ? placed_flit : arrival;
    leaves = of_pe & tick_i & leave[Ports];
    here = of_pe & kept_here;
    contents = kept;
    its_from = of_pe & from_q[Ports];
    for (w = 0; w < Ports; w = w + 1) begin
      if (watched == w) begin
        enters = tick_i & valid_i[w] & arrival_way != Ports;
        leaves = tick_i & leave[w];
        here = held[w*8+:8];
        contents = stored[w*Buffer*BodyWidth+:Buffer*BodyWidth];
        its_from = from_q[w];
      end
    end
  end
  reg                  watching_q;
  reg                  follows_q;  // the watched flit left, is no tail, and none left behind it
  reg  [BodyWidth-1:0] flit_q;
  reg  [7:0]           ahead_q;
  wire                 starts = enters & mark & !watching_q & !follows_q;
  wire                 watching = watching_q | starts;
  wire [BodyWidth-1:0] it = starts ? come : flit_q;
  wire [7:0]           ahead = starts ? here : ahead_q;
  wire                 goes_now = watching & leaves & ahead == 8'd0;
  wire [7:0]           way = way_to(it[DstLsb+:NodeWidth]);
  reg                  known_q;
  reg  [BodyWidth-1:0] next_q;
  reg  [7:0]           way_q;
  wire                 knows = known_q | enters & (watching_q | follows_q);
  wire [BodyWidth-1:0] next = known_q ? next_q : come;
  reg                  by_way;
  reg                  by_same;
  always @* begin
    {by_way, by_same} = 0;
    for (w = 0; w < Ports; w = w + 1) begin
      if (way == w) by_way = valid_o[w];
      if (way_q == w) by_same = valid_o[w];
    end
  end
  always @(posedge clk_i) begin
    flit_q <= it;
    ahead_q <= ahead - leaves;
    known_q <= knows & !starts;
    next_q <= next;
    if (goes_now) way_q <= way;
    if (rst_i) {watching_q, follows_q} <= 0;
    else begin
      watching_q <= watching & !goes_now;
      follows_q <= goes_now ? !it[TailBit] : follows_q & !(tick_i & |valid_o);
    end
  end
  // Where both are.
  reg elsewhere;
  always @* begin
    elsewhere = watching_q & (ahead_q >= here | known_q != (ahead_q + 1'b1 < here));
    for (w = 0; w < Buffer; w = w + 1) begin
      if (watching_q & ahead_q == w & contents[w*BodyWidth+:BodyWidth] != flit_q) elsewhere = 1'b1;
      if (watching_q & ahead_q + 1'b1 == w & known_q & contents[w*BodyWidth+:BodyWidth] != next_q) elsewhere = 1'b1;
    end
    if (follows_q & (watching_q | !open_q | !its_from | to_q != {{Ports{1'b0}}, 1'b1} << way_q)) elsewhere = 1'b1;
    if (follows_q & (known_q != (here != 8'd0) | known_q & contents[BodyWidth-1:0] != next_q)) elsewhere = 1'b1;
  end

  wire [Ports-1:0] its_link = {{Ports - 1{1'b0}}, 1'b1} << watched;

  // Packets that may go, of all inputs, until their head leaves. One of the watched input, any, has a rank among them.
  (* anyseq *) wire choose;
  reg               sending_q;  // a packet was granted and its tail did not leave
  reg  [7:0]        waiting_q;
  reg               ranked_q;
  reg  [7:0]        rank_q;     // packets that go before it
  wire              joins_own = places & placed_head;
  wire              joins = arrives & arrival_way != Ports & ((CutThrough != 0) ? arrival[BodyWidth-1] : arrival[TailBit]);
  wire              begins = |valid_o & !open_q;
  wire              its_turn = leaves;
  wire              ranks = tick_i & choose & !ranked_q & (of_pe ? joins_own : enters & joins);
  wire              ranked = ranked_q | ranks & of_pe;  // the PE's packet may leave at once
  wire [7:0]        rank = ranked_q ? rank_q : waiting_q;
  always @(posedge clk_i) begin
    if (rst_i) {sending_q, waiting_q, ranked_q} <= 0;
    else if (tick_i) begin
      sending_q <= (sending_q | |(request_o & grant_i)) & !(|valid_o & flit_o[TailBit]);
      waiting_q <= waiting_q + joins_own + joins - begins;
      ranked_q <= (ranked_q | ranks) & !(ranked & begins & rank == 8'd0);
      rank_q <= (ranked ? rank : waiting_q + joins_own) - begins;
    end
  end
  // Its place: behind the packet that has started, and in the queue if it is not the PE's.
  wire [7:0] behind = rank_q - started;
  wire [7:0] index = behind - (own_waits & behind > queue_ahead);
  reg        outranked;
  always @* begin
    outranked = sending_q != busy | waiting_q != queued + own_waits + started;
    if (ranked_q) begin
      if (started & rank_q == 8'd0) outranked = outranked | !its_from;
      else if (of_pe) outranked = outranked | !own_waits | behind != queue_ahead;
      else begin
        if (index >= queued | own_waits & behind == queue_ahead) outranked = 1'b1;
        for (w = 0; w < Depth; w = w + 1) if (index == w & !(|(queue[w*2*Ports+:Ports] & its_link))) outranked = 1'b1;
      end
    end
  end

  // Packets of other links that are granted while the watched link requests and has room.
  reg  [Ports-1:0]       roomy;        // for a largest packet
  reg  [7:0]             older;        // requests that came before its request
  reg  [7:0]             overtaken_q;
  wire [Ports*Ports-1:0] order;        // bit a*Ports+b: a comes before b
  wire [Ports*Ports-1:0] upset;        // one that does not wait comes before one that waits
  reg                    cyclic;
  wire                   asks = |(its_link & request_i & roomy);
  integer                x;
  integer                y;
  genvar                 a;
  genvar                 b;
  generate
    for (a = 0; a < Ports; a = a + 1) begin : \i_receiver.i_arbiter.gen_input
      assign {upset[a*Ports+a], order[a*Ports+a]} = 2'b00;
      for (b = 0; b < a; b = b + 1) begin : gen_lower
        (* hierconn *) wire behind_q;
        assign order[a*Ports+b] = behind_q;
        assign order[b*Ports+a] = !behind_q;
        assign upset[a*Ports+b] = !(asked_q[a] & asked_q[b]) & behind_q != asked_q[a];
        assign upset[b*Ports+a] = 1'b0;
      end
    end
  endgenerate
  always @* begin
    {roomy, older, cyclic} = 0;
    for (w = 0; w < Ports; w = w + 1) begin
      roomy[w] = held[w*8+:8] <= Room;
      if (asked_q[w] & |((order >> w * Ports) & its_link)) older = older + 1'b1;
      for (x = 0; x < Ports; x = x + 1) begin
        for (y = 0; y < Ports; y = y + 1) if (order[w*Ports+x] & order[x*Ports+y] & order[y*Ports+w]) cyclic = 1'b1;
      end
    end
  end
  always @(posedge clk_i) begin
    if (rst_i | !asks | |(its_link & grant_o)) overtaken_q <= 8'd0;
    else if (tick_i & |grant_o) overtaken_q <= overtaken_q + 1'b1;
  end

  always @* begin
    assume (watched < Inputs);
    if (!$initstate) begin
      assert (!elsewhere);
      assert (!outranked);
      assert (!(|upset) & !cyclic);
      assert (overtaken_q == 8'd0 | asks & |(asked_q & its_link));
      assert (!(|(asked_q & its_link)) | overtaken_q + older <= Ports - 1);
    end
  end
