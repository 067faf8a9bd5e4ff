// SPDX-License-Identifier: Apache-2.0
  wire             valid_o = |count_o;
  wire [Width-1:0] data_o = recent_o ? arrived_o : word_o;
`include "fifo.vh"

  // Invariants: behind the front, or from it on if it has just come, the memory is a ring of flits that have not been read.
  wire [7:0]       read = read_q;
  wire [7:0]       unread = held_q - (held_q != 8'd0 & !recent_q);
  wire [7:0]       at = around(read + ahead_q - 1'b1, Buffer);
  wire [Width-1:0] there = words_q[at];
  wire [Width-1:0] again = words_q[read_q];
  wire [Buffer*Width-1:0] contents;  // the front lowest
  genvar place;
  assign contents[Width-1:0] = data_o;
  generate
    for (place = 1; place < Buffer; place = place + 1) begin : gen_place
      assign contents[place*Width+:Width] = words_q[around(read + place - 1, Buffer)];
    end
  endgenerate
  always @* begin
    if (!$initstate) begin
      //: a word that is read from the memory as it is written is not used: the flit that comes is the next front, from arrived_o
      assert (!push_i | !(pop_i | recent_q) | write_q != read_q | alone);
      assert (read < Buffer & write_q == around(read + unread, Buffer));
      assert (!recent_q | held_q == 8'd1 & again == arrived_q);
      assert (!watching_q | ahead_q == 8'd0 | there == watched_q);
    end
  end
