// SPDX-License-Identifier: Apache-2.0

  // The flit that was accepted and has not left.
  reg             waiting_q;
  reg [Width-1:0] waiting_flit_q;
  always @(posedge clk_i) begin
    if (rst_i) waiting_q <= 1'b0;
    else if (tick_i) begin
      waiting_q <= (waiting_q | valid_i & ready_o) & !leave_i;
      if (valid_i & ready_o) waiting_flit_q <= flit_i;
    end
  end

  always @* begin
    if ($initstate) assume (rst_i);
    if (!$initstate) begin
      `EXPECT (!leave_i | valid_o);
      //: a flit is accepted exactly while none waits
      assert (ready_o == !waiting_q);
      //: an accepted flit is offered, from the same cycle on until it leaves
      assert (valid_o == (waiting_q | valid_i & ready_o));
      //: the offered flit is the accepted one
      assert (!valid_o | flit_o == (waiting_q ? waiting_flit_q : flit_i));
      //: while none can be accepted, the kept flit is the offered one
      assert (ready_o | kept_o == flit_o);
    end
  end
