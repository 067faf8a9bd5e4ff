// SPDX-License-Identifier: Apache-2.0

  wire [Inputs-1:0] wanting = request_i & Paths;
  (* anyconst *) wire [7:0] watched;
  always @* begin
    if ($initstate) assume (rst_i);
    assume (watched < Inputs);
    if (!$initstate) begin
      //: one flit leaves at most, of an input that wants this output and may leave
      assert (!(|(leave_o & (leave_o - 1'b1))) & !(|(leave_o & (~wanting | block_i))));
      //: valid is high exactly when a flit leaves
      assert (valid_o == (|leave_o));
      //: what leaves is the flit of that input, unchanged
      assert (!leave_o[watched] | flit_o == flit_i[watched*Width+:Width]);
      //: the lowest input goes first
      assert (!leave_o[watched] | !(|(wanting & ~block_i & ~({Inputs{1'b1}} << watched))));
      //: lost is high exactly when a flit that wants this output does not leave
      assert (lost_o == (|(wanting & ~leave_o)));
    end
  end
