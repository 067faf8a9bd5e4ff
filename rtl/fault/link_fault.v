// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A link that goes wrong, between its end and the receiver's input: it loses whole messages and inverts payload bits.
//
//   link  valid_i, flit_i -> [link_fault] -> valid_o, flit_o  receiver's input
//                                 ^ lose_i, flip_i
//
// A message is lost when lose_i is high as its head comes; its other flits on the same virtual channel follow it. The
// sender sees nothing of it. A chip that must know of lost flits, because they end a grant (packet_router), gets them
// with Mark: the bit of the virtual channel, which such a chip does not have, says that the flit is lost.
module link_fault #(
  parameter FlitWidth = 40,
  parameter Width     = 32,                           // payload
  parameter Vcs       = 1,
  parameter Mark      = 0,                            // 1: lost flits come, marked
  parameter VcWidth   = (Vcs > 1) ? $clog2(Vcs) : 1   // derived
) (
  input  wire                 clk_i,
  input  wire                 rst_i,
  input  wire                 tick_i,
  input  wire                 lose_i,   // the message whose head is here is lost
  input  wire [Width-1:0]     flip_i,   // payload bits to invert
  input  wire                 valid_i,
  input  wire [FlitWidth-1:0] flit_i,
  output wire                 valid_o,
  output wire [FlitWidth-1:0] flit_o
);
  localparam HeadBit = FlitWidth - VcWidth - 1;

  reg  [Vcs-1:0]     losing_q;  // by virtual channel: its last message was lost
  wire [VcWidth-1:0] vc = (Vcs > 1) ? flit_i[FlitWidth-1-:VcWidth] : {VcWidth{1'b0}};
  wire               lost = flit_i[HeadBit] ? lose_i : losing_q[vc];

  always @(posedge clk_i) begin
    if (rst_i) losing_q <= {Vcs{1'b0}};
    else if (tick_i & valid_i) losing_q[vc] <= lost;
  end

  wire [FlitWidth-1:0] flipped = flit_i ^ {{FlitWidth - Width{1'b0}}, flip_i};
  generate
    if (Mark != 0) begin : gen_mark
      assign valid_o = valid_i;
      assign flit_o = flipped | {lost, {FlitWidth - 1{1'b0}}};
    end else begin : gen_hide
      assign valid_o = valid_i & !lost;
      assign flit_o = flipped;
    end
  endgenerate
endmodule
