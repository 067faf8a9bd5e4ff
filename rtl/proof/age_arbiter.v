// SPDX-License-Identifier: Apache-2.0

  // Requests that wait, and two inputs, any: a watched one and another.
  (* anyconst *) wire [7:0] watched;
  (* anyconst *) wire [7:0] other;
  reg  [Inputs-1:0] waits_q;
  reg               before_q;     // both wait, and the other one came first
  reg  [7:0]        overtaken_q;  // grants to others while the watched input requests and is ready
  wire [Inputs-1:0] it = {{Inputs{1'b0}}, 1'b1} << watched;
  wire [Inputs-1:0] its_other = {{Inputs{1'b0}}, 1'b1} << other;
  wire              it_waits = |(waits_q & it);
  wire              other_waits = |(waits_q & its_other);
  wire              first = (other_waits & it_waits) ? before_q : other_waits | (!it_waits & other < watched);
  wire              asks = |(request_i & ready_i & it);
  always @(posedge clk_i) begin
    if (rst_i) waits_q <= {Inputs{1'b0}};
    else if (tick_i) waits_q <= request_i & ~grant_o;
    if (tick_i) before_q <= first;
    if (rst_i | !asks | |(grant_o & it)) overtaken_q <= 8'd0;
    else if (tick_i & |grant_o) overtaken_q <= overtaken_q + 1'b1;
  end

  // The order of the inputs: bit a*Inputs+b is, a comes before b.
  wire [Inputs*Inputs-1:0] order;
  wire [Inputs*Inputs-1:0] upset;   // invariant: one that does not wait comes before one that waits
  reg                      cyclic;  // invariant: the order has no cycle
  reg  [7:0]               older;   // requests that wait before the watched one
  integer                  x;
  integer                  y;
  integer                  z;
  genvar                   a;
  genvar                   b;
  generate
    for (a = 0; a < Inputs; a = a + 1) begin : gen_order
      assign {order[a*Inputs+a], upset[a*Inputs+a]} = 2'b00;
      for (b = 0; b < a; b = b + 1) begin : gen_pair
        assign order[a*Inputs+b] = gen_input[a].gen_lower[b].behind_q;
        assign order[b*Inputs+a] = !gen_input[a].gen_lower[b].behind_q;
        assign upset[a*Inputs+b] = !(waits_q[a] & waits_q[b]) & order[a*Inputs+b] != waits_q[a];
        assign upset[b*Inputs+a] = 1'b0;
      end
    end
  endgenerate
  always @* begin
    cyclic = 1'b0;
    older = 8'd0;
    for (x = 0; x < Inputs; x = x + 1) begin
      if (waits_q[x] & |((order >> x * Inputs) & it)) older = older + 1'b1;
      for (y = 0; y < Inputs; y = y + 1) begin
        for (z = 0; z < Inputs; z = z + 1) if (order[x*Inputs+y] & order[y*Inputs+z] & order[z*Inputs+x]) cyclic = 1'b1;
      end
    end
  end

  always @* begin
    if ($initstate) assume (rst_i);
    assume (watched < Inputs & other < Inputs & watched != other);
    if (!$initstate) begin
      `EXPECT (!(|(waits_q & ~request_i)));
      //: a grant is one-hot, or zero
      assert (!(|(grant_o & (grant_o - 1'b1))));
      //: an input gets a grant only if it requests and is ready
      assert (!(|(grant_o & ~(request_i & ready_i))));
      //: some input gets a grant when any requests and is ready
      assert (!(|(request_i & ready_i)) | (|grant_o));
      //: the grant goes to the oldest request that is ready: of several that begin together, to the lower input's
      assert (!first | !(|(request_i & ready_i & its_other)) | !(|(grant_o & it)));
      //: a ready request gets its grant after at most Inputs - 1 grants to others
      assert (overtaken_q <= Inputs - 1);
      // Invariants.
      assert (!(|upset) & !cyclic);
      assert (!it_waits | !other_waits | before_q == |((order >> other * Inputs) & it));
      assert (overtaken_q == 8'd0 | it_waits);
      assert (!it_waits | overtaken_q + older <= Inputs - 1);
    end
  end
