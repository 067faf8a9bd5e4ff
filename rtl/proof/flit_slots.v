// SPDX-License-Identifier: Apache-2.0
`include "fifo.vh"

  always @* begin
    if (!$initstate) begin
      //: the highest bit of the front is low while there is no flit
      assert (valid_o | !data_o[Width-1]);
    end
  end

  // Invariants: the slots are a ring behind the front.
  wire [Buffer*Width-1:0] contents;  // the front lowest
  genvar place;
  assign contents[Width-1:0] = front_q;
  generate
    for (place = 1; place < Buffer; place = place + 1) begin : gen_place
      assign contents[place*Width+:Width] = gen_slots.slots_q[around(gen_slots.read_q + place - 1, Buffer - 1)];
    end
    if (Buffer > 1) begin : gen_ring
      wire [7:0]       read = gen_slots.read_q;
      wire [7:0]       write = gen_slots.write_q;
      wire [7:0]       behind = (held_q == 8'd0) ? 8'd0 : held_q - 1'b1;
      wire [7:0]       at = around(read + ahead_q - 1'b1, Buffer - 1);
      wire [Width-1:0] there = gen_slots.slots_q[at];
      always @* begin
        if (!$initstate) begin
          assert (read < Buffer - 1);
          assert (write == around(read + behind, Buffer - 1));
          assert (!watching_q | ahead_q == 8'd0 | there == watched_q);
        end
      end
    end
  endgenerate
