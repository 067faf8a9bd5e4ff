// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of frame_bench that receives, with back-pressure, and compares: every frame must arrive once, whole and unchanged.
// With Ordered the frames of a pair of nodes must arrive in the order of sending.
module frame_receivers #(
  parameter Nodes     = 4,
  parameter NodeWidth = 2,
  parameter TagWidth  = 8,
  parameter Width     = 32,
  parameter Ordered   = 1,
  parameter Beats     = 8      // of the longest frame
) (
  input  wire [Nodes-1:0]           rx_valid_i,
  output reg  [Nodes-1:0]           rx_ready_o,
  input  wire [Nodes*Width-1:0]     rx_data_i,
  input  wire [Nodes-1:0]           rx_last_i,
  input  wire [Nodes*NodeWidth-1:0] rx_source_i,
  input  wire [Nodes*TagWidth-1:0]  rx_tag_i
);
  integer    arrived;     // frames, whole
  integer    beats;
  integer    cycle;
  reg        failed;
  reg [31:0] random;
  integer    n;

  // By node. A receiver between frames has at = 0.
  integer    from   [0:Nodes-1];
  integer    got    [0:Nodes-1];   // number of the frame
  integer    at     [0:Nodes-1];
  integer    stop   [0:Nodes-1];   // cycles without ready
  // By pair.
  integer    taken  [0:Nodes*Nodes-1];
  integer    onway  [0:Nodes*Nodes*256-1];  // frames in flight, by pair and number
  // What was offered and not taken in the cycle before.
  reg [Nodes-1:0]           waiting;
  reg [Nodes*Width-1:0]     held_data;
  reg [Nodes-1:0]           held_last;
  reg [Nodes*NodeWidth-1:0] held_source;
  reg [Nodes*TagWidth-1:0]  held_tag;

  frame_contents #(.Nodes(Nodes), .TagWidth(TagWidth), .Width(Width), .Beats(Beats)) i_frame ();

  task start(input [31:0] seed);
    begin
      random = seed;
      arrived = 0;
      beats = 0;
      failed = 1'b0;
      waiting = {Nodes{1'b0}};
      rx_ready_o = {Nodes{1'b0}};
      for (n = 0; n < Nodes; n = n + 1) begin
        at[n] = 0;
        stop[n] = 0;
      end
      for (n = 0; n < Nodes * Nodes; n = n + 1) taken[n] = 0;
      for (n = 0; n < Nodes * Nodes * 256; n = n + 1) onway[n] = 0;
    end
  endtask

  // A frame is sent.
  task expect_frame(input integer sender, input integer receiver, input integer serial);
    onway[(sender*Nodes+receiver)*256+serial%256] = onway[(sender*Nodes+receiver)*256+serial%256] + 1;
  endtask

  // A receiver is ready in three cycles of four, and stops for up to 63 cycles now and then.
  task choose_ready(input integer node);
    begin
      random = i_frame.drawn(random);
      if (stop[node] > 0) stop[node] = stop[node] - 1;
      else if (random[9:0] == 10'd0) stop[node] = random[15:10];
      rx_ready_o[node] <= stop[node] == 0 && random[17:16] != 2'd0;
    end
  endtask

  // What the streams show in a cycle, and what goes over at the rising edge that comes.
  task judge(input integer now);
    begin
      cycle = now;
      for (n = 0; n < Nodes; n = n + 1) begin
        if (rx_valid_i[n] === 1'bx) begin
          fail_at(n);
          $display("valid is unknown");
        end
        check_offer(n);
        if (rx_valid_i[n] && rx_ready_o[n]) take(n);
      end
      waiting = rx_valid_i & ~rx_ready_o;
      held_data = rx_data_i;
      held_last = rx_last_i;
      held_source = rx_source_i;
      held_tag = rx_tag_i;
    end
  endtask

  task fail_at(input integer node);
    begin
      if (!failed) $write("FAIL cycle=%0d node=%0d ", cycle, node);
      failed = 1'b1;
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

  // The beat that a receiver takes.
  reg [NodeWidth-1:0] source;
  integer             pair;
  task take(input integer node);
    begin
      source = rx_source_i[node*NodeWidth+:NodeWidth];
      if (at[node] == 0) begin
        from[node] = source;
        got[node] = rx_data_i[node*Width+:8];
      end
      pair = source * Nodes + node;
      compare(node);
      at[node] = at[node] + 1;
      if (rx_last_i[node]) begin
        at[node] = 0;
        arrived = arrived + 1;
        taken[pair] = taken[pair] + 1;
        onway[pair*256+got[node]] = onway[pair*256+got[node]] - 1;
      end
      beats = beats + 1;
    end
  endtask

  task compare(input integer node);
    if (source !== from[node] || source >= Nodes) begin
      fail_at(node);
      $display("source=%0d in a frame of %0d", source, from[node]);
    end else if (at[node] == 0 && onway[pair*256+got[node]] == 0) begin
      fail_at(node);
      $display("source=%0d: frame %0d has not been sent, or has arrived before", source, got[node]);
    end else if (at[node] == 0 && Ordered != 0 && got[node] != taken[pair] % 256) begin
      fail_at(node);
      $display("source=%0d: frame %0d arrived, expected frame %0d", source, got[node], taken[pair] % 256);
    end else if (rx_data_i[node*Width+:Width] !== i_frame.data(source, node, got[node], at[node])) begin
      fail_at(node);
      $display("source=%0d frame=%0d beat=%0d expected=%h got=%h", source, got[node], at[node],
               i_frame.data(source, node, got[node], at[node]), rx_data_i[node*Width+:Width]);
    end else if (rx_tag_i[node*TagWidth+:TagWidth] !== i_frame.tag(source, node, got[node])) begin
      fail_at(node);
      $display("source=%0d frame=%0d: wrong tag", source, got[node]);
    end else if (rx_last_i[node] !== (at[node] + 1 == i_frame.length(source, node, got[node]))) begin
      fail_at(node);
      $display("source=%0d frame=%0d beat=%0d: the frame has %0d beats", source, got[node], at[node],
               i_frame.length(source, node, got[node]));
    end
  endtask
endmodule

`default_nettype wire
