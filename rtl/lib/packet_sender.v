// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The sending half of a chip that switches packets one at a time: the first packet in order requests its link, and when
// the chip behind the link grants, the packet's flits leave, one after the other.
module packet_sender #(
  parameter Ports = 4,
  parameter Depth = 4,  // packets of links
  parameter Setup = 0,  // ticks per packet and link
  parameter Flit  = 1   // ticks per flit and link
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             tick_i,
  // Packets, see packet_order.
  input  wire             push_i,
  input  wire [Ports-1:0] from_i,
  input  wire [Ports-1:0] to_i,
  input  wire             placed_i,
  input  wire             own_i,
  input  wire [Ports-1:0] own_to_i,
  // Inputs.
  output wire [Ports:0]   from_o,     // whose flits are shown to the links, one-hot where one leaves; the highest bit is: the PE
  output wire [Ports:0]   leave_o,    // its flit leaves: one-hot or zero
  input  wire             tail_i,     // the flit that is shown is a tail
  // Links.
  output wire [Ports-1:0] request_o,  // one-hot or zero
  input  wire [Ports-1:0] grant_i,
  output wire [Ports-1:0] valid_o     // one-hot or zero
);
  wire             turn;  // a packet may go
  wire [Ports:0]   turn_from;
  wire [Ports-1:0] turn_to;
  reg  [Ports:0]   from_q;
  reg  [Ports-1:0] to_q;
  wire             busy;
  wire             fire;
  wire             ask = !busy & turn;
  wire             start = |(request_o & grant_i);
  wire [Ports-1:0] to = busy ? to_q : turn_to;
  assign from_o = (busy || Setup + Flit > 1) ? from_q : turn_from;  // with ticks before the first flit, it was busy before
  assign leave_o = fire ? from_o : {Ports + 1{1'b0}};
  assign request_o = ask ? turn_to : {Ports{1'b0}};
  assign valid_o = fire ? to : {Ports{1'b0}};

  always @(posedge clk_i) begin
    if (tick_i & !busy) from_q <= turn_from;
    if (tick_i & !busy) to_q <= turn_to;
  end

  packet_order #(
    .Ports(Ports),
    .Depth(Depth)
  ) i_order (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .tick_i  (tick_i),
    .push_i  (push_i),
    .from_i  (from_i),
    .to_i    (to_i),
    .placed_i(placed_i),
    .own_i   (own_i),
    .own_to_i(own_to_i),
    .start_i (start),
    .valid_o (turn),
    .from_o  (turn_from),
    .to_o    (turn_to)
  );

  packet_timer #(
    .Setup(Setup),
    .Flit (Flit)
  ) i_timer (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .start_i(start),
    .tail_i (tail_i),
    .busy_o (busy),
    .fire_o (fire)
  );

`ifndef SYNTHESIS
  rule #(
    .Name("packet_sender/port-is-one-hot")
  ) i_port_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & ask & !turn_from[Ports] & (!(|turn_to) | |(turn_to & (turn_to - 1'b1))))
  );
`endif
endmodule
