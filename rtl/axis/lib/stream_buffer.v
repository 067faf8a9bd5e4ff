// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A stream's buffer: valid, ready and data on both sides, and no path from one side to the other within a cycle.
//
//   valid_i, data_i ->  [ Depth words ]  -> valid_o, data_o
//           ready_o <-                   <- ready_i
//
// valid_o is never withdrawn, and data_o never changes, before the word is taken. Two words are enough for a word in
// every cycle.
module stream_buffer #(
  parameter Width = 32,
  parameter Depth = 2
) (
  input  wire             clk_i,
  input  wire             rst_i,
  // A word goes over when valid & ready. Ready comes from registers.
  input  wire             valid_i,
  output wire             ready_o,
  input  wire [Width-1:0] data_i,
  // A word goes over when valid & ready. Valid comes from registers.
  output wire             valid_o,
  input  wire             ready_i,
  output wire [Width-1:0] data_o
);
  localparam CountWidth = $clog2(Depth + 1);
  wire [CountWidth-1:0] count;
  wire [1:0]            unused_errors;
  assign ready_o = count != Depth[CountWidth-1:0];

  input_buffer #(
    .Width (Width),
    .Buffer(Depth)
  ) i_buffer (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (1'b1),
    .push_i     (valid_i & ready_o),
    .data_i     (data_i),
    .upset_i    ({Width{1'b0}}),
    .pop_i      (valid_o & ready_i),
    .valid_o    (valid_o),
    .data_o     (data_o),
    .count_o    (count),
    .corrected_o(unused_errors[0]),
    .detected_o (unused_errors[1])
  );

`ifndef SYNTHESIS
  reg             waiting_q;
  reg [Width-1:0] data_q;
  always @(posedge clk_i) begin
    waiting_q <= valid_o & !ready_i & !rst_i;
    data_q    <= data_o;
  end
  rule #(
    .Name("stream_buffer/offer-stands-until-taken")
  ) i_offer_stands_until_taken (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(waiting_q & (!valid_o | (data_o != data_q)))
  );
`endif
endmodule
