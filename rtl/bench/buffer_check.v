// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of vector_bench that compares how full buffers and injection registers are, and which chips report a collision.
// levels.mem has one number a line in rising order of cycles: {cycle, buffer, occupancy}; the last number has a cycle that
// is all ones. A level stays until the next one of its buffer; in a cycle of reset all buffers become empty. A level of a
// buffer behind the last one, Buffers + chip, is a flit that the chip loses in this cycle. buffers.mem {node, port, vc} gives
// names to the buffers.
module buffer_check #(
  parameter CountWidth = 3,
  parameter Chips      = 1,
  parameter Channels   = 1,   // injection registers of all chips
  parameter Buffers    = 1,   // link buffers, then injection registers
  parameter Levels     = 1    // numbers in the file, the last one included
) (
  input wire [Channels-1:0] inj_ready_i,
  input wire [Chips-1:0]    collision_i
);
  localparam LinkBuffers = Buffers - Channels;
  localparam ChannelBits = (Channels > 1) ? $clog2(Channels) : 1;
  localparam BufferBits = (Buffers > 1) ? $clog2(Buffers) : 1;

  // What the network shows besides its ports, written from outside before compare.
  reg [LinkBuffers*CountWidth-1:0] count;

  reg [32+32+CountWidth-1:0]       levels  [0:Levels-1];
  reg [95:0]                       buffers [0:Buffers-1];
  integer                          level_;
  integer                          log;     // 0: none
  reg [LinkBuffers*CountWidth-1:0] want_count;
  reg [Channels-1:0]               want_full;
  reg [Chips-1:0]                  want_lost;
  reg [31:0]                       now;
  reg                              failed;  // a mismatch has been told
  reg [31:0]                       l_cycle;
  reg [31:0]                       l_buffer;
  reg [CountWidth-1:0]             l_count;

  vector_file #(.File("levels.mem"), .Lines(Levels), .Width(32 + 32 + CountWidth), .Ends(1)) i_levels ();
  vector_file #(.File("buffers.mem"), .Lines(Buffers), .Width(96)) i_names ();

  // Reads the files, and goes to the levels of a cycle before which all buffers are empty.
  task start(input [31:0] cycle, input integer log_file);
    begin
      $readmemh("levels.mem", levels);
      $readmemh("buffers.mem", buffers);
      log = log_file;
      clear;
      level_ = 0;
      next_level;
      while (l_cycle < cycle) begin
        level_ = level_ + 1;
        next_level;
      end
    end
  endtask

  task next_level;
    {l_cycle, l_buffer, l_count} = levels[level_];
  endtask

  // A cycle of reset.
  task clear;
    begin
      want_count = {LinkBuffers * CountWidth{1'b0}};
      want_full = {Channels{1'b0}};
    end
  endtask

  // Compares a cycle in which PEs offer flits on channels, and tells its first mismatch unless one has been told before.
  task compare(input [31:0] cycle, input [Channels-1:0] offered, input told);
    begin
      now = cycle;
      failed = told;
      expect_levels;
      if (count !== want_count) mismatch_of_counts;
      if (~inj_ready_i !== want_full) mismatch_of_registers;
      if ((offered & ~inj_ready_i) != {Channels{1'b0}}) refused(offered);
      if (log != 0 && want_full != {Channels{1'b0}}) log_registers;
      if (collision_i !== want_lost) mismatch_of_losses;
    end
  endtask

  task expect_levels;
    begin
      want_lost = {Chips{1'b0}};
      while (l_cycle == now) begin
        if (l_buffer < LinkBuffers) want_count[l_buffer*CountWidth+:CountWidth] = l_count;
        else if ((l_buffer < Buffers + Chips) !== 1'b1) refuse_buffer;
        else if ((l_count >> 1) != {CountWidth{1'b0}}) refuse_level;
        else if (l_buffer < Buffers) want_full[l_buffer-LinkBuffers] = l_count[0];
        else want_lost[l_buffer-Buffers] = l_count[0];
        level_ = level_ + 1;
        next_level;
      end
      if ((l_cycle > now) !== 1'b1) refuse_cycle;
    end
  endtask

  // A line that no export has.
  task refuse_buffer;
    begin
      $display("FAIL levels.mem line=%0d buffer=%0d expected below %0d", level_ + 1, l_buffer, Buffers + Chips);
      $stop;
    end
  endtask

  // An injection register holds a flit or none; a chip loses one or none.
  task refuse_level;
    begin
      $display("FAIL levels.mem line=%0d occupancy=%0d expected 0 or 1", level_ + 1, l_count);
      $stop;
    end
  endtask

  task refuse_cycle;
    begin
      $display("FAIL levels.mem line=%0d cycle=%0d expected above %0d", level_ + 1, l_cycle, now);
      $stop;
    end
  endtask

  integer i;
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

  // A flit was offered to a channel that is not ready.
  task refused(input [Channels-1:0] offered);
    for (i = 0; i < Channels && !failed; i = i + 1) begin
      if (offered[i[ChannelBits-1:0]] && !inj_ready_i[i[ChannelBits-1:0]])
        fail_at_buffer(LinkBuffers[BufferBits-1:0] + i[BufferBits-1:0], 0, 1);
    end
  endtask

  reg [31:0] node;
  reg [31:0] port;
  reg [31:0] vc;
  task fail_at_buffer(input [BufferBits-1:0] at, input [31:0] want, input [31:0] got);
    begin
      {node, port, vc} = buffers[at];
      if (!failed)
        $display("FAIL cycle=%0d node=%0d port=%0d vc=%0d expected=flits:%0d got=flits:%0d", now, node, port, vc,
                 want, got);
      failed = 1'b1;
    end
  endtask

  task mismatch_of_losses;
    for (i = 0; i < Chips && !failed; i = i + 1) begin
      if (collision_i[i] !== want_lost[i]) begin
        if (want_lost[i]) $display("FAIL cycle=%0d node=%0d port=- expected=collision got=no-collision", now, i);
        else $display("FAIL cycle=%0d node=%0d port=- expected=no-collision got=collision", now, i);
        failed = 1'b1;
      end
    end
  endtask

  task log_registers;
    for (i = 0; i < Channels; i = i + 1) begin
      if (!inj_ready_i[i[ChannelBits-1:0]]) $fwrite(log, "hold %0d %0d\n", now, i);
    end
  endtask
endmodule

`default_nettype wire
