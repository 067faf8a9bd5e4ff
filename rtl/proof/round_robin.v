// SPDX-License-Identifier: Apache-2.0

  // Requests that others do not go before.
  wire [Inputs-1:0] asking = (Prefers != 0 & |(request_i & prefer_i)) ? request_i & prefer_i : request_i;

  // The pointer as a number, and the grant found by a walk from it.
  reg  [7:0]        pointer_q;
  reg  [7:0]        pointer_d;
  reg  [Inputs-1:0] walked;
  integer           step;
  always @* begin
    walked = {Inputs{1'b0}};
    pointer_d = pointer_q;
    for (step = Inputs - 1; step >= 0; step = step - 1) begin
      if (asking[(pointer_q + step) % Inputs]) begin
        walked = {{Inputs - 1{1'b0}}, 1'b1} << (pointer_q + step) % Inputs;
        pointer_d = (pointer_q + step + 1) % Inputs;
      end
    end
  end

  // Grants to others while one input, any, requests.
  (* anyconst *) wire [7:0] watched;
  reg  [Inputs-1:0] sooner;  // inputs that come before it
  reg  [7:0]        waits_q;
  reg  [7:0]        left;  // inputs that would still go sooner
  integer           n;
  always @* begin
    left = 8'd0;
    for (n = 0; n < Inputs; n = n + 1) begin
      sooner[n] = (n > watched) ? order_q[watched*Inputs+n] : (n < watched) & !order_q[n*Inputs+watched];
      left = left + sooner[n];
    end
  end

  always @(posedge clk_i) begin
    if (rst_i | !asking[watched] | update_i & grant_o[watched]) waits_q <= 8'd0;
    else if (update_i) waits_q <= waits_q + 1'b1;
    if (rst_i) pointer_q <= 8'd0;
    else if (update_i) pointer_q <= pointer_d;
  end

  always @* begin
    if ($initstate) assume (rst_i);
    assume (watched < Inputs);
    if (!$initstate) begin
      `EXPECT (!update_i | (|request_i));
      //: a grant is one-hot, or zero
      assert (!(|(grant_o & (grant_o - 1'b1))));
      //: an input that does not request gets no grant
      assert (!(|(grant_o & ~request_i)));
      //: some input gets a grant when any requests
      assert (!(|request_i) | (|grant_o));
      //: the grant goes to the first request at or after the pointer, of those preferred if there are any
      assert (grant_o == walked);
      //: a request that stays, and that no other is preferred to, gets its grant after at most Inputs - 1 grants to others
      assert (!asking[watched] | grant_o[watched] | waits_q < Inputs - 1);
      // Invariants.
      assert (waits_q + left <= Inputs - 1);
      assert (pointer_q < Inputs);
      for (n = 0; n < Inputs * Inputs; n = n + 1) assert (order_q[n] == (n / Inputs < pointer_q & n % Inputs >= pointer_q));
    end
  end
