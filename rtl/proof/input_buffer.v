// SPDX-License-Identifier: Apache-2.0

  // Order and codes are the contracts of its parts, which are proved here in their place.
  always @* begin
    if ($initstate) assume (rst_i);
    if (!$initstate) begin
      `EXPECT (!push_i | count_o < Buffer);
      `EXPECT (!pop_i | valid_o);
    end
  end

  reg              idle_q;  // no tick at the last edge
  reg              valid_q;
  reg [31:0]       count_q;
  reg [Stored-1:0] word_last_q;
  always @(posedge clk_i) begin
    idle_q <= !tick_i & !rst_i;
    valid_q <= valid_o;
    count_q <= count_o;
    word_last_q <= word_q;
  end

  always @* begin
    if (!$initstate & idle_q) begin
      //: nothing changes without a tick
      assert (valid_o == valid_q & count_o == count_q & (!valid_o | word_q == word_last_q));
    end
  end
