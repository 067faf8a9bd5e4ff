// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of frame_bench that sends: frames to PEs at random, with pauses before and between beats. The network must drop
// one frame of 16: it is for the sender itself, or for a node that does not exist if tdest has room for its number.
module frame_senders #(
  parameter Nodes     = 4,
  parameter NodeWidth = 2,
  parameter TagWidth  = 8,
  parameter Width     = 32,
  parameter Beats     = 8      // of the longest frame
) (
  output reg [Nodes-1:0]           tx_valid_o,
  output reg [Nodes*Width-1:0]     tx_data_o,
  output reg [Nodes-1:0]           tx_last_o,
  output reg [Nodes*NodeWidth-1:0] tx_destination_o,
  output reg [Nodes*TagWidth-1:0]  tx_tag_o
);
  localparam Places = 1 << NodeWidth;  // destinations that have a number
  localparam Absent = Places - Nodes;  // of them, nodes that do not exist

  integer    frames;      // to send
  integer    begun;
  integer    refused;     // frames begun that the network must drop
  reg        began;       // offer has begun a frame that must arrive
  reg [31:0] random;
  integer    n;

  // By node. A sender without a frame has left = 0.
  integer    to     [0:Nodes-1];
  integer    number [0:Nodes-1];
  integer    beat   [0:Nodes-1];
  integer    left   [0:Nodes-1];
  integer    pause  [0:Nodes-1];        // cycles
  integer    ended  [0:Nodes-1];        // frames that the network must drop, whose last beat has been offered
  integer    sent   [0:Nodes*Places-1]; // frames of a sender to a destination

  frame_contents #(.Nodes(Nodes), .TagWidth(TagWidth), .Width(Width), .Beats(Beats)) i_frame ();

  task start(input integer total, input [31:0] seed);
    begin
      frames = total;
      random = seed;
      begun = 0;
      refused = 0;
      began = 1'b0;
      for (n = 0; n < Nodes; n = n + 1) begin
        left[n] = 0;
        pause[n] = 0;
        ended[n] = 0;
      end
      for (n = 0; n < Nodes * Places; n = n + 1) sent[n] = 0;
      tx_valid_o = {Nodes{1'b0}};
      tx_last_o = {Nodes{1'b0}};
      tx_data_o = {Nodes * Width{1'b0}};
      tx_destination_o = {Nodes * NodeWidth{1'b0}};
      tx_tag_o = {Nodes * TagWidth{1'b0}};
    end
  endtask

  // Whether the frame of a sender goes to no other node of the network.
  function nowhere(input integer node);
    nowhere = to[node] == node || to[node] >= Nodes;
  endfunction

  // Of the nodes that do not exist every second frame takes the first one, at the border to those that do.
  task choose_destination(input integer node);
    begin
      random = i_frame.drawn(random);
      to[node] = (random >> 4) % Nodes;
      if (random[3:0] == 4'd0) begin
        to[node] = node;
        if (Absent > 0 && random[4]) to[node] = random[5] ? Nodes : Nodes + (random >> 6) % ((Absent > 0) ? Absent : 1);
      end else if (to[node] == node) to[node] = (node + 1) % Nodes;
    end
  endtask

  // The frame that a sender begins next.
  task begin_frame(input integer node);
    begin
      choose_destination(node);
      number[node] = sent[node*Places+to[node]];
      sent[node*Places+to[node]] = number[node] + 1;
      left[node] = i_frame.length(node, to[node], number[node]);
      beat[node] = 0;
      begun = begun + 1;
      began = !nowhere(node);
      if (nowhere(node)) refused = refused + 1;
    end
  endtask

  // A sender whose beat goes over, or that has none, offers the next one or pauses.
  task offer(input integer node);
    begin
      began = 1'b0;
      if (pause[node] > 0) pause[node] = pause[node] - 1;
      else begin
        random = i_frame.drawn(random);
        if (random[2:0] == 3'd0) pause[node] = random[6:3];
      end
      if (left[node] == 0 && begun < frames && pause[node] == 0) begin_frame(node);
      if (left[node] > 0 && pause[node] == 0) begin
        tx_valid_o[node] <= 1'b1;
        tx_data_o[node*Width+:Width] <= i_frame.data(node, to[node], number[node], beat[node]);
        tx_last_o[node] <= left[node] == 1;
        tx_destination_o[node*NodeWidth+:NodeWidth] <= to[node];
        tx_tag_o[node*TagWidth+:TagWidth] <= i_frame.tag(node, to[node], number[node]);
        beat[node] = beat[node] + 1;
        left[node] = left[node] - 1;
        if (left[node] == 0 && nowhere(node)) ended[node] = ended[node] + 1;
      end else tx_valid_o[node] <= 1'b0;
    end
  endtask
endmodule

`default_nettype wire
