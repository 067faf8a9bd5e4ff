// SPDX-License-Identifier: Apache-2.0

  // What the properties of packet_router_all_ports watch: one flit, any, of one input, any, that goes on, and the flit
  // that comes behind it.
  (* anyconst *) wire [7:0] watched;
  (* anyseq *) wire         mark;
  reg                         enters;
  reg                         leaves;
  reg  [BodyWidth-1:0]        come;
  reg  [7:0]                  here;      // flits of the input that came and have not left
  reg  [Buffer*BodyWidth-1:0] contents;  // they, the front lowest
  reg  [7:0]                  server;    // the output that has its packet
  integer                     w;
  always @* begin
    {enters, leaves, come, here, contents} = 0;
    server = 8'd255;
    for (w = 0; w < Sources; w = w + 1) begin
      if (watched == w) begin
        enters = tick_i & (w < Ports ? onward[w%Ports] : inj_valid_i[w%Ports] & inj_ready_o[w%Ports]);
        come = w < Ports ? flit_i[w%Ports*FlitWidth+:BodyWidth] : inj_flit_i[w%Ports*FlitWidth+:BodyWidth];
        leaves = tick_i & leave[w];
        here = held[w*8+:8];
        contents = stored[w*Buffer*BodyWidth+:Buffer*BodyWidth];
        server = served_by(w);
      end
    end
  end
  reg                  watching_q;
  reg                  follows_q;  // the watched flit left, is no tail, and none left behind it
  reg  [BodyWidth-1:0] flit_q;
  reg  [7:0]           ahead_q;
  wire                 starts = enters & mark & !watching_q & !follows_q;
  wire                 watching = watching_q | starts & watched >= Ports;  // a flit of the PE may leave in the tick in which it comes
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
  reg  [BodyWidth-1:0] carried;
  reg                  behind;    // a flit crosses where the watched one did
  reg  [BodyWidth-1:0] follower;
  reg                  under_way;  // a packet is, where the watched one crossed
  wire [Ports-1:0]     torn;
  genvar               t;
  generate
    for (t = 0; t < Ports; t = t + 1) begin : gen_torn
      assign torn[t] = valid_o[t] & flit_o[t*FlitWidth+BodyWidth-1] == open[t];
    end
  endgenerate
  always @* begin
    {by_way, carried, behind, follower, under_way} = 0;
    for (w = 0; w < Ports; w = w + 1) begin
      if (way == w) {by_way, carried} = {valid_o[w], flit_o[w*FlitWidth+:BodyWidth]};
      if (way_q == w) {behind, follower, under_way} = {tick_i & valid_o[w], flit_o[w*FlitWidth+:BodyWidth], busy[w] & open[w]};
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
      watching_q <= (watching_q | starts) & !goes_now;
      follows_q <= goes_now ? !it[TailBit] : follows_q & !behind;
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
    if (follows_q & (watching_q | server != way_q | !under_way)) elsewhere = 1'b1;
    if (follows_q & (known_q != (here != 8'd0) | known_q & contents[BodyWidth-1:0] != next_q)) elsewhere = 1'b1;
  end
