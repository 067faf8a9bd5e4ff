// SPDX-License-Identifier: Apache-2.0

  (* anyconst *) wire [7:0] watched;
  wire [Inputs-1:0]         its_select = {{Inputs{1'b0}}, 1'b1} << watched;  // before the first packet of a chip a select may be anything
  always @* begin
    assume (watched < Inputs);
    if (!$initstate) begin
      //: the selected input's flit comes out, unchanged
      assert (select_i != its_select | !Paths[watched] | flit_o == flit_i[watched*Width+:Width]);
    end
  end
