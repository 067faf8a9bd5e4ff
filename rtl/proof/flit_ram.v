// SPDX-License-Identifier: Apache-2.0
`include "fifo.vh"

  // Invariants: the memory is a ring.
  wire [7:0]       read = read_q;
  wire [7:0]       write = write_q;
  wire [7:0]       at = (read + ahead_q) % Buffer;
  wire [Width-1:0] there = flits_q[at];
  always @* begin
    if (!$initstate) begin
      assert (read < Buffer);
      assert (write == (read + held_q) % Buffer);
      assert (!watching_q | there == watched_q);
    end
  end
