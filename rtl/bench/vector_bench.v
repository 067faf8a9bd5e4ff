// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Drives the network in `top` with recorded flits and compares, in every cycle, every output (valid, fire, flit) and
// every buffer's occupancy with what was recorded. Ends with PASS, or at the first mismatch with FAIL and an error
// exit.
//
//   rising edge k          falling edge             just before rising edge k+1
//   registers change       drive flits of cycle k   compare cycle k
//
// Vectors, one number a line in rising order of cycles: stimuli.mem {cycle, channel, flit},
// events.mem {cycle, fired, output, flit}, levels.mem {cycle, buffer, occupancy}; each ends with a number whose cycle
// is all ones. outputs.mem {node, port} and buffers.mem {node, port, vc} give names to outputs and buffers.
module vector_bench #(
  parameter FlitWidth  = 40,
  parameter CountWidth = 3,
  parameter Channels   = 1,   // injection channels of all chips
  parameter Outputs    = 1,   // links, then ejection channels
  parameter Links      = 1,
  parameter Buffers    = 1,   // link buffers, then injection registers
  parameter Stimuli    = 1,   // numbers in each file, the last one included
  parameter Events     = 1,
  parameter Levels     = 1,
  parameter [31:0] Cycles = 1 // cycles to compare
);
  localparam LinkBuffers = Buffers - Channels;

  reg  clk;
  reg  rst;
  reg  [Channels-1:0]               inj_valid;
  reg  [Channels*FlitWidth-1:0]     inj_flit;
  wire [Channels-1:0]               inj_ready;
  wire [Outputs-1:0]                valid;
  wire [Outputs-1:0]                fire;
  wire [Outputs*FlitWidth-1:0]      flit;
  wire [LinkBuffers*CountWidth-1:0] count;
  wire                              collision;

  top i_top (
    .clk_i      (clk),
    .rst_i      (rst),
    .tick_i     (1'b1),
    .inj_valid_i(inj_valid),
    .inj_flit_i (inj_flit),
    .inj_ready_o(inj_ready),
    .valid_o    (valid),
    .fire_o     (fire),
    .flit_o     (flit),
    .count_o    (count),
    .collision_o(collision)
  );

  reg [32+32+FlitWidth-1:0]   stimuli [0:Stimuli-1];
  reg [32+1+31+FlitWidth-1:0] events  [0:Events-1];
  reg [32+32+CountWidth-1:0]  levels  [0:Levels-1];
  reg [63:0]                  outputs [0:Outputs-1];
  reg [95:0]                  buffers [0:Buffers-1];

  integer stimulus;
  integer event_;
  integer level_;
  integer i;
  integer delivered;
  integer log;
  reg     logging;
  reg     failed;
  reg [8*256-1:0]              log_name;
  reg [31:0]                   cycle;
  reg [31:0]                   last_delivery;
  reg [Outputs-1:0]            want_valid;
  reg [Outputs-1:0]            want_fire;
  reg [LinkBuffers*CountWidth-1:0] want_count;
  reg [Channels-1:0]           want_full;
  reg [32+32+FlitWidth-1:0]    s;
  reg [32+1+31+FlitWidth-1:0]  e;
  reg [32+32+CountWidth-1:0]   l;

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
    event_ = 0;
    level_ = 0;
    delivered = 0;
    failed = 1'b0;
    cycle = 0;
    last_delivery = 0;
    want_count = {LinkBuffers * CountWidth{1'b0}};
    want_full = {Channels{1'b0}};
    inj_valid = {Channels{1'b0}};
    inj_flit = {Channels * FlitWidth{1'b0}};
    clk = 1'b0;
    rst = 1'b1;
    #5 clk = 1'b1;
    #5 clk = 1'b0;
    rst = 1'b0;
    while (cycle < Cycles && !failed) begin
      drive;
      #4 compare;
      #1 clk = 1'b1;
      #5 clk = 1'b0;
      cycle = cycle + 1;
    end
    if (logging) $fclose(log);
    if (failed) $stop;
    else $display("PASS cycles=%0d flits=%0d", last_delivery + 1, delivered);
    $finish;
  end

  // Puts this cycle's flits on the injection channels.
  task drive;
    begin
      inj_valid = {Channels{1'b0}};
      s = stimuli[stimulus];
      while (s[32+FlitWidth+:32] == cycle) begin
        inj_valid[s[FlitWidth+:32]] = 1'b1;
        inj_flit[s[FlitWidth+:32]*FlitWidth+:FlitWidth] = s[FlitWidth-1:0];
        if (logging) $fwrite(log, "place %0d %0d %h\n", cycle, s[FlitWidth+:32], s[FlitWidth-1:0]);
        stimulus = stimulus + 1;
        s = stimuli[stimulus];
      end
    end
  endtask

  task compare;
    begin
      expect_levels;
      expect_events;
      if (valid !== want_valid) mismatch_of_outputs(1'b0);
      else if (fire !== want_fire) mismatch_of_outputs(1'b1);
      if (count !== want_count) mismatch_of_counts;
      if (~inj_ready !== want_full) mismatch_of_registers;
      if ((inj_valid & ~inj_ready) != {Channels{1'b0}}) begin
        for (i = 0; i < Channels; i = i + 1) begin
          if (inj_valid[i] && !inj_ready[i]) fail_at_buffer(LinkBuffers + i, 0, 1);
        end
      end
      if (collision !== 1'b0 && !failed) begin
        $display("FAIL cycle=%0d node=? port=? expected=no-collision got=collision", cycle);
        failed = 1'b1;
      end
    end
  endtask

  task expect_levels;
    begin
      l = levels[level_];
      while (l[32+CountWidth+:32] == cycle) begin
        if (l[CountWidth+:32] < LinkBuffers) want_count[l[CountWidth+:32]*CountWidth+:CountWidth] = l[CountWidth-1:0];
        else want_full[l[CountWidth+:32]-LinkBuffers] = l[0];
        level_ = level_ + 1;
        l = levels[level_];
      end
    end
  endtask

  // Compares the flits of this cycle and collects which outputs should show one.
  task expect_events;
    begin
      want_valid = {Outputs{1'b0}};
      want_fire = {Outputs{1'b0}};
      e = events[event_];
      while (e[32+FlitWidth+:32] == cycle) begin
        want_valid[e[FlitWidth+:31]] = 1'b1;
        want_fire[e[FlitWidth+:31]] = e[31+FlitWidth];
        if (valid[e[FlitWidth+:31]] === 1'b1) compare_flit(e[FlitWidth+:31], e[FlitWidth-1:0]);
        if (e[31+FlitWidth] && e[FlitWidth+:31] >= Links) begin
          delivered = delivered + 1;
          last_delivery = cycle;
        end
        event_ = event_ + 1;
        e = events[event_];
      end
    end
  endtask

  task compare_flit(input [30:0] at, input [FlitWidth-1:0] want);
    begin
      if (flit[at*FlitWidth+:FlitWidth] !== want && !failed) begin
        $display("FAIL cycle=%0d node=%0d port=%0d expected=%h got=%h", cycle, outputs[at][63:32], outputs[at][31:0],
                 want, flit[at*FlitWidth+:FlitWidth]);
        failed = 1'b1;
      end
      if (logging) $fwrite(log, "show %0d %0d %b %h\n", cycle, at, fire[at], flit[at*FlitWidth+:FlitWidth]);
    end
  endtask

  task mismatch_of_outputs(input of_fire);
    begin
      for (i = 0; i < Outputs; i = i + 1) begin
        if (!failed && (of_fire ? fire[i] !== want_fire[i] : valid[i] !== want_valid[i])) begin
          if (of_fire)
            $display("FAIL cycle=%0d node=%0d port=%0d expected=fire:%b got=fire:%b", cycle, outputs[i][63:32],
                     outputs[i][31:0], want_fire[i], fire[i]);
          else
            $display("FAIL cycle=%0d node=%0d port=%0d expected=valid:%b got=valid:%b", cycle, outputs[i][63:32],
                     outputs[i][31:0], want_valid[i], valid[i]);
          failed = 1'b1;
        end
      end
    end
  endtask

  task mismatch_of_counts;
    begin
      for (i = 0; i < LinkBuffers; i = i + 1) begin
        if (count[i*CountWidth+:CountWidth] !== want_count[i*CountWidth+:CountWidth])
          fail_at_buffer(i, {{32 - CountWidth{1'b0}}, want_count[i*CountWidth+:CountWidth]},
                         {{32 - CountWidth{1'b0}}, count[i*CountWidth+:CountWidth]});
      end
    end
  endtask

  task mismatch_of_registers;
    begin
      for (i = 0; i < Channels; i = i + 1) begin
        if (~inj_ready[i] !== want_full[i]) fail_at_buffer(LinkBuffers + i, {31'b0, want_full[i]}, {31'b0, ~inj_ready[i]});
      end
    end
  endtask

  task fail_at_buffer(input integer at, input [31:0] want, input [31:0] got);
    begin
      if (!failed)
        $display("FAIL cycle=%0d node=%0d port=%0d vc=%0d expected=flits:%0d got=flits:%0d", cycle, buffers[at][95:64],
                 buffers[at][63:32], buffers[at][31:0], want, got);
      failed = 1'b1;
    end
  endtask
endmodule

`default_nettype wire
