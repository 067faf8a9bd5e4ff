// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Oldest-first arbiter. A request that was not granted waits, and keeps its age until it is; those that begin to wait
// are younger than all that wait, and of several that begin together the lower input is the older.
//
// The state is an order of all inputs: waiting ones by age, then the others by number, so that neither the choice nor
// the update asks who waits already.
module age_arbiter #(
  parameter Inputs = 4
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              tick_i,
  input  wire [Inputs-1:0] request_i,  // stays until granted
  input  wire [Inputs-1:0] ready_i,    // may be granted; does not depend on request_i
  output wire [Inputs-1:0] grant_o     // one-hot or zero
);
  generate
    if (Inputs < 1) begin : gen_bad_inputs
      age_arbiter_needs_at_least_one_input i_stop ();
    end
  endgenerate

  wire [Inputs-1:0]        candidates = request_i & ready_i;
  wire [Inputs-1:0]        waiting_d = request_i & ~grant_o;
  wire [Inputs*Inputs-1:0] ahead;  // bit j*Inputs+i: candidate i comes before input j

  genvar i;
  genvar j;
  generate
    for (j = 0; j < Inputs; j = j + 1) begin : gen_input
      assign ahead[j*Inputs+j] = 1'b0;
      assign grant_o[j] = candidates[j] & !(|ahead[j*Inputs+:Inputs]);

      for (i = 0; i < j; i = i + 1) begin : gen_lower
        reg  behind_q;  // i comes after j, although its number is lower
        wire behind_d = waiting_d[j] & (!waiting_d[i] | behind_q);
        assign ahead[j*Inputs+i] = candidates[i] & !behind_q;
        assign ahead[i*Inputs+j] = candidates[j] & behind_q;

        always @(posedge clk_i) begin
          if (rst_i) behind_q <= 1'b0;
          else if (tick_i) behind_q <= behind_d;
        end
      end
    end
    if (Inputs == 1) begin : gen_alone
      wire unused = &{1'b0, clk_i, rst_i, tick_i, waiting_d};
    end
  endgenerate

`ifndef SYNTHESIS
  rule #(
    .Name("age_arbiter/grant-is-one-hot")
  ) i_grant_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(|(grant_o & (grant_o - 1'b1)))
  );
  rule #(
    .Name("age_arbiter/grant-is-requested")
  ) i_grant_is_requested (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(|(grant_o & ~candidates))
  );
`endif
endmodule
