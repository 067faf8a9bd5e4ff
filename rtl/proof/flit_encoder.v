// SPDX-License-Identifier: Apache-2.0

  // A word whose bits may change on their way to a decoder.
  (* anyseq *) wire [Width+Checks-1:0] upset;
  wire [Width-1:0] decoded;
  wire             corrected;
  wire             detected;
  reg  [7:0]       wrong;  // bits
  integer          n;
  always @* begin
    wrong = 8'd0;
    for (n = 0; n < Width + Checks; n = n + 1) wrong = wrong + upset[n];
  end

  flit_decoder #(
    .Width (Width),
    .Checks(Checks)
  ) i_decoder (
    .word_i     (word_o ^ upset),
    .data_o     (decoded),
    .corrected_o(corrected),
    .detected_o (detected)
  );

  always @* begin
    //: a sound word comes back unchanged, without an error
    assert (wrong != 8'd0 | decoded == data_i & !corrected & !detected);
    //: one wrong bit is corrected (SECDED) or detected (parity)
    assert (wrong != 8'd1 | ((Checks == 1) ? detected : decoded == data_i & corrected & !detected));
    //: two wrong bits are detected (SECDED)
    assert (wrong != 8'd2 | Checks == 1 | detected & !corrected);
  end
