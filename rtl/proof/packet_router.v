// SPDX-License-Identifier: Apache-2.0
`include "chip.vh"
`include "packet_ports.vh"
`include "packet_state.vh"
`include "packet_watch.vh"

  // The flit that came for the PE in the last tick.
  reg                 home_q;
  reg [BodyWidth-1:0] home_flit_q;
  always @(posedge clk_i) begin
    if (rst_i) home_q <= 1'b0;
    else if (tick_i) home_q <= arrives & arrival_way == Ports;
    if (tick_i) home_flit_q <= arrival;
  end

  always @* begin
    if (!$initstate) begin
      //: no flit is missing when its turn comes, and none finds its buffer full
      assert (!tick_i | !lost_o);
      //: one packet is received at a time
      assert (!(|(grant_o & (grant_o - 1'b1))) & !(|(grant_o & ~request_i)) & (!(|grant_o) | !(|receiving_q)));
      //: one packet is sent at a time
      assert (!(|(valid_o & (valid_o - 1'b1))) & !(|(request_o & (request_o - 1'b1))) & (!tick_i | count_of(leave) == count_of(valid_o)));
      //: the PE gets the flits for it in the next tick, unchanged, and no others
      assert (ej_valid_o == home_q & (!home_q | ej_flit_o[BodyWidth-1:0] == home_flit_q));
      //: every other flit leaves after exactly the flits of its input before it, unchanged, by the link of its route
      assert (!goes_now | by_way & flit_o[BodyWidth-1:0] == it);
      //: behind a flit that is no tail comes the next one of its packet, on the same link
      assert (!follows_q | !tick_i | !(|valid_o) | knows & by_same & flit_o[BodyWidth-1:0] == next);
      //: packets leave whole, a head first and a tail last
      assert (!tick_i | !(|valid_o) | flit_o[BodyWidth-1] != open_q);
      //: a link is requested exactly while none is sent to and a packet may go
      assert ((|request_o) == (!sending_q & (waiting_q != 8'd0 | joins_own)));
      //: packets go in the order in which they may, the PE's ahead of a link's of the same tick
      assert (!tick_i | !begins | !ranked | rank != 8'd0 | its_turn);
      //: at most Ports * (Room + 1) packets go before one that may go
      assert (!ranked | rank <= Ports * (Room + 1));
      //: a link that has room is granted when it requests and none sends
      assert (!(|(request_i & roomy)) | (|receiving));
      //: a request with room waits for at most one packet of each other link
      assert (overtaken_q <= Ports - 1);
    end
  end
