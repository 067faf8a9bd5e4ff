// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Sends frames between all PEs through their streams, with pauses at the senders and back-pressure at the receivers, and
// demands that every frame arrives once, whole and unchanged. With Ordered the frames of a pair of nodes must
// arrive in the order of sending. Frames for the sender itself, or for a node that does not exist, must be dropped, and
// reported at their sender. Ends with "PASS frames=N beats=B dropped=D cycles=C", or at the first difference with FAIL.
//
//   rising edge       registers change
//   falling edge      drive: senders whose beat has gone offer the next one, receivers choose to be ready
//   before the next   judge: what the streams show, and what goes over
//   rising edge
//
//   [i_senders] tx -> network -> rx [i_receivers]
//
// +frames=N sends another number of frames, +seed=S others.
module frame_bench #(
  parameter Nodes     = 4,
  parameter NodeWidth = 2,
  parameter TagWidth  = 8,
  parameter Width     = 32,
  parameter Ordered   = 1,
  parameter Beats     = 8,      // of the longest frame
  parameter Frames    = 10000,
  parameter Patience  = 20000   // cycles without a beat before the bench gives up
) (
  output reg                        clk_o,
  output reg                        rst_o,
  output wire [Nodes-1:0]           tx_valid_o,
  input  wire [Nodes-1:0]           tx_ready_i,
  output wire [Nodes*Width-1:0]     tx_data_o,
  output wire [Nodes-1:0]           tx_last_o,
  output wire [Nodes*NodeWidth-1:0] tx_destination_o,
  output wire [Nodes*TagWidth-1:0]  tx_tag_o,
  input  wire [Nodes-1:0]           dropped_i,
  input  wire [Nodes-1:0]           rx_valid_i,
  output wire [Nodes-1:0]           rx_ready_o,
  input  wire [Nodes*Width-1:0]     rx_data_i,
  input  wire [Nodes-1:0]           rx_last_i,
  input  wire [Nodes*NodeWidth-1:0] rx_source_i,
  input  wire [Nodes*TagWidth-1:0]  rx_tag_i
);
  integer         frames;      // to send
  integer         cycle;
  integer         quiet;       // cycles since the last beat of any stream
  integer         beats;       // taken before this cycle
  integer         n;
  integer         s;
  reg             done;
  reg [31:0]      seed;
  reg [Nodes-1:0] gone;        // senders whose beat has gone over
  integer         dropped [0:Nodes-1];  // frames, as the network reports them

  frame_senders #(.Nodes(Nodes), .NodeWidth(NodeWidth), .TagWidth(TagWidth), .Width(Width), .Beats(Beats)) i_senders (
    .tx_valid_o      (tx_valid_o),
    .tx_data_o       (tx_data_o),
    .tx_last_o       (tx_last_o),
    .tx_destination_o(tx_destination_o),
    .tx_tag_o        (tx_tag_o)
  );

  frame_receivers #(
    .Nodes    (Nodes),
    .NodeWidth(NodeWidth),
    .TagWidth (TagWidth),
    .Width    (Width),
    .Ordered  (Ordered),
    .Beats    (Beats)
  ) i_receivers (
    .rx_valid_i (rx_valid_i),
    .rx_ready_o (rx_ready_o),
    .rx_data_i  (rx_data_i),
    .rx_last_i  (rx_last_i),
    .rx_source_i(rx_source_i),
    .rx_tag_i   (rx_tag_i)
  );

  frame_contents #(.Nodes(Nodes), .TagWidth(TagWidth), .Width(Width), .Beats(Beats)) i_frame ();

  task start;
    begin
      frames = Frames;
      seed = 32'd1;
      if ($value$plusargs("frames=%d", frames)) begin end
      if ($value$plusargs("seed=%d", seed)) begin end
      if ((frames >= 1) !== 1'b1 || (^seed) === 1'bx) begin
        $display("FAIL frames=%0d seed=%0d (expected frames from 1 on, and numbers)", frames, seed);
        $stop;
      end
      i_senders.start(frames, i_frame.mixed(seed) | 32'd1);
      i_receivers.start(i_frame.mixed(seed + 1) | 32'd1);
      for (n = 0; n < Nodes; n = n + 1) dropped[n] = 0;
      cycle = 0;
      quiet = 0;
      gone = {Nodes{1'b0}};
      done = 1'b0;
    end
  endtask

  task drive;
    for (n = 0; n < Nodes; n = n + 1) begin
      if (!tx_valid_o[n] || gone[n]) begin
        i_senders.offer(n);
        if (i_senders.began) i_receivers.expect_frame(n, i_senders.to[n], i_senders.number[n]);
      end
      i_receivers.choose_ready(n);
    end
  endtask

  task judge;
    begin
      gone = tx_valid_o & tx_ready_i;
      beats = i_receivers.beats;
      i_receivers.judge(cycle);
      for (n = 0; n < Nodes; n = n + 1) count_dropped(n);
      quiet = (i_receivers.beats != beats || gone != {Nodes{1'b0}}) ? 0 : quiet + 1;
      done = quiet > 100 && i_senders.begun == frames && i_receivers.arrived + i_senders.refused == frames;
      if (done || quiet > Patience) find_missing;
    end
  endtask

  // A sender reports a frame behind its last beat, and no other frame.
  task count_dropped(input integer node);
    begin
      if (dropped_i[node] === 1'bx || dropped_i[node] === 1'bz) begin
        i_receivers.fail_at(node);
        $display("dropped is unknown");
      end else if (dropped_i[node]) dropped[node] = dropped[node] + 1;
      if (dropped[node] > i_senders.ended[node]) fail_dropped(node);
    end
  endtask

  task fail_dropped(input integer node);
    if (!i_receivers.failed) begin
      i_receivers.fail_at(node);
      $display("dropped=%0d expected=%0d", dropped[node], i_senders.ended[node]);
    end
  endtask

  // Nothing moves any more: names the first node whose frames were not reported, not taken or not delivered.
  task find_missing;
    begin
      for (n = 0; n < Nodes; n = n + 1) if (dropped[n] != i_senders.ended[n]) fail_dropped(n);
      for (n = 0; n < Nodes; n = n + 1) for (s = 0; s < Nodes; s = s + 1) find_missing_pair(s, n);
      for (n = 0; n < Nodes; n = n + 1) begin
        if (tx_valid_o[n] && !i_receivers.failed) begin
          i_receivers.fail_at(n);
          $display("no beat for %0d cycles: the network does not take the beat that this node offers", quiet);
        end
      end
    end
  endtask

  task find_missing_pair(input integer sender, input integer receiver);
    if (sender != receiver && i_receivers.taken[sender*Nodes+receiver] != i_senders.sent[sender*i_senders.Places+receiver]
        && !i_receivers.failed) begin
      i_receivers.fail_at(receiver);
      $display("no beat for %0d cycles: source=%0d arrived=%0d expected=%0d", quiet, sender,
               i_receivers.taken[sender*Nodes+receiver], i_senders.sent[sender*i_senders.Places+receiver]);
    end
  endtask

  initial begin
    clk_o = 1'b0;
    rst_o = 1'b1;
    start;
    repeat (2) begin
      #5 clk_o = 1'b1;
      #5 clk_o = 1'b0;
    end
    rst_o <= 1'b0;
    while (!done && !i_receivers.failed) begin
      #1 drive;
      #3 judge;
      #1 clk_o = 1'b1;
      #5 clk_o = 1'b0;
      cycle = cycle + 1;
    end
    if (i_receivers.failed) $stop;
    else $display("PASS frames=%0d beats=%0d dropped=%0d cycles=%0d", frames, i_receivers.beats, i_senders.refused, cycle);
    $finish;
  end
endmodule

`default_nettype wire
