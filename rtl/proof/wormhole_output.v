// SPDX-License-Identifier: Apache-2.0

  (* anyconst *) wire [7:0] watched;
  integer lanes;
  always @* begin
    if ($initstate) assume (rst_i);
    assume (watched < Inputs);
    if (!$initstate) begin
      `EXPECT (!(|(request_i & held_o)));
      `EXPECT (Mutes != 0 | !(|(request_i & ~movable_i)));
      `EXPECT (!(|(request_i & ~Paths)));
      //: one flit leaves when the offered one crosses, and none else
      assert (!(|(leave_o & (leave_o - 1'b1))) & (|leave_o) == (offer_o & go_i));
      //: what crosses is the front of the input that it leaves, unchanged
      assert (!leave_o[watched] | flit_o[BodyWidth-1:0] == flit_i[watched*BodyWidth+:BodyWidth]);
      //: a flit leaves an input only if it may, and only by a path that exists
      assert (!(|(leave_o & ~(movable_i & Paths))));
      // Invariants.
      assert (!(|(held_o & ~Paths)));
      for (lanes = 0; lanes < Vcs; lanes = lanes + 1) assert (!(|(owner[lanes*Inputs+:Inputs] & ~lane(lanes))));
    end
  end
