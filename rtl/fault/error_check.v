// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Compares the chips' counters of errors, in every cycle, with those of a recorded run. errors.mem has one number a line in
// rising order of cycles: {cycle, node, corrected, detected}, the counters of a chip from that cycle on. The last number
// has a cycle that is all ones. At the first difference it prints FAIL, and failed rises.
module error_check #(
  parameter Chips  = 1,
  parameter Events = 1,   // numbers in the file, the last one included
  parameter Width  = 16   // of a counter
) (
  input wire                   sample_i,  // rises when the network shows the values of a cycle
  input wire [31:0]            cycle_i,
  input wire [Chips*Width-1:0] corrected_i,
  input wire [Chips*Width-1:0] detected_i
);
  localparam ChipBits = (Chips > 1) ? $clog2(Chips) : 1;

  reg [32+32+2*Width-1:0] events [0:Events-1];
  reg [Chips*Width-1:0]   corrected;  // expected
  reg [Chips*Width-1:0]   detected;
  reg                     failed;
  reg [31:0]              e_cycle;
  reg [31:0]              e_number;
  reg [Width-1:0]         e_corrected;
  reg [Width-1:0]         e_detected;
  reg [ChipBits-1:0]      e_node;
  integer                 event_;
  integer                 n;

  task next_event;
    begin
      {e_cycle, e_number, e_corrected, e_detected} = events[event_];
      e_node = e_number[ChipBits-1:0];
    end
  endtask

  vector_file #(.File("errors.mem"), .Lines(Events), .Width(32 + 32 + 2 * Width), .Ends(1)) i_file ();

  initial begin
    #1;  // at time 0 vector_file judges the file
    $readmemh("errors.mem", events);
    event_ = 0;
    failed = 1'b0;
    corrected = {Chips * Width{1'b0}};
    detected = {Chips * Width{1'b0}};
    next_event;
  end

  always @(posedge sample_i) begin
    while (e_cycle == cycle_i) begin
      if ((e_number < Chips) !== 1'b1) begin
        $display("FAIL errors.mem line=%0d node=%0d expected below %0d", event_ + 1, e_number, Chips);
        $stop;
      end
      corrected[e_node*Width+:Width] = e_corrected;
      detected[e_node*Width+:Width] = e_detected;
      event_ = event_ + 1;
      next_event;
    end
    if (corrected_i !== corrected || detected_i !== detected) mismatch;
  end

  task mismatch;
    for (n = 0; n < Chips; n = n + 1) begin
      if (!failed && (corrected_i[n*Width+:Width] !== corrected[n*Width+:Width] ||
                      detected_i[n*Width+:Width] !== detected[n*Width+:Width])) begin
        $display("FAIL cycle=%0d node=%0d port=- expected=corrected:%0d,detected:%0d got=corrected:%0d,detected:%0d", cycle_i, n,
                 corrected[n*Width+:Width], detected[n*Width+:Width], corrected_i[n*Width+:Width], detected_i[n*Width+:Width]);
        failed = 1'b1;
      end
    end
  endtask
endmodule

`default_nettype wire
