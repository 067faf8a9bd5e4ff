// SPDX-License-Identifier: Apache-2.0

  // What the properties of wormhole_router watch: an input, a flit of it and the flit behind that, and how long a head waits.

  // One input, any, and the output that its flits go to.
  (* anyconst *) wire [7:0] watched;
  reg                        enters;
  reg                        leaves;
  reg [BodyWidth-1:0]        come;
  reg [BodyWidth-1:0]        first;    // at its front
  reg                        waits;    // a head that has not left
  reg [7:0]                  to;
  reg [7:0]                  via;
  reg [7:0]                  here;
  reg [Buffer*BodyWidth-1:0] queue;
  reg                        served;   // a flit crosses the output on the virtual channel
  reg [BodyWidth-1:0]        carried;  // it
  reg [7:0]                  length;
  reg [Inputs-1:0]           has;
  reg [Inputs-1:0]           pointer;  // inputs at it and behind it
  integer                    m;
  always @* begin
    {enters, leaves, come, first, waits, to, via, here, queue} = 0;
    for (m = 0; m < Inputs; m = m + 1) begin
      if (watched == m) begin
        enters = tick_i & comes[m];
        leaves = tick_i & pop[m];
        come = coming[m*BodyWidth+:BodyWidth];
        first = front[m*BodyWidth+:BodyWidth];
        waits = valid[m] & !leaving_q[m];
        to = exit[m*8+:8];
        via = channel[m*8+:8];
        here = held[m*8+:8];
        queue = stored[m*Buffer*BodyWidth+:Buffer*BodyWidth];
      end
    end
    {served, carried, length, has, pointer} = 0;
    for (m = 0; m < Exits * Vcs; m = m + 1) begin
      if (to == m / Vcs & via == m % Vcs) begin
        served = crosses[m/Vcs] & crossing_vc[m/Vcs*8+:8] == m % Vcs;
        carried = crossing[m/Vcs*BodyWidth+:BodyWidth];
        length = length_q[m*8+:8];
        has = owner[m*Inputs+:Inputs];
        pointer = ~past[m*Inputs+:Inputs];
      end
    end
  end

  // One of its flits, any. A flit of the PE may leave in the cycle in which it comes.
  (* anyseq *) wire    mark;
  reg                  watching_q;
  reg  [BodyWidth-1:0] flit_q;
  reg  [7:0]           ahead_q;
  wire                 starts = enters & mark & !watching_q & !follows_q;
  wire                 watching = watching_q | starts & watched >= Buffers;
  wire [BodyWidth-1:0] it = starts ? come : flit_q;
  wire [7:0]           ahead = starts ? here : ahead_q;
  wire                 goes_now = watching & leaves & ahead == 8'd0;
  always @(posedge clk_i) begin
    if (rst_i) watching_q <= 1'b0;
    else watching_q <= (watching_q | starts) & !goes_now;
    flit_q <= it;
    ahead_q <= ahead - leaves;
  end
  // The flit that comes behind it. When the watched one has left and is no tail, the next one has to follow it.
  reg                  known_q;
  reg  [BodyWidth-1:0] next_q;
  reg                  follows_q;
  reg  [7:0]           to_q;
  reg  [7:0]           via_q;
  reg                  behind;   // a flit crosses where the watched one did
  reg  [BodyWidth-1:0] follower;
  wire                 knows = known_q | enters & (watching_q | follows_q);
  wire [BodyWidth-1:0] next = known_q ? next_q : come;
  always @* begin
    {behind, follower} = 0;
    for (m = 0; m < Exits; m = m + 1) begin
      if (to_q == m) begin
        behind = crosses[m] & crossing_vc[m*8+:8] == via_q;
        follower = crossing[m*BodyWidth+:BodyWidth];
      end
    end
  end
  always @(posedge clk_i) begin
    known_q <= knows & !starts;
    next_q <= next;
    if (rst_i) follows_q <= 1'b0;
    else if (goes_now) follows_q <= !it[BodyWidth-2];
    else if (behind) follows_q <= 1'b0;
    if (goes_now) begin
      to_q <= to;
      via_q <= via;
    end
  end
  // Where both are.
  reg misplaced;
  always @* begin
    misplaced = watching_q & ahead_q >= here | known_q & !watching_q & follows_q & here == 8'd0;
    for (m = 0; m < Buffer; m = m + 1) begin
      if (watching_q & ahead_q == m & queue[m*BodyWidth+:BodyWidth] != flit_q) misplaced = 1'b1;
      if (watching_q & ahead_q + 1'b1 == m & known_q & queue[m*BodyWidth+:BodyWidth] != next_q) misplaced = 1'b1;
    end
    if (watching_q & known_q != (ahead_q + 1'b1 < here)) misplaced = 1'b1;
    if (follows_q & known_q & queue[BodyWidth-1:0] != next_q) misplaced = 1'b1;
    if (follows_q & (watching_q | to != to_q | via != via_q | known_q != (here != 8'd0))) misplaced = 1'b1;
    if (follows_q & !(|(leaving_q & its))) misplaced = 1'b1;
  end

  // Flits of others that cross its output on its virtual channel while a head waits, but for those behind the Longest-th
  // of a message.
  wire [Inputs-1:0] its = {{Inputs - 1{1'b0}}, 1'b1} << watched;
  wire [Inputs-1:0] lower = ~({Inputs{1'b1}} << watched);
  wire [Inputs-1:0] rivals = (to < Ports) ? {Inputs{1'b1}} : {{Inputs{1'b0}}, {Sources{1'b1}}} << (to - Ports) * Sources;
  wire [Inputs-1:0] sooner = rivals & ((|(pointer & its)) ? pointer & lower : pointer | lower) & ~its;
  wire [7:0]        bound = (count_of(rivals) - 1'b1) * Longest;
  reg  [7:0]        waits_q;
  always @(posedge clk_i) begin
    if (rst_i | !waits | leaves) waits_q <= 8'd0;
    else if (waits & served & length < Longest) waits_q <= waits_q + 1'b1;
  end
