// SPDX-License-Identifier: Apache-2.0

  // A place of a ring that is less than once around: a division would cost the solver more.
  function [7:0] around(input [7:0] place, input [7:0] size);
    around = (place >= size) ? place - size : place;
  endfunction

  // A FIFO seen from its ports. One flit, any, is watched from when it comes to when it leaves.
  (* anyseq *) wire mark;
  reg  [7:0]       held_q;
  reg              watching_q;
  reg  [Width-1:0] watched_q;
  reg  [7:0]       ahead_q;  // flits that leave before it
  always @(posedge clk_i) begin
    if (rst_i) begin
      held_q <= 8'd0;
      watching_q <= 1'b0;
    end else begin
      held_q <= held_q + push_i - pop_i;
      if (!watching_q) begin
        watching_q <= push_i & mark;
        watched_q <= data_i;
        ahead_q <= held_q - pop_i;
      end else if (pop_i) begin
        watching_q <= ahead_q != 8'd0;
        ahead_q <= ahead_q - 1'b1;
      end
    end
  end

  always @* begin
    if ($initstate) assume (rst_i);
    if (!$initstate) begin
      `EXPECT (!push_i | count_o < Buffer);
      `EXPECT (!pop_i | valid_o);
      //: the count is the number of flits that came and have not left
      assert (count_o == held_q & held_q <= Buffer);
      //: valid is high exactly while there is a flit
      assert (valid_o == (held_q != 8'd0));
      //: every flit leaves once, unchanged, and after exactly the flits that came before it
      assert (!watching_q | ahead_q != 8'd0 | data_o == watched_q);
      // Invariants.
      assert (!watching_q | ahead_q < held_q);
    end
  end
