// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of vector_bench that compares what links and ejection channels show. events.mem has one number a line in rising
// order of cycles: {cycle, fired, output, flit}; the last number has a cycle that is all ones. outputs.mem {node, port}
// gives names to the outputs.
module output_check #(
  parameter FlitWidth   = 40,
  parameter Channels    = 1,   // ejection channels of all chips
  parameter Outputs     = 1,   // links, then ejection channels
  parameter Links       = 1,
  parameter Events      = 1,   // numbers in the file, the last one included
  parameter KindAt      = 34,  // lowest bit of the kind in a head; kind 0 is data
  parameter HeadAt      = 37,  // the bit that marks a head
  parameter [31:0] Rest = 1,   // cycles from the last ejection to the end of the run
  parameter [31:0] Run  = 1    // cycles in which flits count
);
  localparam ChannelBits = (Channels > 1) ? $clog2(Channels) : 1;
  localparam OutputBits = (Outputs > 1) ? $clog2(Outputs) : 1;

  // What the network shows, written from outside before compare.
  reg [Outputs-1:0]   valid;
  reg [Outputs-1:0]   fire;
  reg [FlitWidth-1:0] flit [0:Outputs-1];  // kept while not valid

  reg [32+1+31+FlitWidth-1:0] events  [0:Events-1];
  reg [63:0]                  outputs [0:Outputs-1];
  integer                     event_;
  integer                     log;         // 0: none
  integer                     delivered;   // flits
  reg [31:0]                  done;        // when the last flit of data had been delivered
  reg [31:0]                  quiet;       // when the last flit of any kind had been
  reg [Channels-1:0]          control;     // the message that leaves is a control word, as its head said
  reg [Outputs-1:0]           want_valid;
  reg [Outputs-1:0]           want_fire;
  reg [31:0]                  now;
  reg                         failed;      // a mismatch has been told
  reg [31:0]                  e_cycle;
  reg                         e_fired;
  reg [30:0]                  e_number;
  reg [FlitWidth-1:0]         e_flit;
  reg [OutputBits-1:0]        e_output;
  reg [ChannelBits-1:0]       e_channel;

  vector_file #(.File("events.mem"), .Lines(Events), .Width(32 + 1 + 31 + FlitWidth), .Ends(1)) i_events ();
  vector_file #(.File("outputs.mem"), .Lines(Outputs), .Width(64)) i_names ();

  // Reads the files, and goes to the events of a cycle.
  task start(input [31:0] cycle, input integer log_file);
    begin
      $readmemh("events.mem", events);
      $readmemh("outputs.mem", outputs);
      log = log_file;
      delivered = 0;
      done = 0;
      quiet = 0;
      control = {Channels{1'b0}};
      event_ = 0;
      next_event;
      while (e_cycle < cycle) begin
        event_ = event_ + 1;
        next_event;
      end
    end
  endtask

  task next_event;
    begin
      {e_cycle, e_fired, e_number, e_flit} = events[event_];
      e_output = e_number[OutputBits-1:0];
    end
  endtask

  // Compares a cycle, and tells its first mismatch unless one has been told before.
  task compare(input [31:0] cycle, input told);
    begin
      now = cycle;
      failed = told;
      compare_flits;
      if (valid !== want_valid) mismatch(1'b0);
      else if (fire !== want_fire) mismatch(1'b1);
    end
  endtask

  // Compares the flits of this cycle and collects which outputs should show one.
  task compare_flits;
    begin
      want_valid = {Outputs{1'b0}};
      want_fire = {Outputs{1'b0}};
      while (e_cycle == now) begin
        if (({1'b0, e_number} < Outputs) !== 1'b1) refuse_output;
        want_valid[e_output] = 1'b1;
        want_fire[e_output] = e_fired;
        if (valid[e_output] === 1'b1) compare_flit;
        if (e_fired && {1'b0, e_number} >= Links && now < Run) count_flit;
        event_ = event_ + 1;
        next_event;
      end
      if ((e_cycle > now) !== 1'b1) refuse_cycle;
    end
  endtask

  // A line that no export has. The low bits of its number alone would name another output.
  task refuse_output;
    begin
      $display("FAIL events.mem line=%0d output=%0d expected below %0d", event_ + 1, e_number, Outputs);
      $stop;
    end
  endtask

  task refuse_cycle;
    begin
      $display("FAIL events.mem line=%0d cycle=%0d expected above %0d", event_ + 1, e_cycle, now);
      $stop;
    end
  endtask

  task compare_flit;
    begin
      if (flit[e_output] !== e_flit && !failed) begin
        {node, port} = outputs[e_output];
        $display("FAIL cycle=%0d node=%0d port=%0d expected=%h got=%h", now, node, port, e_flit, flit[e_output]);
        failed = 1'b1;
      end
      if (log != 0) $fwrite(log, "show %0d %0d %b %h\n", now, e_number, fire[e_output], flit[e_output]);
    end
  endtask

  // A flit that a PE takes.
  task count_flit;
    begin
      delivered = delivered + 1;
      quiet = now + Rest;
      e_channel = e_number[ChannelBits-1:0] - Links[ChannelBits-1:0];
      if (e_flit[HeadAt]) control[e_channel] = e_flit[KindAt+:2] != 2'b00;
      if (!control[e_channel]) done = quiet;
    end
  endtask

  integer    i;
  reg [31:0] node;
  reg [31:0] port;
  task mismatch(input of_fire);
    for (i = 0; i < Outputs && !failed; i = i + 1) begin
      if (of_fire ? fire[i[OutputBits-1:0]] !== want_fire[i[OutputBits-1:0]]
                  : valid[i[OutputBits-1:0]] !== want_valid[i[OutputBits-1:0]]) begin
        {node, port} = outputs[i[OutputBits-1:0]];
        if (of_fire)
          $display("FAIL cycle=%0d node=%0d port=%0d expected=fire:%b got=fire:%b", now, node, port,
                   want_fire[i[OutputBits-1:0]], fire[i[OutputBits-1:0]]);
        else
          $display("FAIL cycle=%0d node=%0d port=%0d expected=valid:%b got=valid:%b", now, node, port,
                   want_valid[i[OutputBits-1:0]], valid[i[OutputBits-1:0]]);
        failed = 1'b1;
      end
    end
  endtask
endmodule

`default_nettype wire
