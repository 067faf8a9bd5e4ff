// SPDX-License-Identifier: Apache-2.0

  reg [7:0] since_q;  // ticks since a flit was taken, at most Flit
  always @(posedge clk_i) begin
    if (rst_i) since_q <= Flit;
    else if (tick_i) since_q <= (|take_o) ? 8'd1 : (since_q < Flit) ? since_q + 1'b1 : since_q;
  end

  always @* begin
    if ($initstate) assume (rst_i);
    if (!$initstate) begin
      `EXPECT (!(|(fire_i & ~valid_o)) & (!send_rest_o | !(|fire_i)));
      //: one link sends at most, of those that have a flit
      assert (!(|(valid_o & (valid_o - 1'b1))) & !(|(valid_o & ~offer_i)));
      //: some link may send whenever any has a flit
      assert ((|valid_o) == (|offer_i));
      //: a link with room behind it goes before one without
      assert (!(|(offer_i & room_i)) | (|(valid_o & room_i)));
      //: one flit is taken at most in Flit cycles, of those that arrive
      assert (!(|(take_o & (take_o - 1'b1))) & !(|(take_o & ~arrival_i)) & (!(|take_o) | since_q >= Flit));
      //: some flit is taken whenever any arrives Flit cycles after the last one
      assert (!(|arrival_i) | since_q < Flit | (|take_o));
      // Invariants.
      assert (since_q >= 8'd1 & since_q <= Flit);
    end
  end
  generate
    if (Enabled != 0) begin : gen_rests
      always @* begin
        if (!$initstate) assert (gen_single.take_rest == (since_q < Flit));
      end
    end
  endgenerate
