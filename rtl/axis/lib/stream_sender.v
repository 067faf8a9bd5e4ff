// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Puts frames of a PE's stream into the network: a frame becomes a message, a beat becomes a flit.
//
//   valid_i, data_i, last_i, destination_i, tag_i -> stream_buffer -> flit -> injection channel of the first link
//
// A frame to this node itself, or to a node that does not exist, never enters the network: it is read to its end, and
// dropped_o shows that.
module stream_sender #(
  parameter Nodes                = 4,
  parameter Depth                = 2,   // beats in the buffer
  parameter Vcs                  = 1,
  parameter Lanes                = 1,   // sets of virtual channels: messages of a pair of nodes stay in one
  parameter Classes              = 1,   // of a lane; 2: frames take the two orders of dimensions in turn
  parameter Dateline             = 0,   // 1: virtual channels come in pairs
  parameter Channels             = 1,   // 1, or one per link port
  parameter PortWidth            = 1,
  parameter [Nodes*PortWidth-1:0] First = {Nodes * PortWidth{1'b0}},  // channel to each node, node 0 lowest
  parameter RouteWidth           = 0,   // of source routes
  parameter [((RouteWidth>0)?Nodes*RouteWidth:1)-1:0] Routes = 0,  // to each node
  parameter NodeWidth            = 2,
  parameter TagWidth             = 8,
  parameter HeadFlit             = 0,   // 1: a message begins with a flit that carries its header
  parameter Width                = 32,
  // Derived: leave alone.
  parameter VcWidth              = (Vcs > 1) ? $clog2(Vcs) : 1,
  parameter Header               = RouteWidth + 2 + TagWidth + 2 * NodeWidth,
  parameter FlitWidth            = VcWidth + 2 + Width + ((HeadFlit != 0) ? 0 : Header)
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire [NodeWidth-1:0]          node_i,         // own number, a constant
  // PE: a beat goes over when valid & ready. Ready comes from registers. Destination and tag are the same for all beats
  // of a frame.
  input  wire                          valid_i,
  output wire                          ready_o,
  input  wire [Width-1:0]              data_i,
  input  wire                          last_i,
  input  wire [NodeWidth-1:0]          destination_i,
  input  wire [TagWidth-1:0]           tag_i,
  output wire                          dropped_o,      // a frame ends that goes nowhere
  // Chip: a flit is accepted when valid & ready.
  output wire [Channels-1:0]           inj_valid_o,
  output wire [Channels*FlitWidth-1:0] inj_flit_o,
  input  wire [Channels-1:0]           inj_ready_i
);
  localparam BeatWidth = 1 + NodeWidth + TagWidth + Width;

  wire                 valid;
  wire                 taken;
  wire                 last;
  wire [NodeWidth-1:0] destination;
  wire [TagWidth-1:0]  tag;
  wire [Width-1:0]     data;

  stream_buffer #(
    .Width(BeatWidth),
    .Depth(Depth)
  ) i_buffer (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(valid_i),
    .ready_o(ready_o),
    .data_i ({last_i, destination_i, tag_i, data_i}),
    .valid_o(valid),
    .ready_i(taken),
    .data_o ({last, destination, tag, data})
  );

  // Frames.
  reg  body_q;  // the head of the frame has gone
  reg  turn_q;  // of Classes
  wire header;  // the flit that leaves is a header: the beat behind it stays
  wire moved;   // a flit leaves, or a beat of a frame that goes nowhere
  wire ends = taken & valid & last;
  assign taken = moved & !header;

  always @(posedge clk_i) begin
    if (rst_i) body_q <= 1'b0;
    else if (valid & moved) body_q <= header | !last;
  end

  always @(posedge clk_i) begin
    if (rst_i) turn_q <= 1'b0;
    else if (ends) turn_q <= !turn_q;
  end

  // Where it goes.
  localparam [NodeWidth:0] Count = Nodes[NodeWidth:0];
  wire                nowhere = (destination == node_i) | ({1'b0, destination} >= Count);
  wire [Channels-1:0] channel;  // one-hot
  assign dropped_o = ends & nowhere;

  generate
    if (Channels == 1) begin : gen_channel
      assign channel = 1'b1;
    end else begin : gen_channel
      localparam [PortWidth-1:0] None = {PortWidth{1'b1}};
      wire [PortWidth-1:0] first = nowhere ? None : First[destination*PortWidth+:PortWidth];
      assign channel = {{Channels - 1{1'b0}}, 1'b1} << first;
    end
  endgenerate

  // The virtual channel of a message depends on its two ends only.
  wire [VcWidth-1:0] vc;
  generate
    if (Vcs == 1) begin : gen_vc
      wire unused_turn = turn_q;
      assign vc = 1'b0;
    end else begin : gen_vc
      localparam Step = Classes * ((Dateline != 0) ? 2 : 1);
      localparam Bit = (Dateline != 0) ? 2 : 1;  // of the class, as a number
      localparam Bits = (NodeWidth + 1 > VcWidth + 1) ? NodeWidth + 1 : VcWidth + 1;
      localparam [Bits-1:0] Most = Lanes[Bits-1:0];
      localparam [Bits-1:0] Stride = Step[Bits-1:0];
      wire [Bits-1:0] both = {{Bits - NodeWidth{1'b0}}, node_i} + {{Bits - NodeWidth{1'b0}}, destination};
      wire [Bits-1:0] number = (both % Most) * Stride + ((Classes == 2 && turn_q) ? Bit[Bits-1:0] : {Bits{1'b0}});
      wire            unused_number = &{1'b0, turn_q, number[Bits-1:VcWidth]};
      assign vc = number[VcWidth-1:0];
    end
  endgenerate

  localparam Ends = 2 + TagWidth + 2 * NodeWidth;
  wire [Ends-1:0]      message = {2'd0, tag, node_i, destination};  // its kind is: data
  wire [Header-1:0]    with_route;
  wire [FlitWidth-1:0] flit;
  generate
    if (RouteWidth == 0) begin : gen_route
      wire unused = Routes;
      assign with_route = message;
    end else begin : gen_route
      wire [RouteWidth-1:0] route = nowhere ? {RouteWidth{1'b1}} : Routes[destination*RouteWidth+:RouteWidth];
      assign with_route = (HeadFlit != 0) ? {route, message} : {message, route};
    end
    if (HeadFlit != 0) begin : gen_flit
      assign header = !body_q & !nowhere;
      assign flit = {vc, header, last & !header, header ? {{Width - Header{1'b0}}, with_route} : data};
    end else begin : gen_flit
      assign header = 1'b0;
      assign flit = {vc, !body_q, last, with_route, data};
    end
  endgenerate
  assign inj_valid_o = (valid & !nowhere) ? channel : {Channels{1'b0}};
  assign inj_flit_o = {Channels{flit}};
  assign moved = nowhere | (|(channel & inj_ready_i));

`ifndef SYNTHESIS
  // A frame that changes its destination would tear a message.
  reg [NodeWidth+TagWidth-1:0] header_q;
  always @(posedge clk_i) if (valid & moved) header_q <= {destination, tag};
  rule #(
    .Name("stream_sender/one-destination-and-tag-a-frame")
  ) i_one_destination_and_tag_a_frame (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(valid & body_q & ({destination, tag} != header_q))
  );
`endif
endmodule
