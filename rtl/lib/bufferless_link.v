// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A directed link between two bufferless chips. Nothing holds the sender back: a flit not taken is lost.
module bufferless_link #(
  parameter FlitWidth = 40,
  parameter Hop       = 1   // cycles from here into the neighbour's link register
) (
  input  wire                 clk_i,
  input  wire                 rst_i,
  input  wire                 tick_i,
  // Sender.
  input  wire                 valid_i,
  input  wire [FlitWidth-1:0] flit_i,
  // Receiver.
  output wire                 offer_o,
  input  wire                 take_i,
  output wire                 valid_o,
  output wire [FlitWidth-1:0] flit_o
);
  generate
    if (Hop < 1) begin : gen_bad_hop
      bufferless_link_takes_at_least_one_cycle_per_hop i_stop ();
    end
  endgenerate

  assign offer_o = valid_i;

  delay_line #(
    .Width (FlitWidth),
    .Stages(Hop - 1)
  ) i_delay (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .valid_i(valid_i & take_i),
    .flit_i (flit_i),
    .valid_o(valid_o),
    .flit_o (flit_o)
  );
endmodule
