// SPDX-License-Identifier: Apache-2.0

  // The input whose message is under way: its head claimed the channel and its tail has not crossed.
  reg  [Inputs-1:0] message_q;
  wire              crosses = tick_i & go_i & want_o;
  wire [Inputs-1:0] claimed = (Claim == 0) ? owner_o : (message_q == {Inputs{1'b0}}) ? grant : message_q;
  always @(posedge clk_i) begin
    if (rst_i) message_q <= {Inputs{1'b0}};
    else if (tick_i) begin
      if (crosses & |(owner_o & tail_i)) message_q <= {Inputs{1'b0}};
      else if (message_q == {Inputs{1'b0}}) message_q <= claimed;
    end
  end

  always @* begin
    if ($initstate) assume (rst_i);
    if (!$initstate) begin
      `EXPECT (Mutes != 0 | !(|(request_i & ~movable_i)));
      //: one input owns the channel, or none
      assert (!(|(owner_o & (owner_o - 1'b1))));
      //: the owner keeps the channel from its head to its tail
      assert (message_q == {Inputs{1'b0}} | owner_o == message_q);
      //: a free channel goes to an input that requests it, at once
      assert (message_q != {Inputs{1'b0}} | !(|(claimed & ~request_i)) & (|claimed) == (|request_i));
      //: the channel wants to send exactly when its owner's flit may leave
      assert (want_o == |(owner_o & movable_i));
      //: with a Claim nothing leaves in the cycle of the claim
      assert (Claim == 0 | message_q != {Inputs{1'b0}} | !(|leave_o) & !want_o);
      //: a flit leaves only its owner, and only when it may
      assert (leave_o == (go_i ? owner_o & movable_i : {Inputs{1'b0}}));
      //: the channel says who held it at the start of the cycle
      assert (held_o == message_q);
      // Invariants.
      assert (locked_q == |message_q);
    end
  end
