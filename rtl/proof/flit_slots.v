// SPDX-License-Identifier: Apache-2.0
`include "fifo.vh"

  always @* begin
    if (!$initstate) begin
      //: the highest bit of the front is low while there is no flit
      assert (valid_o | !data_o[Width-1]);
    end
  end

  // Invariants: the slots are behind the front, the oldest flit first.
  wire [Buffer*Width-1:0] contents;  // the front lowest
  genvar place;
  assign contents[Width-1:0] = front_q;
  generate
    for (place = 1; place < Buffer; place = place + 1) begin : gen_place
      wire [7:0] slot = held_q - 8'd1 - place;
      assign contents[place*Width+:Width] = (slot < Buffer - 1) ? gen_slots.slots_q >> slot * Width : {Width{1'b0}};
    end
    if (Buffer > 1) begin : gen_behind
      wire [Width-1:0] there = contents >> ahead_q * Width;
      always @* begin
        if (!$initstate) begin
          assert (!watching_q | there == watched_q);
        end
      end
    end
  endgenerate
