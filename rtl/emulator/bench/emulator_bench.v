// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Gives an emulator its clock, and compares every word of every memory where the hardware's own check reads it. Then it
// reads the serial line, a bit in Divider clock cycles: a report, which must say what the pins say, and the First words;
// the walk through the memories then jumps to the last Tail words. With vector_bench beside it, the clock waits before
// every tick until the network's outputs are compared. It prints how many clock cycles the run took,
// "HOST clocks=N cycles=M", M of them target cycles.
//
// With cut_i the run ends behind the last vector: neither the memories nor the line are compared, and no fault is planted.
//
// Behind a run without a mistake it resets the hardware for each fault that the hardware must report, by its pins and on
// the line. The run is not repeated, for the memories keep what they hold: all PEs halt, and the time is that of the
// last target cycle. The module around this one does it, and plants the faults, when these registers rise:
//
//   preset  all PEs are halted, in the last target cycle
//   jump    the walk is at the last Tail words
//   lose    a chip loses a flit at every tick, until it falls
//   invert  the highest bit of the last word but one changes, and the lowest bit of the last word; once more: they are right
//   wake    a PE other than the last has not halted
//
// Alone, it sees the ports only: it compares all words on the serial line, plants nothing, and ends the simulation with
// PASS or FAIL.
module emulator_bench #(
  parameter Word     = 32,
  parameter Nodes    = 1,
  parameter Words    = 1,               // of each PE
  parameter Divider  = 1,               // clock cycles of a bit on the serial line
  parameter First    = 1,               // words to read there: all, or as many and the last Tail words
  parameter Tail     = 1,               // at most Words
  parameter Wakes    = 0,               // 1: there is a PE that can be woken
  parameter Alone    = 0,
  parameter File     = "expected.mem",  // words of all PEs
  parameter Patience = 100000 + 64 * Nodes * Words  // clock cycles without a tick or a word before the bench gives up
) (
  output reg             clk_o,
  output reg             rst_o,
  input  wire            tick_i,        // the network's time advances at the next edge
  input  wire            vector_clk_i,  // it may
  output reg             settled_o,
  input  wire            compared_i,    // all vectors are compared, so that vector_clk_i rises no more
  input  wire            cut_i,         // the run has target cycles behind them
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
  input  wire            idle_i,        // all PEs, until the next tick
  input  wire            there_i,       // word_i is a word of a memory
  input  wire [Word-1:0] word_i,
  output reg             ended_o,
  output reg             wrong_o
);
  localparam All = Nodes * Words;
  localparam WrongAddress = (Words > 1) ? Words - 2 : 0;            // of the last node
  localparam [Word-1:0] Inverted = (Words > 1) ? {1'b1, {Word - 1{1'b0}}} : {{Word - 1{1'b0}}, 1'b1};
  localparam [1:0] None = 0, LostFlit = 1, WrongWord = 2, NotHalted = 3, LastFault = (Wakes != 0) ? NotHalted : WrongWord;

  reg [Word-1:0] expected[0:All-1];
  integer        clocks;   // since the reset
  integer        idle;     // clock cycles since the last tick or word
  integer        checked;  // words that the check has read
  reg            told;
  reg [1:0]      planted;
  reg            holds;    // the walk, until all PEs are idle
  reg            walks;    // the rest
  reg            preset, jump, invert, wake, lose;

  line_check #(.Word(Word), .All(All), .Divider(Divider), .First(First), .Tail(Tail)) i_line (
    .pass_i     (pass_i),
    .cycle_i    (cycle_i[31:0]),
    .halted_i   (halted_i),
    .collision_i(collision_i),
    .node_i     (node_i),
    .address_i  (address_i),
    .got_i      (got_i),
    .expected_i (expected_i),
    .serial_i   (serial_i)
  );

  initial begin
    $readmemh(File, expected);
    clk_o = 1'b0;
    settled_o = 1'b0;
    ended_o = 1'b0;
    wrong_o = 1'b0;
    lose = 1'b0;
    planted = None;
    begin_part;
    while (!ended_o) begin
      #2 {preset, jump, invert, wake} = 4'b0;
      if (tick_i === 1'b1 && !rst_o && planted == None) begin
        settled_o = 1'b1;
        if (!compared_i) @(posedge vector_clk_i or posedge compared_i);
        settled_o = 1'b0;
        idle = 0;
        if (compared_i && !cut_i) $display("FAIL cycle=%0d: the run has no such target cycle, but the network's time goes on", cycle_i);
        if (compared_i) {wrong_o, ended_o} = {wrong_o | !cut_i, 1'b1};
      end
      clk_o = 1'b1;
      clocks = clocks + 1;
      #2 clk_o = 1'b0;
      if (clocks == 3) plant;
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
  always @(negedge clk_o) rst_o <= clocks < 3;

  // The run, or a fault.
  task begin_part;
    begin
      told = 1'b0;
      holds = 1'b0;
      walks = 1'b0;
      clocks = 0;
      idle = 0;
      checked = 0;
      i_line.start;
    end
  endtask

  task plant;
    begin
      preset = planted != None;
      invert = planted == WrongWord || planted == NotHalted;
      lose = planted == LostFlit;
    end
  endtask

  // What the emulator shows between two edges.
  task look;
    begin
      i_line.listen(wrong_o);
      if (i_line.there) compare(i_line.at, i_line.word);
      if (i_line.jump) jump = 1'b1;
      if (i_line.wrong) {wrong_o, ended_o} = 2'b11;
      if (there_i === 1'b1 && !done_i && planted == None) begin
        compare(checked, word_i);
        checked = checked + 1;
      end
      if (planted != None && !walks) hold;
      if (done_i === 1'b1 && !told) begin
        told = 1'b1;
        if (planted != None) judge;
        else begin
          $display("HOST clocks=%0d cycles=%0d", clocks, cycle_i);
          if (Alone == 0 && checked != All) fail_words;
          if (pass_i !== 1'b1) refuse;
        end
      end
      if ((planted == None) ? i_line.ended : i_line.reported) end_part;
    end
  endtask

  // The walk begins, and waits at the last words: a PE that wakes before it is idle would execute instructions.
  task hold;
    begin
      if (there_i === 1'b1) holds = 1'b1;
      jump = holds;
      walks = holds & idle_i;
      wake = walks && planted == NotHalted;
    end
  endtask

  task end_part;
    begin
      ended_o = wrong_o || Alone != 0 || planted == LastFault;
      planted = planted + 1;
      begin_part;
    end
  endtask

  task fail_words;
    begin
      if (!wrong_o) $display("FAIL %0d words of %0d compared", checked, All);
      wrong_o = 1'b1;
    end
  endtask

  // The hardware must report the fault that is planted, and no other.
  task judge;
    reg as_planted;
    begin
      as_planted = {pass_i, mismatch_i, !halted_i, collision_i} === {1'b0, planted == WrongWord, planted == NotHalted, planted == LostFlit};
      if (planted == WrongWord) as_planted = as_planted && node_i === Nodes - 1 && address_i === WrongAddress &&
        expected_i === expected[All-Words+WrongAddress] && got_i === (expected_i ^ Inverted);
      if (!as_planted) begin
        $write("FAIL planted ");
        case (planted)
          LostFlit:  $write("a lost flit");
          WrongWord: $write("a wrong word at node=%0d address=%0d", Nodes - 1, WrongAddress);
          default:   $write("a PE that has not halted");
        endcase
        $display(", the hardware says pass=%b collision=%b mismatch=%b node=%0d address=%0d expected=%h got=%h",
          pass_i, collision_i, mismatch_i, node_i, address_i, expected_i, got_i);
        wrong_o = 1'b1;
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

  // The emulator's own check has failed. What the bench has said is not said again.
  task refuse;
    begin
      if (!wrong_o) begin
        if (collision_i !== 1'b0) $display("FAIL a flit was lost");
        else if (halted_i !== 1'b1) $display("FAIL a PE has not halted");
        else if (mismatch_i === 1'b1) $display("FAIL node=%0d address=%0d expected=%h got=%h, says the hardware", node_i, address_i, expected_i, got_i);
        else $display("FAIL a PE has not halted");
      end
      wrong_o = 1'b1;
    end
  endtask

  task compare(input integer at, input [Word-1:0] got);
    begin
      idle = 0;
      if (at < All && got !== expected[at] && !wrong_o) begin
        if (halted_i !== 1'b1) $display("FAIL a PE has not halted");
        else $display("FAIL node=%0d address=%0d expected=%h got=%h", at / Words, at % Words, expected[at], got);
        wrong_o = 1'b1;
      end
    end
  endtask
endmodule

`default_nettype wire
