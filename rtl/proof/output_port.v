// SPDX-License-Identifier: Apache-2.0

  // One virtual channel, any, and the input whose message is under way on it.
  (* anyconst *) wire [7:0] watched;
  wire [Vcs-1:0]    picked = {{Vcs - 1{1'b0}}, 1'b1} << watched;
  wire              crosses = tick_i & fire & |(vc_o & picked);
  reg               open_q;
  reg  [Inputs-1:0] from_q;
  reg  [7:0]        since_q;  // ticks since the last flit, at most Flit
  always @(posedge clk_i) begin
    if (rst_i) open_q <= 1'b0;
    else if (crosses) open_q <= !(|(select_o & tail_i));
    if (crosses) from_q <= select_o;
    if (rst_i) since_q <= Flit;
    else if (tick_i) since_q <= fire ? 8'd1 : (since_q < Flit) ? since_q + 1'b1 : since_q;
  end

  wire [Inputs-1:0]     holders [0:Vcs-1];
  reg  [Inputs-1:0]     any;
  reg                   twice;  // an input holds two virtual channels
  integer               n;
  genvar                c;
  generate
    for (c = 0; c < Vcs; c = c + 1) begin : gen_watch
      always @* begin
        if (!$initstate) begin
          assert (!(|(held[c*Inputs+:Inputs] & (held[c*Inputs+:Inputs] - 1'b1))));
          assert (c != watched | !open_q | held[c*Inputs+:Inputs] == from_q);
        end
      end
    end
  endgenerate
  always @* begin
    any = {Inputs{1'b0}};
    for (n = 0; n < Vcs; n = n + 1) any = any | held[n*Inputs+:Inputs];
  end

  always @* begin
    if ($initstate) assume (rst_i);
    assume (watched < Vcs);
    if (!$initstate) begin
      `EXPECT (!(|(request_i & any)));  // the head of the next message comes behind the tail
      `EXPECT (Mutes != 0 | !(|(request_i & ~movable_i)));
      //: one input's flit is offered
      assert (!offer_o | (|select_o) & !(|(select_o & (select_o - 1'b1))));
      //: the offered flit may leave
      assert (!offer_o | (|(select_o & movable_i)));
      //: it goes to one virtual channel
      assert (!offer_o | (|vc_o) & !(|(vc_o & (vc_o - 1'b1))));
      //: messages do not mix on a virtual channel: an input that sent its head sends all flits up to its tail
      assert (!open_q | !offer_o | !(|(vc_o & picked)) | select_o == from_q);
      //: a message under way holds its virtual channel
      assert (!open_q | (|(from_q & held_o)));
      //: the offered flit leaves its input when it crosses
      assert (leave_o == (fire ? select_o : {Inputs{1'b0}}));
      //: a flit occupies the output for Flit cycles
      assert (!offer_o | since_q >= Flit);
      //: a virtual channel with room goes before one without
      assert (!offer_o | ready_o | !(|(want & ready_i)));
      // Invariants.
      assert (rest == (since_q < Flit) & since_q >= 8'd1 & since_q <= Flit);
    end
  end
