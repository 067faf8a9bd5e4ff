// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Drives a network with recorded flits and compares, in every cycle, every output (valid, fire, flit) and every
// buffer's occupancy with what was recorded. Ends with PASS, or at the first mismatch with FAIL and an error exit. PASS
// tells when the last flit of data had been delivered, how many flits of any kind were, and when the last of these had
// been, unless that is the same cycle: "PASS cycles=N flits=M quiet=Q". "cut=C" follows if the vectors of the run end before
// cycle C though the run went on. A stress phase behind the run is compared, too; its cycles stand behind the figures of the
// run: "stress=S"; and then the faults that were planted and found, "planted=F".
//
//   rising edge k          falling edge             just before rising edge k+1
//   registers change       drive flits of cycle k   sample: the module around this one copies what the outputs show
//                                                   into i_outputs and i_buffers; then compare cycle k
//
//   stimuli.mem -> [i_stimuli] -> network -> [i_outputs] <- events.mem
//                                         -> [i_buffers] <- levels.mem
//
// This module is the clock and calls the tasks of its parts. The parts describe their vector files: one number a line in
// rising order of cycles, and at the end a number whose cycle is all ones. A file that is missing, or shorter than the
// parameters say, ends the bench with FAIL and the file's name.
//
// +first=A and +last=B compare cycles A to B-1 only, and stress=S counts those; A is 0, or the cycle behind one of reset. "last=B"
// at the end says that there are more; no fault is planted then. With +beyond=N it goes on for N
// cycles behind the first mismatch, for waveforms.
//
// With +log=FILE it writes what it sees, cycle by cycle, in lines of words with a blank between them:
//
//   reset CYCLE                    the chips are reset, in the stress phase
//   place CYCLE CHANNEL FLIT       the PE offers the flit on an injection channel
//   show CYCLE OUTPUT FIRED FLIT   an output that should offer a flit offers this one; it crosses if FIRED is 1
//   hold CYCLE CHANNEL             the injection register still holds its flit
//
// OUTPUT counts the lines of outputs.mem, from 0: links, then ejection channels. CHANNEL counts the injection channels of all
// chips: channel 0 belongs to the PE of output Links. FLIT has hexadecimal digits, as in the files of vectors.
module vector_bench #(
  parameter FlitWidth  = 40,
  parameter CountWidth = 3,
  parameter Chips      = 1,
  parameter Channels   = 1,   // injection channels of all chips
  parameter Outputs    = 1,   // links, then ejection channels
  parameter Links      = 1,
  parameter Buffers    = 1,   // link buffers, then injection registers
  parameter Stimuli    = 1,   // numbers in each file, the last one included
  parameter Events     = 1,
  parameter Levels     = 1,
  parameter KindAt     = 34,  // lowest bit of the kind in a head; kind 0 is data
  parameter HeadAt     = 37,  // the bit that marks a head
  parameter [31:0] Rest   = 1, // cycles from the last ejection to the end of the run
  parameter [31:0] Run    = 1, // cycles of the run
  parameter [31:0] Cycles = 1, // cycles to compare, stress included
  parameter Cut        = 0,   // 1: the run went on behind its last cycle to compare
  parameter Planted    = 0     // faults planted behind the run, of which ended_i and wrong_i tell
) (
  output reg                           clk_o,
  output wire                          rst_o,
  output wire [Channels-1:0]           inj_valid_o,
  output wire [Channels*FlitWidth-1:0] inj_flit_o,
  input  wire [Channels-1:0]           inj_ready_i,
  input  wire [Chips-1:0]              collision_i,
  input  wire                          settled_i,    // what the network shows in this cycle is there
  output reg                           compared_o,   // all cycles are as recorded
  output wire                          cut_o,        // by +last: there are cycles behind the last one to compare
  input  wire                          ended_i,      // what is checked behind the last cycle is there,
  input  wire                          wrong_i       // and it is wrong
);
  reg          drive;
  reg          sample;
  reg          failed;
  reg          stopped;     // nothing behind this cycle is compared
  reg [31:0]   cycle;
  reg [31:0]   last;        // cycle behind the last one to compare
  reg [31:0]   beyond;      // cycles to go on
  integer      log;         // 0: none
  reg [8*256-1:0] log_name;

  assign cut_o = last < Cycles;

  vector_stimuli #(.FlitWidth(FlitWidth), .Channels(Channels), .Stimuli(Stimuli)) i_stimuli (
    .drive_i    (drive),
    .rst_o      (rst_o),
    .inj_valid_o(inj_valid_o),
    .inj_flit_o (inj_flit_o)
  );

  output_check #(
    .FlitWidth(FlitWidth),
    .Channels (Channels),
    .Outputs  (Outputs),
    .Links    (Links),
    .Events   (Events),
    .KindAt   (KindAt),
    .HeadAt   (HeadAt),
    .Rest     (Rest),
    .Run      (Run)
  ) i_outputs ();

  buffer_check #(
    .CountWidth(CountWidth),
    .Chips     (Chips),
    .Channels  (Channels),
    .Buffers   (Buffers),
    .Levels    (Levels)
  ) i_buffers (
    .inj_ready_i(inj_ready_i),
    .collision_i(collision_i)
  );

  initial begin
    if (!$value$plusargs("first=%d", cycle)) cycle = 0;
    if (!$value$plusargs("last=%d", last)) last = Cycles;
    if ((last >= 1 && last <= Cycles) !== 1'b1) begin
      $display("FAIL last=%0d (expected 1 to %0d)", last, Cycles);
      $stop;
    end
    if (!$value$plusargs("beyond=%d", beyond)) beyond = 0;
    log = 0;
    if ($value$plusargs("log=%s", log_name)) log = $fopen(log_name, "w");
    #1;                         // at time 0 every vector_file judges its file
    i_stimuli.start(cycle, log);
    i_outputs.start(cycle, log);
    i_buffers.start(cycle, log);
    failed = 1'b0;
  end

  // The network sees the clock and what non-blocking assignments change, nothing else: Verilator then compiles its logic
  // once, for one region of the schedule.
  initial begin
    clk_o = 1'b0;
    drive = 1'b0;
    sample = 1'b0;
    #5 clk_o = 1'b1;
    #5 clk_o = 1'b0;
    stopped = 1'b0;
    compared_o = 1'b0;
    while (cycle < last && !stopped) begin
      i_stimuli.collect(cycle);
      drive = 1'b1;
      #3 wait (settled_i);
      sample = 1'b1;
      #1 compare;
      drive = 1'b0;
      sample = 1'b0;
      stopped = failed && beyond == 0;
      if (failed) beyond = beyond - 1;
      #1;                       // waves show this cycle
      if (!stopped) begin
        clk_o = 1'b1;
        #5 clk_o = 1'b0;
        cycle = cycle + 1;
      end
    end
    if (log != 0) $fclose(log);
    compared_o = !failed;
    if (!failed) wait (ended_i);
    if (failed | wrong_i) $stop;
    else begin
      $write("PASS cycles=%0d flits=%0d", i_outputs.done, i_outputs.delivered);
      if (i_outputs.quiet != i_outputs.done) $write(" quiet=%0d", i_outputs.quiet);
      if (Cut != 0) $write(" cut=%0d", Run);
      if (last > Run) $write(" stress=%0d", last - Run);
      if (cut_o) $write(" last=%0d", last);
      else if (Planted != 0) $write(" planted=%0d", Planted);
      $display;
    end
    $finish;
  end

  task compare;
    if (i_stimuli.resetting) i_buffers.clear;
    else begin
      i_outputs.compare(cycle, failed);
      i_buffers.compare(cycle, i_stimuli.next_valid, i_outputs.failed);
      failed = i_buffers.failed;
    end
  endtask
endmodule

`default_nettype wire
