// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Round-robin arbiter: the first request at or after the pointer, in rising order and around the end.
// The pointer starts at input 0; update_i moves it to the input after the granted one. With Prefers, requests that prefer_i
// marks go before the others.
module round_robin #(
  parameter Inputs  = 2,
  parameter Prefers = 0  // 1: prefer_i works
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              update_i,  // only together with a request
  input  wire [Inputs-1:0] request_i,
  /* verilator lint_off UNUSED */  // without Prefers
  input  wire [Inputs-1:0] prefer_i,
  /* verilator lint_on UNUSED */
  output reg  [Inputs-1:0] grant_o    // one-hot; zero without a request
);
  generate
    if (Inputs < 1) begin : gen_bad_inputs
      round_robin_needs_at_least_one_input i_stop ();
    end
  endgenerate

  // The pointer as the order of all pairs: bit i*Inputs+j, with j > i, says that the pointer stands behind i and not behind
  // j, so that j comes before i. A grant then takes two levels of logic for four inputs.
  reg  [Inputs*Inputs-1:0] order_q;
  reg  [Inputs*Inputs-1:0] order_d;
  reg  [Inputs-1:0]        first;    // inputs that come before i

  integer i;
  integer j;
  always @* begin
    order_d = {Inputs * Inputs{1'b0}};
    for (i = 0; i < Inputs; i = i + 1) begin
      for (j = 0; j < Inputs; j = j + 1) first[j] = (j > i) ? order_q[i*Inputs+j] : (j < i) & !order_q[j*Inputs+i];
      if (Prefers != 0) first = prefer_i[i] ? first & prefer_i : first | prefer_i;
      grant_o[i] = request_i[i] & !(|(request_i & first));
    end
    for (i = 0; i < Inputs; i = i + 1) begin
      for (j = i + 1; j < Inputs; j = j + 1) order_d[i*Inputs+j] = ((i == j - 1) ? 1'b0 : order_d[i*Inputs+j-1]) | grant_o[j-1];
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) order_q <= {Inputs * Inputs{1'b0}};
    else if (update_i) order_q <= order_d;
  end

`ifndef SYNTHESIS
  rule #(
    .Name("round_robin/grant-is-one-hot")
  ) i_grant_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(|(grant_o & (grant_o - 1'b1)))
  );
  rule #(
    .Name("round_robin/grant-is-requested")
  ) i_grant_is_requested (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(|(grant_o & ~request_i))
  );
  rule #(
    .Name("round_robin/no-update-without-request")
  ) i_no_update_without_request (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(update_i & !(|request_i))
  );
`endif
endmodule
