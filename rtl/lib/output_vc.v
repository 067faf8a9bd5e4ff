// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One output virtual channel: a head claims it (round robin among heads), whether or not its flit can cross at once;
// the owner's flits follow, and the tail's crossing frees it from the next cycle on. With a Claim the head crosses in the
// next cycle at the earliest: what leaves is then decided by flip-flops, and does not wait for the arbiter.
module output_vc #(
  parameter Inputs = 5,
  parameter Claim  = 0, // 1: a claim takes a cycle
  parameter Mutes  = 0  // 1: an input that requests need not be movable
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              tick_i,
  input  wire [Inputs-1:0] request_i,  // input has a head for this output-VC at its front
  input  wire [Inputs-1:0] movable_i,  // input's front flit may leave
  input  wire [Inputs-1:0] tail_i,     // input's front flit is a tail
  input  wire              go_i,       // the owner's flit crosses if there is one that may leave
  output wire [Inputs-1:0] owner_o,    // one-hot; zero while free, with a Claim also in the cycle of the claim
  output wire              want_o,     // the owner has a flit that may leave
  output wire [Inputs-1:0] held_o,     // the owner at the start of the cycle; zero while free
  output wire [Inputs-1:0] leave_o     // the input whose flit crosses
);
  reg               locked_q;  // a message is under way
  reg  [Inputs-1:0] owner_q;   // the input that claimed last; the arbiter's pointer stands behind it, so that they share flip-flops
  wire [Inputs-1:0] grant;
  wire              claims = tick_i & !locked_q & |request_i;
  assign owner_o = (Claim != 0) ? held_o : locked_q ? owner_q : grant;
  // A head that requests may leave, so want does not wait for the arbiter.
  assign want_o  = (Mutes != 0 || Claim != 0) ? |(owner_o & movable_i) : |(held_o & movable_i) | (!locked_q & |request_i);
  assign leave_o = {Inputs{go_i}} & owner_o & movable_i;  // does not wait for want_o
  assign held_o  = locked_q ? owner_q : {Inputs{1'b0}};

  round_robin #(
    .Inputs(Inputs)
  ) i_claim (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .update_i (claims),
    .request_i(request_i),
    .prefer_i ({Inputs{1'b0}}),
    .grant_o  (grant)
  );

  // The owner's tail frees the channel.
  wire ends = |(leave_o & tail_i);
  always @(posedge clk_i) begin
    if (rst_i) locked_q <= 1'b0;
    else if (tick_i) locked_q <= (locked_q | (|request_i)) & !ends;
    if (rst_i) owner_q <= {Inputs{1'b0}};
    else if (claims) owner_q <= grant;
  end

`ifndef SYNTHESIS
  rule #(
    .Name("output_vc/owner-is-one-hot")
  ) i_owner_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(|(owner_o & (owner_o - 1'b1)))
  );
`endif
endmodule
