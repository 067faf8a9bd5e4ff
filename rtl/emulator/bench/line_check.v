// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Reads the serial line of an emulator, a bit in Divider clock cycles: a report, which must say what the pins say, and
// words. The bench around it calls listen in every clock cycle, and compares the words: "there" says that a word has come,
// word number "at" of all memories. Behind the First words "jump" asks for the last Tail ones.
module line_check #(
  parameter Word    = 32,
  parameter All     = 1,   // words of all PEs
  parameter Divider = 1,
  parameter First   = 1,   // words to read: all, or as many and the last Tail words
  parameter Tail    = 1
) (
  input wire            pass_i,
  input wire [31:0]     cycle_i,
  input wire            halted_i,
  input wire            collision_i,
  input wire [31:0]     node_i,
  input wire [31:0]     address_i,
  input wire [Word-1:0] got_i,
  input wire [Word-1:0] expected_i,
  input wire            serial_i
);
  localparam Number      = (Word > 32) ? Word : 32;  // bits of a word in the report
  localparam ReportBytes = 14 + Number / 4;
  localparam Bytes       = ReportBytes + ((First == All) ? All : First + Tail) * Word / 8;

  // Of the clock cycle for which listen was called last:
  reg            wrong;     // once it is, it stays
  reg            there;
  reg            jump;
  reg            reported;  // the report has come, or more
  reg            ended;     // all bytes have
  integer        at;
  reg [Word-1:0] word;

  integer        number;    // of the next word
  integer        bytes;     // that came
  integer        moment;    // clock cycles of the byte, 0: no byte
  reg            level;     // of the bit
  reg [7:0]      data;

  // The report as read_out sends it: what the pins say, and what came.
  wire [Number-1:0]        first = {{Number - Word{1'b0}}, got_i};
  wire [Number-1:0]        wanted = {{Number - Word{1'b0}}, expected_i};
  wire [7:0]               flags = {6'b0, !halted_i, collision_i};
  wire [8*ReportBytes-1:0] pins = {pass_i ? "P" : "F", cycle_i, flags, node_i, address_i, first, wanted};
  reg  [8*ReportBytes-1:0] report;

  initial wrong = 1'b0;

  // A report begins.
  task start;
    begin
      {there, jump, reported, ended} = 4'b0;
      number = 0;
      bytes = 0;
      moment = 0;
    end
  endtask

  // A clock cycle of the line: a start bit 0, eight bits, a stop bit 1. Only the first mistake of a bench is printed.
  task listen(input quiet);
    begin
      {there, jump} = 2'b0;
      if (moment != 0 || serial_i !== 1'b1) begin
        if (moment % Divider == 0) begin
          level = serial_i;
          if (moment < 9 * Divider) data = {level, data[7:1]};
        end
        if (serial_i !== level || (moment == 0 && level !== 1'b0) || (moment == 9 * Divider && level !== 1'b1)) begin
          if (!quiet && !wrong) $display("FAIL byte=%0d bit=%0d on the serial line, expected a start bit 0, eight bits and a stop bit 1 of %0d clock cycles each", bytes, moment / Divider, Divider);
          wrong = 1'b1;
        end
        moment = moment + 1;
        if (moment == 10 * Divider) begin
          moment = 0;
          take(quiet);
        end
      end
    end
  endtask

  task take(input quiet);
    begin
      bytes = bytes + 1;
      if (bytes <= ReportBytes) report = {report[8*ReportBytes-9:0], data};
      if (bytes == ReportBytes && report !== pins) begin
        if (!quiet && !wrong) $display("FAIL the report says %h, the pins %h", report, pins);
        wrong = 1'b1;
      end
      if (bytes > ReportBytes) begin
        word = (word << 8) | {{Word - 8{1'b0}}, data};
        there = (bytes - ReportBytes) % (Word / 8) == 0;
      end
      if (there) begin
        at = number;
        number = number + 1;
        jump = number == First && First != All;
        if (jump) number = All - Tail;
      end
      reported = bytes >= ReportBytes;
      ended = bytes == Bytes;
    end
  endtask
endmodule

`default_nettype wire
