// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Drives the modules link_fault of a network, or upset_i of its chips, from a ROM: one word an event, in rising order of
// target cycles, {cycle, link, dead, drop, flip}. Dead lasts until the next event of the same link, drop and flip for the
// cycle. The cycles are those in which flits come to the end of their links: what links show is stored at the tick, so
// it is enough that this module is settled before.
module fault_player #(
  parameter Width      = 32,    // bits that may be inverted, of a link
  parameter Links      = 1,     // with faults
  parameter LinkWidth  = 1,     // of the number of a link
  parameter Events     = 1,
  parameter CycleWidth = 32,
  parameter File       = ""     // as for $readmemh
) (
  input  wire                   clk_i,
  input  wire                   rst_i,
  input  wire                   tick_i,
  input  wire [CycleWidth-1:0]  cycle_i,    // the target cycle
  output wire                   settled_o,
  output wire [Links-1:0]       lose_o,
  output wire [Links*Width-1:0] flip_o
);
  localparam IndexWidth = $clog2(Events + 1);
  localparam [IndexWidth-1:0] End = Events;
  localparam Word = CycleWidth + LinkWidth + 2 + Width;

  reg  [IndexWidth-1:0] index_q;
  reg                   fresh_q;  // the event at index_q is there
  wire [CycleWidth-1:0] cycle;
  wire [LinkWidth-1:0]  link;
  wire                  dead;
  wire                  drop;
  wire [Width-1:0]      flip;
  wire                  more = index_q != End;
  wire                  due = more & fresh_q & (cycle == cycle_i);
  assign settled_o = !more | (fresh_q & !due);

  pe_rom #(
    .Word        (Word),
    .Words       (Events + 1),  // the last one is not read
    .AddressWidth(IndexWidth),
    .File        (File)
  ) i_events (
    .clk_i    (clk_i),
    .address_i(index_q),
    .word_o   ({cycle, link, dead, drop, flip})
  );

  always @(posedge clk_i) begin
    if (rst_i) index_q <= {IndexWidth{1'b0}};
    else if (due) index_q <= index_q + 1'b1;
  end
  always @(posedge clk_i) fresh_q <= !rst_i & !due;

  genvar k;
  generate
    for (k = 0; k < Links; k = k + 1) begin : gen_link
      localparam [LinkWidth-1:0] Number = k;
      reg             dead_q;
      reg             drop_q;
      reg [Width-1:0] flip_q;
      wire            mine = due & (link == Number);
      assign lose_o[k] = dead_q | drop_q;
      assign flip_o[k*Width+:Width] = flip_q;
      always @(posedge clk_i) begin
        if (rst_i) dead_q <= 1'b0;
        else if (mine) dead_q <= dead;
      end
      always @(posedge clk_i) begin
        if (rst_i | tick_i) {drop_q, flip_q} <= {Width + 1{1'b0}};
        else if (mine) {drop_q, flip_q} <= {drop, flip};
      end
    end
  endgenerate
endmodule
