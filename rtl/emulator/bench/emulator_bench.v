// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Gives an emulator its clock, and compares every word of every memory at the end: as the serial line sends them, behind a
// report that must say what the pins say, or where the hardware's own check reads them. With vector_bench beside it, the clock waits before every tick until the
// network's outputs are compared. Alone, it ends the simulation with PASS or FAIL. It prints how many clock cycles
// the run took, "HOST clocks=N cycles=M", M of them target cycles.
module emulator_bench #(
  parameter Word     = 32,
  parameter Nodes    = 1,
  parameter Words    = 1,               // of each PE
  parameter Serial   = 1,               // 1: read the serial line, with a Divider of 1
  parameter Alone    = 0,
  parameter File     = "expected.mem",  // words of all PEs
  parameter Patience = 100000 + 64 * Nodes * Words  // clock cycles without a tick or a word before the bench gives up
) (
  output reg             clk_o,
  output reg             rst_o,
  input  wire            tick_i,        // the network's time advances at the next edge
  input  wire            vector_clk_i,  // it may
  output reg             settled_o,
  input  wire            done_i,
  input  wire            pass_i,
  input  wire [63:0]     cycle_i,
  input  wire            halted_i,      // all PEs
  input  wire            collision_i,   // why it does not pass
  input  wire            mismatch_i,
  input  wire [31:0]     node_i,
  input  wire [31:0]     address_i,
  input  wire [Word-1:0] got_i,
  input  wire [Word-1:0] expected_i,
  input  wire            serial_i,
  input  wire            there_i,       // word_i is a word of a memory
  input  wire [Word-1:0] word_i,
  output reg             ended_o,
  output reg             wrong_o
);
  localparam All = Nodes * Words;
  localparam Number = (Word > 32) ? Word : 32;  // bits of a word in the report
  localparam ReportBytes = 14 + Number / 4;

  reg [Word-1:0] expected[0:All-1];
  integer        clocks;
  integer        idle;     // clock cycles since the last tick or word
  integer        number;   // of the word
  integer        bytes;    // that came
  integer        bits;     // of the byte, 0: no byte
  reg [7:0]      data;
  reg [Word-1:0] word;
  reg            told;

  // The report as read_out sends it: what the pins say, and what came.
  wire [Number-1:0]        first = {{Number - Word{1'b0}}, got_i};
  wire [Number-1:0]        wanted = {{Number - Word{1'b0}}, expected_i};
  wire [7:0]               flags = {6'b0, !halted_i, collision_i};
  wire [8*ReportBytes-1:0] pins = {pass_i ? "P" : "F", cycle_i[31:0], flags, node_i, address_i, first, wanted};
  reg  [8*ReportBytes-1:0] report;

  initial begin
    $readmemh(File, expected);
    clk_o = 1'b0;
    settled_o = 1'b0;
    ended_o = 1'b0;
    wrong_o = 1'b0;
    told = 1'b0;
    clocks = 0;
    idle = 0;
    number = 0;
    bytes = 0;
    bits = 0;
    while (!ended_o) begin
      #2;
      if (tick_i === 1'b1 && !rst_o) begin
        settled_o = 1'b1;
        @(posedge vector_clk_i);
        settled_o = 1'b0;
        idle = 0;
      end
      clk_o = 1'b1;
      clocks = clocks + 1;
      #2 clk_o = 1'b0;
      if (clocks > 3) look;
      idle = idle + 1;
      if (idle > Patience) give_up;
    end
    if (Alone != 0) begin
      if (wrong_o) $stop;
      else $display("PASS words=%0d", All);
      $finish;
    end
  end

  initial rst_o = 1'b1;
  always @(negedge clk_o) if (clocks == 3) rst_o <= 1'b0;

  // What the emulator shows between two edges.
  task look;
    begin
      if (Serial != 0) listen;
      else if (there_i === 1'b1 && !done_i) compare(word_i);
      if (done_i === 1'b1 && !told) begin
        told = 1'b1;
        $display("HOST clocks=%0d cycles=%0d", clocks, cycle_i);
        if (pass_i !== 1'b1) refuse;
      end
      if (told && (Serial == 0 || bytes == ReportBytes + All * Word / 8)) begin
        if (number != All && !wrong_o) begin
          $display("FAIL %0d words of %0d compared", number, All);
          wrong_o = 1'b1;
        end
        ended_o = 1'b1;
      end
    end
  endtask

  task give_up;
    begin
      $display("FAIL no target cycle and no word of a memory for %0d clock cycles", Patience);
      $stop;
    end
  endtask

  // The emulator's own check has failed.
  task refuse;
    begin
      if (collision_i !== 1'b0) $display("FAIL a flit was lost");
      else if (halted_i !== 1'b1) $display("FAIL a PE has not halted");
      else if (mismatch_i === 1'b1) $display("FAIL node=%0d address=%0d expected=%h got=%h, says the hardware", node_i, address_i, expected_i, got_i);
      else $display("FAIL a PE has not halted");
      wrong_o = 1'b1;
    end
  endtask

  task listen;
    begin
      if (bits == 0) begin
        if (serial_i === 1'b0) bits = 1;
      end else if (bits < 9) begin
        data = {serial_i, data[7:1]};
        bits = bits + 1;
      end else begin
        bits = 0;
        take;
      end
    end
  endtask

  task take;
    begin
      bytes = bytes + 1;
      if (bytes <= ReportBytes) report = {report[8*ReportBytes-9:0], data};
      if (bytes == ReportBytes && report !== pins && !wrong_o) begin
        $display("FAIL the report says %h, the pins %h", report, pins);
        wrong_o = 1'b1;
      end
      if (bytes > ReportBytes) begin
        word = (word << 8) | {{Word - 8{1'b0}}, data};
        if ((bytes - ReportBytes) % (Word / 8) == 0) compare(word);
      end
    end
  endtask

  task compare(input [Word-1:0] got);
    begin
      idle = 0;
      if (number < All && got !== expected[number] && !wrong_o) begin
        if (halted_i !== 1'b1) $display("FAIL a PE has not halted");
        else $display("FAIL node=%0d address=%0d expected=%h got=%h", number / Words, number % Words, expected[number], got);
        wrong_o = 1'b1;
      end
      number = number + 1;
    end
  endtask
endmodule

`default_nettype wire
