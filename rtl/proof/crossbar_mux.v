// SPDX-License-Identifier: Apache-2.0

  (* anyconst *) wire [7:0] watched;
  always @* begin
    assume (watched < Inputs);
    if (!$initstate) begin
      `EXPECT (!(|(select_i & (select_i - 1'b1))) & !(|(select_i & ~Paths)));
      //: the selected input's flit comes out, unchanged
      assert (!select_i[watched] | flit_o == flit_i[watched*Width+:Width]);
    end
  end
