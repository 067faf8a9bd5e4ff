// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Tells whether the flit that comes in is for this chip's PE. With HeadFlit only a head has a destination; the flits
// behind it are for the same chip.
module packet_home #(
  parameter HeadFlit  = 0,
  parameter NodeWidth = 6
) (
  input  wire                 clk_i,
  input  wire                 tick_i,
  input  wire                 valid_i,        // a flit comes in
  input  wire                 head_i,         // it is a head
  input  wire [NodeWidth-1:0] destination_i,  // of a head
  input  wire [NodeWidth-1:0] node_i,
  output wire                 home_o
);
  wire here = destination_i == node_i;

  generate
    if (HeadFlit != 0) begin : gen_head
      reg here_q;
      assign home_o = head_i ? here : here_q;

      always @(posedge clk_i) begin
        if (tick_i & valid_i & head_i) here_q <= here;
      end
    end else begin : gen_every_flit
      wire unused = &{1'b0, clk_i, tick_i, valid_i, head_i};
      assign home_o = here;
    end
  endgenerate
endmodule
