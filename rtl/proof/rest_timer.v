// SPDX-License-Identifier: Apache-2.0

  reg [7:0] since_q;  // ticks since the last start, at most Cycles
  always @(posedge clk_i) begin
    if (rst_i) since_q <= Cycles;
    else if (tick_i) since_q <= start_i ? 8'd1 : (since_q < Cycles) ? since_q + 1'b1 : since_q;
  end

  always @* begin
    if ($initstate) assume (rst_i);
    if (!$initstate) begin
      //: rest is high in the cycles 1 to Cycles - 1 after a start, and in no other
      assert (rest_o == (since_q < Cycles));
      // Invariants.
      assert (since_q <= Cycles);
    end
  end
  generate
    if (Cycles > 1) begin : gen_left
      always @* begin
        if (!$initstate) assert (gen_count.left_q == Cycles - since_q);
      end
    end
  endgenerate
