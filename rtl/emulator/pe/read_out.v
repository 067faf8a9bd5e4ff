// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Sends the report of a run and then all words of all memories, node by node, the highest byte of a number first:
//
//   "P" or "F", cycles (4 bytes), 1: a flit was lost or 2: a PE has not halted (sum, 1 byte),
//   first wrong word: node (4), address (4), got (4), expected (4); then Word/8 bytes a word
//
// Words of
// more than 32 bits take as many bytes in the report, too.
module read_out #(
  parameter Word         = 32,
  parameter CycleWidth   = 32,
  parameter AddressWidth = 8,
  parameter NodeWidth    = 2
) (
  input  wire                    clk_i,
  input  wire                    rst_i,
  input  wire                    done_i,        // report
  input  wire                    pass_i,
  input  wire                    lost_i,
  input  wire                    halted_i,
  input  wire [CycleWidth-1:0]   cycle_i,
  input  wire [NodeWidth-1:0]    node_i,
  input  wire [AddressWidth-1:0] address_i,
  input  wire [Word-1:0]         got_i,
  input  wire [Word-1:0]         expected_i,
  output wire                    begin_o,       // the walk through the memories
  output wire                    next_o,
  input  wire                    valid_i,
  input  wire                    last_i,
  input  wire [Word-1:0]         word_i,
  output wire                    send_o,
  output wire [7:0]              byte_o,
  input  wire                    ready_i
);
  localparam Number = (Word > 32) ? Word : 32;  // bits of a word in the report
  localparam ReportBytes = 14 + Number / 4;
  localparam WordBytes = Word / 8;
  localparam CountWidth = $clog2(ReportBytes);
  localparam BeforeReportBytes = ReportBytes - 1;
  localparam [CountWidth-1:0] LastOfReport = BeforeReportBytes[CountWidth-1:0];
  localparam BeforeWordBytes = WordBytes - 1;
  localparam [CountWidth-1:0] LastOfWord = BeforeWordBytes[CountWidth-1:0];
  localparam [1:0] Waits = 0, Reports = 1, Walks = 2, Ended = 3;

  reg [1:0] state_q;
  reg [CountWidth-1:0] count_q;  // of the byte in the report or the word
  wire      sent = send_o & ready_i;
  wire      last = count_q == ((state_q == Reports) ? LastOfReport : LastOfWord);
  assign send_o  = (state_q == Reports) | ((state_q == Walks) & valid_i);
  assign begin_o = (state_q == Reports) & sent & last;
  assign next_o  = (state_q == Walks) & sent & last;

  wire [7:0]  first = pass_i ? "P" : "F";
  wire [7:0]  flags = {6'b0, !halted_i, lost_i};
  wire [31:0] cycle    = {{32 - CycleWidth{1'b0}}, cycle_i};
  wire [31:0] node     = {{32 - NodeWidth{1'b0}}, node_i};
  wire [31:0] address  = {{32 - AddressWidth{1'b0}}, address_i};
  wire [Number-1:0] got      = {{Number - Word{1'b0}}, got_i};
  wire [Number-1:0] expected = {{Number - Word{1'b0}}, expected_i};
  wire [8*ReportBytes-1:0] report = {first, cycle, flags, node, address, got, expected};
  assign byte_o = (state_q == Reports) ? report[(LastOfReport-count_q)*8+:8] : word_i[(LastOfWord-count_q)*8+:8];

  always @(posedge clk_i) begin
    if (rst_i) state_q <= Waits;
    else if ((state_q == Waits) & done_i) state_q <= Reports;
    else if (begin_o) state_q <= Walks;
    else if (next_o & last_i) state_q <= Ended;
  end
  always @(posedge clk_i) begin
    if (rst_i | (sent & last)) count_q <= {CountWidth{1'b0}};
    else if (sent) count_q <= count_q + 1'b1;
  end
endmodule
