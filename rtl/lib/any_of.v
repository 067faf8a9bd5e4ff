// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The or of Count words.
module any_of #(
  parameter Count = 4,
  parameter Width = 5
) (
  input  wire [Count*Width-1:0] words_i,
  output reg  [Width-1:0]       any_o
);
  integer n;
  always @* begin
    any_o = {Width{1'b0}};
    for (n = 0; n < Count; n = n + 1) any_o = any_o | words_i[n*Width+:Width];
  end
endmodule
