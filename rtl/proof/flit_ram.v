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
  assign contents[Width-1:0] = data_o;
  generate
    if (Buffer > 1) begin : gen_ring
      localparam Ring = gen_slots.Slots;
      wire [7:0]       read = gen_slots.read_q;
      wire [7:0]       write = gen_slots.write_q;
      wire [7:0]       behind = (held_q == 8'd0) ? 8'd0 : held_q - 1'b1;
      wire [7:0]       front = around(read + Ring - 1, Ring);  // the slot of the flit at the front
      wire [7:0]       at = (ahead_q == 8'd0) ? front : around(read + ahead_q - 1'b1, Ring);
      wire [Width-1:0] there;
      assign there[Width-1:Low] = gen_slots.slots_q[at];
      for (place = 1; place < Buffer; place = place + 1) begin : gen_place
        assign contents[place*Width+Low+:Width-Low] = gen_slots.slots_q[around(read + place - 1, Ring)];
      end
      always @* begin
        if (!$initstate) begin
          assert (read < Ring);
          assert (write == around(read + behind, Ring));
          assert (!watching_q | ahead_q == 8'd0 | there == watched_q);
        end
      end

      if (Low != 0) begin : gen_memory
        wire [Low-1:0] again = gen_slots.gen_memory.words_q[front];
        assign there[Low-1:0] = gen_slots.gen_memory.words_q[at];
        for (place = 1; place < Buffer; place = place + 1) begin : gen_place
          assign contents[place*Width+:Low] = gen_slots.gen_memory.words_q[around(read + place - 1, Ring)];
        end
        wire           read_again = gen_slots.gen_memory.through_q;
        wire           collides = push_i & (load | read_again) & write == (read_again ? front : read);
        always @* begin
          if (!$initstate) begin
            //: a word that is read from the memory as it is written is not used: the flit that comes is the next front, from arrived_q
            assert (!collides | load & !gen_slots.stored);
            // What came through is read in the next cycle.
            assert (!read_again | held_q == 8'd1 & again == gen_slots.gen_memory.arrived_q);
          end
        end
      end
    end
  endgenerate
