// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of vector_bench that drives the network. stimuli.mem has one number a line in rising order of cycles:
// {cycle, channel, flit}; the last number has a cycle that is all ones. A channel that is all ones is a cycle of reset.
// A channel that is not valid any more shows the complement of its last flit, so that nobody relies on it.
module vector_stimuli #(
  parameter FlitWidth  = 40,
  parameter Channels   = 1,   // injection channels of all chips
  parameter Stimuli    = 1    // numbers in the file, the last one included
) (
  input  wire                          drive_i,  // rises behind collect
  output reg                           rst_o,
  output reg  [Channels-1:0]           inj_valid_o,
  output reg  [Channels*FlitWidth-1:0] inj_flit_o
);
  localparam ChannelBits = (Channels > 1) ? $clog2(Channels) : 1;
  localparam [31:0] Reset = 32'hffffffff;

  reg [32+32+FlitWidth-1:0]    stimuli [0:Stimuli-1];
  integer                      stimulus;
  integer                      shown;       // the first stimulus of the cycle before
  integer                      log;         // 0: none
  reg [31:0]                   s_cycle;
  reg [31:0]                   s_number;
  reg [FlitWidth-1:0]          s_flit;
  reg [ChannelBits-1:0]        s_channel;
  reg                          resetting;
  reg [Channels-1:0]           next_valid;
  reg [Channels*FlitWidth-1:0] next_flit;

  initial rst_o = 1'b1;

  vector_file #(.File("stimuli.mem"), .Lines(Stimuli), .Width(32 + 32 + FlitWidth), .Ends(1)) i_file ();

  // Reads the file, and goes to the stimuli of a cycle.
  task start(input [31:0] cycle, input integer log_file);
    begin
      $readmemh("stimuli.mem", stimuli);
      log = log_file;
      stimulus = 0;
      next_stimulus;
      while (s_cycle < cycle) begin
        stimulus = stimulus + 1;
        next_stimulus;
      end
      shown = stimulus;
    end
  endtask

  task next_stimulus;
    begin
      {s_cycle, s_number, s_flit} = stimuli[stimulus];
      s_channel = s_number[ChannelBits-1:0];
    end
  endtask

  // Takes the stimuli of a cycle, for the next rise of drive_i.
  task collect(input [31:0] cycle);
    begin
      next_valid = {Channels{1'b0}};
      resetting = 1'b0;
      hide_shown;
      while (s_cycle == cycle) begin
        if (s_number == Reset) reset(cycle);
        else if ((s_number < Channels) !== 1'b1) refuse_channel;
        else place(cycle);
        stimulus = stimulus + 1;
        next_stimulus;
      end
      if ((s_cycle > cycle) !== 1'b1) refuse_cycle(cycle);
    end
  endtask

  task reset(input [31:0] cycle);
    begin
      resetting = 1'b1;
      if (log != 0) $fwrite(log, "reset %0d\n", cycle);
    end
  endtask

  task place(input [31:0] cycle);
    begin
      next_valid[s_channel] = 1'b1;
      next_flit[s_channel*FlitWidth+:FlitWidth] = s_flit;
      if (log != 0) $fwrite(log, "place %0d %0d %h\n", cycle, s_number, s_flit);
    end
  endtask

  // A line that no export has. The low bits of its number alone would name another channel.
  task refuse_channel;
    begin
      $display("FAIL stimuli.mem line=%0d channel=%0d expected below %0d", stimulus + 1, s_number, Channels);
      $stop;
    end
  endtask

  task refuse_cycle(input [31:0] cycle);
    begin
      $display("FAIL stimuli.mem line=%0d cycle=%0d expected above %0d", stimulus + 1, s_cycle, cycle);
      $stop;
    end
  endtask

  reg [31:0]          h_number;
  reg [FlitWidth-1:0] h_flit;
  task hide_shown;
    while (shown < stimulus) begin
      {h_number, h_flit} = stimuli[shown][32+FlitWidth-1:0];
      if (h_number != Reset) next_flit[h_number[ChannelBits-1:0]*FlitWidth+:FlitWidth] = ~h_flit;
      shown = shown + 1;
    end
  endtask

  // Puts this cycle's flits on the injection channels.
  always @(posedge drive_i) begin
    rst_o       <= resetting;
    inj_valid_o <= next_valid;
    if ((next_valid | inj_valid_o) != {Channels{1'b0}}) inj_flit_o <= next_flit;
  end
endmodule

`default_nettype wire
