// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Hamming code: the syndrome of a word, and the data bit that it points at.
//
//   position  1  2  3  4  5  6  7  8  9 ...    check j stands at 2^j, the data at all others in rising order;
//   bit       c0 c1 d0 c2 d1 d2 d3 c3 d4 ...   check j is the parity of the data at positions with bit j set
//
// With checks_i zero the syndrome is the checks of the data.
module hamming #(
  parameter Width  = 32,
  parameter Checks = 6    // 2^Checks > Width + Checks
) (
  input  wire [Width-1:0]  data_i,
  input  wire [Checks-1:0] checks_i,
  output reg  [Checks-1:0] syndrome_o,  // the position of a single wrong bit, 0 of none
  output reg  [Width-1:0]  wrong_o      // the data bit at that position; none of other positions
);
  generate
    if (1 << Checks <= Width + Checks) begin : gen_bad_checks
      hamming_needs_a_position_for_every_bit i_stop ();
    end
  endgenerate

  // Positions of the data bits, the first lowest.
  function [Width*Checks-1:0] positions(input integer unused);
    integer n;
    integer at;
    begin
      at = unused;
      for (n = 0; n < Width; n = n + 1) begin
        at = at + 1;
        while ((at & (at - 1)) == 0) at = at + 1;
        positions[n*Checks+:Checks] = at[Checks-1:0];
      end
    end
  endfunction
  localparam [Width*Checks-1:0] Positions = positions(0);

  // Data bits of each check.
  function [Width*Checks-1:0] groups(input [Width*Checks-1:0] places);
    integer n;
    integer c;
    for (c = 0; c < Checks; c = c + 1) for (n = 0; n < Width; n = n + 1) groups[c*Width+n] = places[n*Checks+c];
  endfunction
  localparam [Width*Checks-1:0] Groups = groups(Positions);

  integer j;
  integer i;
  always @* begin
    for (j = 0; j < Checks; j = j + 1) syndrome_o[j] = checks_i[j] ^ ^(data_i & Groups[j*Width+:Width]);
  end
  always @* begin
    for (i = 0; i < Width; i = i + 1) wrong_o[i] = syndrome_o == Positions[i*Checks+:Checks];
  end
endmodule
