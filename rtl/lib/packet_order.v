// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Whose turn it is to send: packets go in the order in which they may, the PE's ahead of a link's of the same tick. The
// packets of links are in a queue, each as the link that it came by and the one that it goes to. The PE has one packet
// at a time, and this module counts the packets that are ahead of it.
module packet_order #(
  parameter Ports = 4,
  parameter Depth = 4  // packets of links
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             tick_i,
  input  wire             push_i,    // a packet of a link may go; only while there is room
  input  wire [Ports-1:0] from_i,    // one-hot
  input  wire [Ports-1:0] to_i,
  input  wire             placed_i,  // the PE places the head of a packet
  input  wire             own_i,     // a head of the PE is here, placed in this tick or before
  input  wire [Ports-1:0] own_to_i,
  input  wire             start_i,   // the packet whose turn it is starts; only while valid_o
  output wire             valid_o,
  output wire [Ports:0]   from_o,    // one-hot; the highest bit is: the PE
  output wire [Ports-1:0] to_o
);
  localparam CountWidth = $clog2(Depth + 1);

  wire                  queued;
  wire [CountWidth-1:0] count;
  wire [Ports-1:0]      from;
  wire [Ports-1:0]      to;
  reg                   first_q;  // nothing is ahead of the PE's packet
  reg  [CountWidth-1:0] ahead_q;
  wire [CountWidth-1:0] ahead = placed_i ? count : ahead_q;
  wire                  own = own_i & (placed_i ? !queued : first_q);
  wire                  pop = start_i & !own;
  wire [CountWidth-1:0] ahead_d = (pop & (|ahead)) ? ahead - 1'b1 : ahead;
  assign valid_o = own | queued;
  assign from_o = own ? {1'b1, {Ports{1'b0}}} : {1'b0, from};
  assign to_o = own ? own_to_i : to;

  always @(posedge clk_i) begin
    if (rst_i) begin
      ahead_q <= {CountWidth{1'b0}};
      first_q <= 1'b1;
    end else if (tick_i) begin
      ahead_q <= ahead_d;
      first_q <= !(|ahead_d);
    end
  end

  wire [1:0] unused_errors;
  input_buffer #(
    .Width (2 * Ports),
    .Buffer(Depth),
    .Ram   (1)
  ) i_queue (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (tick_i),
    .push_i     (push_i),
    .data_i     ({to_i, from_i}),
    .upset_i    ({2 * Ports{1'b0}}),
    .pop_i      (pop),
    .valid_o    (queued),
    .data_o     ({to, from}),
    .count_o    (count),
    .corrected_o(unused_errors[0]),
    .detected_o (unused_errors[1])
  );
endmodule
