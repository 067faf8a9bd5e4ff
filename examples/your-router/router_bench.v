// SPDX-License-Identifier: Apache-2.0
// A cycle is 10 ns. Delays of a router that has a scale of its own are short beside it.
`timescale 1ns/1ns
`default_nettype none

// Sends the messages of a schedule through router_mesh and compares what arrives. +schedule=FILE is a file that meshwright wrote
// with --schedule; message_table reads it. Flits are sent as soon as the network takes them, the
// first one not before the cycle of dispatch. The messages of a node go one after another, in the order of the file.
//
//   rising edge k          falling edge                just before rising edge k+1
//   registers change       offer flits, draw ready     count the flits that go over, and compare what arrives
//
// PEs take flits in 3 cycles of 4 at random, and now and then none for 32 cycles, to fill buffers. +seed=S draws other cycles.
// Ends with PASS, or with FAIL and an error exit. The network has failed, too, if no flit goes to or from a PE for Limit
// cycles while one is owed; lines "holds:" then name the links and PEs that offer a flit which nobody takes. Behind the last flit the bench waits for Limit cycles: nothing more may come. The cycles of PASS are
// those until the last flit. +wave=FILE writes a waveform of the whole run.
module router_bench #(
  parameter Columns   = 2,
  parameter Rows      = 2,
  parameter Width     = 32,  // at least 32, the bits of the header
  parameter LinkWidth = 34,
  parameter Limit     = 300,
  parameter InOrder   = 1,   // 0: messages with the same source and destination may overtake each other
  parameter Stable    = 1,   // 0: a flit that is offered may change or go away until it is taken
  parameter Minimal   = 0    // 1: no flit may cross more links than lie between its source and its destination
);
  localparam Nodes = Columns * Rows;
  localparam None  = -1;

  reg                    clk;
  reg                    rst;
  reg  [Nodes-1:0]       in_valid;
  wire [Nodes-1:0]       in_ready;
  reg  [Nodes-1:0]       in_head;
  reg  [Nodes-1:0]       in_tail;
  reg  [Nodes*Width-1:0] in_data;
  wire [Nodes-1:0]       out_valid;
  reg  [Nodes-1:0]       out_ready;
  wire [Nodes-1:0]       out_head;
  wire [Nodes-1:0]       out_tail;
  wire [Nodes*Width-1:0] out_data;
  integer                cycle;
  integer                asked;     // the link that tells what it holds, or None
  wire [4*Nodes-1:0]     crossing;

  router_mesh #(.Columns(Columns), .Rows(Rows), .Width(Width), .LinkWidth(LinkWidth), .Stable(Stable)) i_mesh (
    .clk_i     (clk),
    .rst_i     (rst),
    .cycle_i   (cycle),
    .asked_i   (asked),
    .crossing_o(crossing),
    .pe_valid_i(in_valid),
    .pe_ready_o(in_ready),
    .pe_head_i (in_head),
    .pe_tail_i (in_tail),
    .pe_data_i (in_data),
    .pe_valid_o(out_valid),
    .pe_ready_i(out_ready),
    .pe_head_o (out_head),
    .pe_tail_o (out_tail),
    .pe_data_o (out_data)
  );

  message_table #(.Nodes(Nodes), .Width(Width)) i_table ();
  router_report #(.Columns(Columns), .Width(Width)) i_report ();

  // What the PEs do, by node.
  integer sending  [0:Nodes-1];  // a row
  integer sent     [0:Nodes-1];  // flits of it, the head included
  integer coming   [0:Nodes-1];  // the row of the message that comes, or None
  integer received [0:Nodes-1];  // flits of it, the head included
  integer pause    [0:Nodes-1];  // cycles in which the PE takes nothing
  integer since    [0:Nodes-1];  // the cycle from which on the PE has offered its flit
  reg     arrived  [0:65535];  // by row, of which 16 bits of a head tell
  integer latest   [0:Nodes*Nodes-1];  // the last row that came, by destination and source

  integer    last, done, n;  // last: the cycle of the last flit to or from a PE
  integer    crossed;  // links that flits crossed
  reg [31:0] random;  // $random differs between simulators

  // Draws another number (xorshift).
  task draw;
    begin
      random = random ^ (random << 13);
      random = random ^ (random >> 17);
      random = random ^ (random << 5);
    end
  endtask

  // Drives the inputs of a node.
  task drive(input integer node);
    begin
      if (!in_valid[node]) since[node] = cycle;
      in_valid[node] = sending[node] != None && cycle >= i_table.dispatch[sending[node]];
      in_head[node] = in_valid[node] && sent[node] == 0;
      in_tail[node] = in_valid[node] && sent[node] == i_table.length[sending[node]];
      if (!in_valid[node]) in_data[node*Width +: Width] = {Width{1'b0}};
      else if (in_head[node]) in_data[node*Width +: Width] = i_table.header(sending[node]);
      else in_data[node*Width +: Width] = i_table.payload(sending[node], sent[node]);
      draw;
      if (pause[node] > 0) pause[node] = pause[node] - 1;
      else if (random[7:0] == 8'd0) pause[node] = 32;
      out_ready[node] = pause[node] == 0 && random[9:8] != 2'd0;
    end
  endtask

  // Counts a flit that leaves the PE.
  task send(input integer node);
    begin
      last = cycle;
      since[node] = cycle + 1;
      sent[node] = sent[node] + 1;
      if (in_tail[node]) begin
        sending[node] = i_table.following[sending[node]];
        sent[node] = 0;
      end
    end
  endtask

  // Compares a flit that arrives.
  reg [Width-1:0] data;
  integer         row, k;
  task receive(input integer node);
    begin
      last = cycle;
      data = out_data[node*Width +: Width];
      row = coming[node];
      if (row == None) begin
        row = {16'd0, data[31:16]};
        if (out_head[node] !== 1'b1) i_report.fail("body without a head", node, None);
        else if ((^data) === 1'bx || row >= i_table.messages) i_report.fail("unknown message", node, None);
        else if (data !== i_table.header(row)) i_report.fail_bits("header changed", node, row, 0, i_table.header(row), data);
        else if (i_table.destination[row] != node) i_report.fail_destination(node, row);
        else if (arrived[row]) i_report.fail("message a second time", node, row);
        else if (InOrder != 0 && latest[node*Nodes+i_table.source[row]] > row) i_report.fail("message overtaken", node, row);
        received[node] = 0;
      end else if (out_head[node] !== 1'b0) i_report.fail("head inside a message", node, row);
      else if (data !== i_table.payload(row, received[node])) i_report.fail_bits("data changed", node, row, received[node], i_table.payload(row, received[node]), data);
      if (out_tail[node] !== (received[node] == i_table.length[row])) i_report.fail_length(node, row, received[node] + 1);
      coming[node] = row;
      received[node] = received[node] + 1;
      if (out_tail[node]) begin
        coming[node] = None;
        arrived[row] = 1'b1;
        latest[node*Nodes+i_table.source[row]] = row;
        done = done + 1;
      end
    end
  endtask

  // Names the first message that has not come, and what waits.
  task stalled;
    begin
      row = 0;
      while (arrived[row]) row = row + 1;
      i_report.blame(i_table.destination[row], row);
      $display(" message does not arrive; last flit in cycle %0d", last);
      for (n = 0; n < Nodes; n = n + 1) begin
        for (k = 0; k < 5; k = k + 1) begin
          asked = 5 * n + k;
          #1;
        end
        if (in_valid[n] && !in_ready[n])
          $display("holds: node=%0d from the PE message=%0d flit=%0d since cycle=%0d", n, i_table.name[sending[n]], sent[n], since[n]);
      end
      $stop;
    end
  endtask

  reg [8*1024-1:0] path;
  task begin_wave;
    if ($value$plusargs("wave=%s", path)) begin
      $dumpfile(path);
      $dumpvars(1, router_bench);
      $dumpvars(0, i_mesh);
    end
  endtask

  initial begin
    i_report.failed = 1'b0;
    asked = None;
    cycle = 0;
    crossed = 0;
    begin_wave;
    if (Width < 32 || Columns > 16 || Rows > 16) begin
      $display("FAIL Width=%0d Columns=%0d Rows=%0d expected Width of at least 32, at most 16 columns and 16 rows", Width, Columns, Rows);
      $stop;
    end
    if (!$value$plusargs("seed=%d", random)) random = 32'd1;
    if ((^random) === 1'bx) begin
      $display("FAIL seed=%0d expected a number", random);
      $stop;
    end
    random = random ^ 32'h2545f491;
    if (random == 32'd0) random = 32'd1;  // draw stays at 0
    clk = 1'b0;
    rst = 1'b1;
    in_valid = {Nodes{1'b0}};
    in_head = {Nodes{1'b0}};
    in_tail = {Nodes{1'b0}};
    in_data = {Nodes*Width{1'b0}};
    out_ready = {Nodes{1'b0}};
    i_table.read;
    for (n = 0; n < i_table.messages; n = n + 1) arrived[n] = 1'b0;
    for (n = 0; n < Nodes; n = n + 1) begin
      sending[n] = i_table.first[n];
      sent[n] = 0;
      coming[n] = None;
      received[n] = 0;
      pause[n] = 0;
      since[n] = 0;
    end
    for (n = 0; n < Nodes * Nodes; n = n + 1) latest[n] = None;
    done = 0;
    last = 0;
    repeat (4) begin
      #5 clk = 1'b1;
      #5 clk = 1'b0;
    end
    rst = 1'b0;
    for (cycle = 0; done < i_table.messages || cycle - last < Limit; cycle = cycle + 1) begin
      for (n = 0; n < Nodes; n = n + 1) drive(n);
      #4;
      for (n = 0; n < Nodes; n = n + 1) begin
        if (out_valid[n] & out_ready[n]) receive(n);
        if (in_valid[n] & in_ready[n]) send(n);
        if (sending[n] != None && cycle < i_table.dispatch[sending[n]]) last = cycle;  // the message is not late
      end
      if (Minimal != 0) for (n = 0; n < 4 * Nodes; n = n + 1) crossed = crossed + crossing[n];
      if (done < i_table.messages && cycle - last > Limit) stalled;
      #1 clk = 1'b1;
      #5 clk = 1'b0;
    end
    if (Minimal != 0) i_report.judge_detours(crossed);
    $display("PASS messages=%0d flits=%0d cycles=%0d", i_table.messages, i_table.flits, last + 1);
    $finish;
  end
endmodule
