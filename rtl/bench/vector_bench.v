// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Drives a network with recorded flits and compares, in every cycle, every output (valid, fire, flit) and every
// buffer's occupancy with what was recorded. Ends with PASS, or at the first mismatch with FAIL and an error exit. PASS
// tells when the last flit of data had been delivered, how many flits of any kind were, and when the last of these had
// been, unless that is the same cycle: "PASS cycles=N flits=M quiet=Q". A stress phase behind the run is compared, too;
// its cycles stand behind the figures of the run: "stress=S".
//
//   rising edge k          falling edge             just before rising edge k+1
//   registers change       drive flits of cycle k   sample: the module around this one copies what the outputs show
//                                                   into valid, fire, flit and count; then compare cycle k
//
// Vectors, one number a line in rising order of cycles: stimuli.mem {cycle, channel, flit},
// events.mem {cycle, fired, output, flit}, levels.mem {cycle, buffer, occupancy}; each ends with a number whose cycle
// is all ones. A stimulus for a channel that is all ones is a cycle of reset, in which nothing is compared; then all
// buffers are empty. A level of a buffer behind the last one, Buffers + chip, is a flit that the chip loses in this cycle.
// outputs.mem {node, port} and buffers.mem {node, port, vc} give names to outputs and buffers.
//
// +first=A and +last=B compare cycles A to B-1 only; A is 0, or the cycle behind one of reset. With +beyond=N it goes on for N
// cycles behind the first mismatch, for waveforms. With +log=FILE it writes
// what it sees: "place CYCLE CHANNEL FLIT" (offered by the PE), "show CYCLE OUTPUT FIRED FLIT" and "hold CYCLE CHANNEL"
// (still in its injection register). A channel that is not valid any more shows the complement of its last flit, so that
// nobody relies on it.
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
  parameter [31:0] Cycles = 1  // cycles to compare, stress included
) (
  output reg                           clk_o,
  output reg                           rst_o,
  output reg  [Channels-1:0]           inj_valid_o,
  output reg  [Channels*FlitWidth-1:0] inj_flit_o,
  input  wire [Channels-1:0]           inj_ready_i,
  input  wire [Chips-1:0]              collision_i,
  input  wire                          settled_i,    // what the network shows in this cycle is there
  input  wire                          ended_i,      // so is what is checked behind the last cycle,
  input  wire                          wrong_i       // and it is wrong
);
  localparam LinkBuffers = Buffers - Channels;
  localparam ChannelBits = (Channels > 1) ? $clog2(Channels) : 1;
  localparam OutputBits = (Outputs > 1) ? $clog2(Outputs) : 1;
  localparam BufferBits = (Buffers > 1) ? $clog2(Buffers) : 1;

  // What the network shows, written from outside at the rising edge of sample.
  reg                              sample;
  reg [Outputs-1:0]                valid;
  reg [Outputs-1:0]                fire;
  reg [FlitWidth-1:0]              flit [0:Outputs-1];  // kept while not valid
  reg [LinkBuffers*CountWidth-1:0] count;

  reg [32+32+FlitWidth-1:0]   stimuli [0:Stimuli-1];
  reg [32+1+31+FlitWidth-1:0] events  [0:Events-1];
  reg [32+32+CountWidth-1:0]  levels  [0:Levels-1];
  reg [63:0]                  outputs [0:Outputs-1];
  reg [95:0]                  buffers [0:Buffers-1];

  reg     drive;
  integer stimulus;
  integer shown;     // the first stimulus of the cycle before
  integer event_;
  integer level_;
  integer delivered;
  integer log;
  reg     logging;
  reg     failed;
  reg [8*256-1:0]                  log_name;
  reg [31:0]                       cycle;
  reg [31:0]                       last;        // cycle behind the last one to compare
  reg [31:0]                       beyond;      // cycles to go on behind a mismatch
  reg [31:0]                       done;        // when the last flit of data had been delivered
  reg [31:0]                       quiet;       // when the last flit of any kind had been
  reg [Channels-1:0]               next_valid;
  reg [Channels*FlitWidth-1:0]     next_flit;
  reg [Outputs-1:0]                want_valid;
  reg [Outputs-1:0]                want_fire;
  reg [LinkBuffers*CountWidth-1:0] want_count;
  reg [Channels-1:0]               want_full;
  reg [Channels-1:0]               control;     // the message that leaves is a control word, as its head said
  reg [Chips-1:0]                  want_lost;
  reg                              resetting;

  initial begin
    $readmemh("stimuli.mem", stimuli);
    $readmemh("events.mem", events);
    $readmemh("levels.mem", levels);
    $readmemh("outputs.mem", outputs);
    $readmemh("buffers.mem", buffers);
    logging = 1'b0;
    if ($value$plusargs("log=%s", log_name)) begin
      log = $fopen(log_name, "w");
      logging = 1'b1;
    end
    stimulus = 0;
    shown = 0;
    event_ = 0;
    level_ = 0;
    delivered = 0;
    failed = 1'b0;
    done = 0;
    quiet = 0;
    want_count = {LinkBuffers * CountWidth{1'b0}};
    want_full = {Channels{1'b0}};
    control = {Channels{1'b0}};
    next_stimulus;
    next_event;
    next_level;
    if (!$value$plusargs("first=%d", cycle)) cycle = 0;
    if (!$value$plusargs("last=%d", last)) last = Cycles;
    if (!$value$plusargs("beyond=%d", beyond)) beyond = 0;
    while (s_cycle < cycle) begin
      stimulus = stimulus + 1;
      shown = stimulus;
      next_stimulus;
    end
    while (e_cycle < cycle) begin
      event_ = event_ + 1;
      next_event;
    end
    while (l_cycle < cycle) begin
      level_ = level_ + 1;
      next_level;
    end
  end

  // The network sees the clock and what non-blocking assignments change, nothing else: Verilator then compiles its logic
  // once, for one region of the schedule.
  initial rst_o = 1'b1;
  initial begin
    clk_o = 1'b0;
    drive = 1'b0;
    sample = 1'b0;
    #5 clk_o = 1'b1;
    #5 clk_o = 1'b0;
    while (cycle < last && (!failed || beyond != 0)) begin
      collect_stimuli;
      drive = 1'b1;
      #3 wait (settled_i);
      sample = 1'b1;
      #1 compare;
      drive = 1'b0;
      sample = 1'b0;
      if (failed && beyond != 0) beyond = beyond - 1;
      if (!failed || beyond != 0) begin
        #1 clk_o = 1'b1;
        #5 clk_o = 1'b0;
        cycle = cycle + 1;
      end
    end
    if (logging) $fclose(log);
    if (!failed) wait (ended_i);
    if (failed | wrong_i) $stop;
    else begin
      $write("PASS cycles=%0d flits=%0d", done, delivered);
      if (quiet != done) $write(" quiet=%0d", quiet);
      if (Cycles != Run) $write(" stress=%0d", Cycles - Run);
      $display;
    end
    $finish;
  end

  // Puts this cycle's flits on the injection channels.
  always @(posedge drive) begin
    rst_o       <= resetting;
    inj_valid_o <= next_valid;
    if ((next_valid | inj_valid_o) != {Channels{1'b0}}) inj_flit_o <= next_flit;
  end

  reg [31:0]            s_cycle;
  reg [31:0]            s_number;
  reg [FlitWidth-1:0]   s_flit;
  reg [ChannelBits-1:0] s_channel;
  task next_stimulus;
    begin
      {s_cycle, s_number, s_flit} = stimuli[stimulus];
      s_channel = s_number[ChannelBits-1:0];
    end
  endtask

  task collect_stimuli;
    begin
      next_valid = {Channels{1'b0}};
      resetting = 1'b0;
      hide_shown;
      while (s_cycle == cycle) begin
        if (s_number == 32'hffffffff) resetting = 1'b1;
        else begin
          next_valid[s_channel] = 1'b1;
          next_flit[s_channel*FlitWidth+:FlitWidth] = s_flit;
        end
        if (logging && cycle < Run) $fwrite(log, "place %0d %0d %h\n", cycle, s_number, s_flit);
        stimulus = stimulus + 1;
        next_stimulus;
      end
    end
  endtask

  reg [31:0]          h_number;
  reg [FlitWidth-1:0] h_flit;
  task hide_shown;
    while (shown < stimulus) begin
      {h_number, h_flit} = stimuli[shown][32+FlitWidth-1:0];
      if (h_number != 32'hffffffff) next_flit[h_number[ChannelBits-1:0]*FlitWidth+:FlitWidth] = ~h_flit;
      shown = shown + 1;
    end
  endtask

  reg [31:0]            e_cycle;
  reg                  e_fired;
  reg [30:0]           e_number;
  reg [FlitWidth-1:0]  e_flit;
  reg [OutputBits-1:0] e_output;
  reg [ChannelBits-1:0] e_channel;
  task next_event;
    begin
      {e_cycle, e_fired, e_number, e_flit} = events[event_];
      e_output = e_number[OutputBits-1:0];
    end
  endtask

  reg [31:0]           l_cycle;
  reg [31:0]           l_buffer;
  reg [CountWidth-1:0] l_count;
  task next_level;
    {l_cycle, l_buffer, l_count} = levels[level_];
  endtask

  task compare;
    if (resetting) begin
      want_count = {LinkBuffers * CountWidth{1'b0}};
      want_full = {Channels{1'b0}};
    end else begin
      expect_levels;
      expect_events;
      if (valid !== want_valid) mismatch_of_outputs(1'b0);
      else if (fire !== want_fire) mismatch_of_outputs(1'b1);
      if (count !== want_count) mismatch_of_counts;
      if (~inj_ready_i !== want_full) mismatch_of_registers;
      if ((next_valid & ~inj_ready_i) != {Channels{1'b0}}) refused;
      if (logging && cycle < Run && want_full != {Channels{1'b0}}) log_registers;
      if (collision_i !== want_lost) mismatch_of_losses;
    end
  endtask

  task mismatch_of_losses;
    for (i = 0; i < Chips && !failed; i = i + 1) begin
      if (collision_i[i] !== want_lost[i]) begin
        if (want_lost[i]) $display("FAIL cycle=%0d node=%0d port=- expected=collision got=no-collision", cycle, i);
        else $display("FAIL cycle=%0d node=%0d port=- expected=no-collision got=collision", cycle, i);
        failed = 1'b1;
      end
    end
  endtask

  task expect_levels;
    begin
      want_lost = {Chips{1'b0}};
      while (l_cycle == cycle) begin
        if (l_buffer < LinkBuffers) want_count[l_buffer*CountWidth+:CountWidth] = l_count;
        else if (l_buffer < Buffers) want_full[l_buffer-LinkBuffers] = l_count[0];
        else want_lost[l_buffer-Buffers] = 1'b1;
        level_ = level_ + 1;
        next_level;
      end
    end
  endtask

  // Compares the flits of this cycle and collects which outputs should show one.
  task expect_events;
    begin
      want_valid = {Outputs{1'b0}};
      want_fire = {Outputs{1'b0}};
      while (e_cycle == cycle) begin
        want_valid[e_output] = 1'b1;
        want_fire[e_output] = e_fired;
        if (valid[e_output] === 1'b1) compare_flit;
        if (e_fired && {1'b0, e_number} >= Links && cycle < Run) begin
          delivered = delivered + 1;
          quiet = cycle + Rest;
          e_channel = e_number[ChannelBits-1:0] - Links[ChannelBits-1:0];
          if (e_flit[HeadAt]) control[e_channel] = e_flit[KindAt+:2] != 2'b00;
          if (!control[e_channel]) done = quiet;
        end
        event_ = event_ + 1;
        next_event;
      end
    end
  endtask

  task compare_flit;
    begin
      if (flit[e_output] !== e_flit && !failed) begin
        {node, port} = outputs[e_output];
        $display("FAIL cycle=%0d node=%0d port=%0d expected=%h got=%h", cycle, node, port, e_flit, flit[e_output]);
        failed = 1'b1;
      end
      if (logging && cycle < Run) $fwrite(log, "show %0d %0d %b %h\n", cycle, e_number, fire[e_output], flit[e_output]);
    end
  endtask

  integer    i;
  reg [31:0] node;
  reg [31:0] port;
  reg [31:0] vc;
  task mismatch_of_outputs(input of_fire);
    for (i = 0; i < Outputs && !failed; i = i + 1) begin
      if (of_fire ? fire[i[OutputBits-1:0]] !== want_fire[i[OutputBits-1:0]]
                  : valid[i[OutputBits-1:0]] !== want_valid[i[OutputBits-1:0]]) begin
        {node, port} = outputs[i[OutputBits-1:0]];
        if (of_fire)
          $display("FAIL cycle=%0d node=%0d port=%0d expected=fire:%b got=fire:%b", cycle, node, port,
                   want_fire[i[OutputBits-1:0]], fire[i[OutputBits-1:0]]);
        else
          $display("FAIL cycle=%0d node=%0d port=%0d expected=valid:%b got=valid:%b", cycle, node, port,
                   want_valid[i[OutputBits-1:0]], valid[i[OutputBits-1:0]]);
        failed = 1'b1;
      end
    end
  endtask

  task mismatch_of_counts;
    for (i = 0; i < LinkBuffers && !failed; i = i + 1) begin
      if (count[i*CountWidth+:CountWidth] !== want_count[i*CountWidth+:CountWidth])
        fail_at_buffer(i[BufferBits-1:0], {{32 - CountWidth{1'b0}}, want_count[i*CountWidth+:CountWidth]},
                       {{32 - CountWidth{1'b0}}, count[i*CountWidth+:CountWidth]});
    end
  endtask

  task mismatch_of_registers;
    for (i = 0; i < Channels && !failed; i = i + 1) begin
      if (~inj_ready_i[i[ChannelBits-1:0]] !== want_full[i[ChannelBits-1:0]])
        fail_at_buffer(LinkBuffers[BufferBits-1:0] + i[BufferBits-1:0], {31'b0, want_full[i[ChannelBits-1:0]]},
                       {31'b0, ~inj_ready_i[i[ChannelBits-1:0]]});
    end
  endtask

  task log_registers;
    for (i = 0; i < Channels; i = i + 1) begin
      if (!inj_ready_i[i[ChannelBits-1:0]]) $fwrite(log, "hold %0d %0d\n", cycle, i);
    end
  endtask

  // A flit was offered to a channel that is not ready.
  task refused;
    for (i = 0; i < Channels && !failed; i = i + 1) begin
      if (next_valid[i[ChannelBits-1:0]] && !inj_ready_i[i[ChannelBits-1:0]])
        fail_at_buffer(LinkBuffers[BufferBits-1:0] + i[BufferBits-1:0], 0, 1);
    end
  endtask

  task fail_at_buffer(input [BufferBits-1:0] at, input [31:0] want, input [31:0] got);
    begin
      {node, port, vc} = buffers[at];
      if (!failed)
        $display("FAIL cycle=%0d node=%0d port=%0d vc=%0d expected=flits:%0d got=flits:%0d", cycle, node, port, vc,
                 want, got);
      failed = 1'b1;
    end
  endtask
endmodule

`default_nettype wire
