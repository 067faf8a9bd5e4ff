// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Sends frames between all PEs through their streams, with pauses at the senders and back-pressure at the receivers, and
// demands that every frame arrives once, whole and unchanged. With Ordered the frames of a pair of nodes must
// arrive in the order of sending. Ends with "PASS frames=N beats=B dropped=D cycles=C", or at the first difference with FAIL.
//
//   rising edge       registers change
//   falling edge      drive: senders whose beat has gone offer the next one, receivers choose to be ready
//   before the next   judge: what the streams show, and what goes over
//   rising edge
//
// A frame is a function of its sender, its receiver and its number among the frames of this pair (8 bits of it): the
// first beat has the number in its lowest bits, all others are mixed from these values. Some frames are for the
// sender itself: these must be dropped, and reported.
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
  output reg  [Nodes-1:0]           tx_valid_o,
  input  wire [Nodes-1:0]           tx_ready_i,
  output reg  [Nodes*Width-1:0]     tx_data_o,
  output reg  [Nodes-1:0]           tx_last_o,
  output reg  [Nodes*NodeWidth-1:0] tx_destination_o,
  output reg  [Nodes*TagWidth-1:0]  tx_tag_o,
  input  wire [Nodes-1:0]           dropped_i,
  input  wire [Nodes-1:0]           rx_valid_i,
  output reg  [Nodes-1:0]           rx_ready_o,
  input  wire [Nodes*Width-1:0]     rx_data_i,
  input  wire [Nodes-1:0]           rx_last_i,
  input  wire [Nodes*NodeWidth-1:0] rx_source_i,
  input  wire [Nodes*TagWidth-1:0]  rx_tag_i
);
  localparam Pairs = Nodes * Nodes;
  localparam Words = (Width + 31) / 32;

  integer    frames;      // to send
  integer    begun;       // frames that a sender has begun
  integer    arrived;     // whole
  integer    dropped;     // that must be
  integer    reported;    // as dropped
  integer    beats;
  integer    cycle;
  integer    quiet;       // cycles since the last beat
  integer    n;
  reg        failed;
  reg [31:0] random;

  // Of senders, by node. A sender without a frame has left = 0.
  integer    to     [0:Nodes-1];
  integer    number [0:Nodes-1];
  integer    beat   [0:Nodes-1];
  integer    left   [0:Nodes-1];
  integer    pause  [0:Nodes-1];   // cycles
  // Of receivers. A receiver between frames has at = 0.
  integer    from   [0:Nodes-1];
  integer    got    [0:Nodes-1];   // number of the frame
  integer    at     [0:Nodes-1];
  integer    stop   [0:Nodes-1];   // cycles without ready
  // Of pairs.
  integer    sent   [0:Pairs-1];
  integer    taken  [0:Pairs-1];
  integer    onway  [0:Pairs*256-1];  // frames under way, by pair and number
  // What was offered and not taken in the cycle before.
  reg [Nodes-1:0]           waiting;
  reg [Nodes*Width-1:0]     held_data;
  reg [Nodes-1:0]           held_last;
  reg [Nodes*NodeWidth-1:0] held_source;
  reg [Nodes*TagWidth-1:0]  held_tag;

  // The next random number (Marsaglia's xorshift).
  task draw;
    begin
      random = random ^ (random << 13);
      random = random ^ (random >> 17);
      random = random ^ (random << 5);
    end
  endtask

  function [31:0] mixed(input [31:0] value);
    begin
      mixed = value * 32'd2654435761;
      mixed = mixed ^ (mixed >> 15);
      mixed = mixed * 32'd2246822519;
      mixed = mixed ^ (mixed >> 13);
    end
  endfunction

  function [31:0] key(input integer sender, input integer receiver, input integer serial);
    key = mixed((sender * Nodes + receiver) * 256 + serial % 256 + 1);
  endfunction

  function integer length(input integer sender, input integer receiver, input integer serial);
    length = 1 + (key(sender, receiver, serial) >> 8) % Beats;
  endfunction

  function [TagWidth-1:0] tag(input integer sender, input integer receiver, input integer serial);
    reg [31:0] value;
    integer    b;
    begin
      value = key(sender, receiver, serial);
      for (b = 0; b < TagWidth; b = b + 1) tag[b] = value[b%32];
    end
  endfunction

  function [Width-1:0] data(input integer sender, input integer receiver, input integer serial, input integer place);
    reg [31:0]         value;
    reg [Words*32-1:0] words;
    integer            w;
    begin
      value = key(sender, receiver, serial) + place;
      for (w = 0; w < Words; w = w + 1) begin
        value = mixed(value + 1);
        words[w*32+:32] = value;
      end
      if (place == 0) words[7:0] = serial;
      data = words[Width-1:0];
    end
  endfunction

  task fail_at(input integer node);
    begin
      if (!failed) $write("FAIL cycle=%0d node=%0d ", cycle, node);
      failed = 1'b1;
    end
  endtask

  // The beat that a receiver takes.
  reg [NodeWidth-1:0] source;
  task take(input integer node);
    begin
      source = rx_source_i[node*NodeWidth+:NodeWidth];
      if (at[node] == 0) begin
        from[node] = source;
        got[node] = rx_data_i[node*Width+:8];
      end
      if (source !== from[node] || source >= Nodes) begin
        fail_at(node);
        $display("source=%0d in a frame of %0d", source, from[node]);
      end else if (at[node] == 0 && onway[(source*Nodes+node)*256+got[node]] == 0) begin
        fail_at(node);
        $display("source=%0d: frame %0d has not been sent, or has arrived before", source, got[node]);
      end else if (at[node] == 0 && Ordered != 0 && got[node] != taken[source*Nodes+node] % 256) begin
        fail_at(node);
        $display("source=%0d: frame %0d arrived, expected frame %0d", source, got[node], taken[source*Nodes+node] % 256);
      end else if (rx_data_i[node*Width+:Width] !== data(source, node, got[node], at[node])) begin
        fail_at(node);
        $display("source=%0d frame=%0d beat=%0d expected=%h got=%h", source, got[node], at[node],
                 data(source, node, got[node], at[node]), rx_data_i[node*Width+:Width]);
      end else if (rx_tag_i[node*TagWidth+:TagWidth] !== tag(source, node, got[node])) begin
        fail_at(node);
        $display("source=%0d frame=%0d: wrong tag", source, got[node]);
      end else if (rx_last_i[node] !== (at[node] + 1 == length(source, node, got[node]))) begin
        fail_at(node);
        $display("source=%0d frame=%0d beat=%0d: the frame has %0d beats", source, got[node], at[node], length(source, node, got[node]));
      end
      at[node] = at[node] + 1;
      if (rx_last_i[node]) begin
        at[node] = 0;
        arrived = arrived + 1;
        taken[source*Nodes+node] = taken[source*Nodes+node] + 1;
        onway[(source*Nodes+node)*256+got[node]] = onway[(source*Nodes+node)*256+got[node]] - 1;
      end
      beats = beats + 1;
      quiet = 0;
    end
  endtask

  // Streams keep what they offer until it is taken.
  task check_offer(input integer node);
    if (waiting[node] && (rx_valid_i[node] !== 1'b1 || rx_data_i[node*Width+:Width] !== held_data[node*Width+:Width]
        || rx_last_i[node] !== held_last[node] || rx_source_i[node*NodeWidth+:NodeWidth] !== held_source[node*NodeWidth+:NodeWidth]
        || rx_tag_i[node*TagWidth+:TagWidth] !== held_tag[node*TagWidth+:TagWidth])) begin
      fail_at(node);
      $display("a beat was withdrawn or changed before it was taken");
    end
  endtask

  // A receiver is ready in three cycles of four, and stops for up to 63 cycles now and then.
  task choose_ready(input integer node);
    begin
      draw;
      if (stop[node] > 0) stop[node] = stop[node] - 1;
      else if (random[9:0] == 10'd0) stop[node] = random[15:10];
      rx_ready_o[node] <= stop[node] == 0 && random[17:16] != 2'd0;
    end
  endtask

  // The frame that a sender begins next.
  task begin_frame(input integer node);
    begin
      draw;
      to[node] = (random >> 4) % Nodes;
      if (to[node] == node && random[3:0] != 4'd0) to[node] = (node + 1) % Nodes;
      number[node] = sent[node*Nodes+to[node]];
      sent[node*Nodes+to[node]] = number[node] + 1;
      left[node] = length(node, to[node], number[node]);
      beat[node] = 0;
      begun = begun + 1;
      if (to[node] == node) dropped = dropped + 1;
      else onway[(node*Nodes+to[node])*256+number[node]%256] = onway[(node*Nodes+to[node])*256+number[node]%256] + 1;
    end
  endtask

  // A sender whose beat goes over, or that has none, offers the next one or pauses.
  task offer(input integer node);
    begin
      if (pause[node] > 0) pause[node] = pause[node] - 1;
      else begin
        draw;
        if (random[2:0] == 3'd0) pause[node] = random[6:3];
      end
      if (left[node] == 0 && begun < frames && pause[node] == 0) begin_frame(node);
      if (left[node] > 0 && pause[node] == 0) begin
        tx_valid_o[node] <= 1'b1;
        tx_data_o[node*Width+:Width] <= data(node, to[node], number[node], beat[node]);
        tx_last_o[node] <= left[node] == 1;
        tx_destination_o[node*NodeWidth+:NodeWidth] <= to[node];
        tx_tag_o[node*TagWidth+:TagWidth] <= tag(node, to[node], number[node]);
        beat[node] = beat[node] + 1;
        left[node] = left[node] - 1;
      end else tx_valid_o[node] <= 1'b0;
    end
  endtask

  // What goes over at the rising edge that comes.
  reg [Nodes-1:0] gone;
  task judge;
    begin
      quiet = quiet + 1;
      gone = tx_valid_o & tx_ready_i;
      for (n = 0; n < Nodes; n = n + 1) begin
        if (rx_valid_i[n] === 1'bx) begin
          fail_at(n);
          $display("valid is unknown");
        end
        check_offer(n);
        if (rx_valid_i[n] && rx_ready_o[n]) take(n);
        if (dropped_i[n]) reported = reported + 1;
      end
      waiting = rx_valid_i & ~rx_ready_o;
      held_data = rx_data_i;
      held_last = rx_last_i;
      held_source = rx_source_i;
      held_tag = rx_tag_i;
      if (quiet > Patience) begin
        fail_at(0);
        $display("no beat for %0d cycles: frames=%0d of %0d", Patience, arrived + reported, frames);
      end
    end
  endtask

  task drive;
    for (n = 0; n < Nodes; n = n + 1) begin
      if (!tx_valid_o[n] || gone[n]) offer(n);
      choose_ready(n);
    end
  endtask

  initial begin
    frames = Frames;
    random = 32'd1;
    if ($value$plusargs("frames=%d", frames)) begin end
    if ($value$plusargs("seed=%d", random)) random = mixed(random) | 32'd1;
    begun = 0;
    arrived = 0;
    dropped = 0;
    reported = 0;
    beats = 0;
    cycle = 0;
    quiet = 0;
    failed = 1'b0;
    waiting = {Nodes{1'b0}};
    gone = {Nodes{1'b0}};
    for (n = 0; n < Nodes; n = n + 1) begin
      left[n] = 0;
      pause[n] = 0;
      at[n] = 0;
      stop[n] = 0;
    end
    for (n = 0; n < Pairs; n = n + 1) begin
      sent[n] = 0;
      taken[n] = 0;
    end
    for (n = 0; n < Pairs * 256; n = n + 1) onway[n] = 0;
  end

  reg done;
  initial begin
    clk_o = 1'b0;
    rst_o = 1'b1;
    tx_valid_o = {Nodes{1'b0}};
    rx_ready_o = {Nodes{1'b0}};
    tx_last_o = {Nodes{1'b0}};
    tx_data_o = {Nodes * Width{1'b0}};
    tx_destination_o = {Nodes * NodeWidth{1'b0}};
    tx_tag_o = {Nodes * TagWidth{1'b0}};
    done = 1'b0;
    #5 clk_o = 1'b1;
    #5 clk_o = 1'b0;
    #5 clk_o = 1'b1;
    #5 clk_o = 1'b0;
    rst_o <= 1'b0;
    while (!done && !failed) begin
      #1 drive;
      #3 judge;
      #1 clk_o = 1'b1;
      #5 clk_o = 1'b0;
      cycle = cycle + 1;
      done = begun == frames && arrived + reported == frames && quiet > 100;
    end
    if (!failed && (dropped != reported || tx_valid_o != {Nodes{1'b0}})) begin
      fail_at(0);
      $display("dropped=%0d expected=%0d", reported, dropped);
    end
    if (failed) $stop;
    else $display("PASS frames=%0d beats=%0d dropped=%0d cycles=%0d", frames, beats, dropped, cycle);
    $finish;
  end
endmodule
