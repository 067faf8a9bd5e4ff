// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Drives the modules link_fault of a network from faults.mem, or upset_i of its chips from upsets.mem: one number a line in rising order of cycles:
// {cycle, link, dead, drop, flip}. Dead lasts until the next line of the same link, drop and flip for the cycle. The last
// number has a cycle that is all ones. The cycles are those in which flits come to the end of their links.
module fault_driver #(
  parameter Width  = 32,  // payload
  parameter Links  = 1,   // with faults
  parameter Events = 1,   // numbers in the file, the last one included
  parameter File   = "faults.mem"
) (
  input  wire                   drive_i,  // rises when the flits of a cycle are driven
  input  wire [31:0]            cycle_i,
  output reg  [Links-1:0]       lose_o,
  output reg  [Links*Width-1:0] flip_o
);
  localparam LinkBits = (Links > 1) ? $clog2(Links) : 1;

  reg [32+32+Width-1:0] events [0:Events-1];
  reg [Links-1:0]       dead;
  reg [Links-1:0]       lose;
  reg [Links*Width-1:0] flip;
  reg [31:0]            e_cycle;
  reg [29:0]            e_number;
  reg                   e_dead;
  reg                   e_drop;
  reg [Width-1:0]       e_flip;
  reg [LinkBits-1:0]    e_link;
  integer               event_;

  task next_event;
    begin
      {e_cycle, e_number, e_dead, e_drop, e_flip} = events[event_];
      e_link = e_number[LinkBits-1:0];
    end
  endtask

  vector_file #(.File(File), .Lines(Events), .Width(32 + 32 + Width), .Ends(1)) i_file ();

  initial begin
    #1;  // at time 0 vector_file judges the file
    $readmemh(File, events);
    event_ = 0;
    dead = {Links{1'b0}};
    next_event;
  end

  always @(posedge drive_i) begin
    lose = {Links{1'b0}};
    flip = {Links * Width{1'b0}};
    while (e_cycle == cycle_i) begin
      if (({2'b0, e_number} < Links) !== 1'b1) begin
        $display("FAIL %0s line=%0d link=%0d expected below %0d", File, event_ + 1, e_number, Links);
        $stop;
      end
      dead[e_link] = e_dead;
      lose[e_link] = e_drop;
      flip[e_link*Width+:Width] = e_flip;
      event_ = event_ + 1;
      next_event;
    end
    lose_o <= lose | dead;
    flip_o <= flip;
  end
endmodule

`default_nettype wire
