// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// An injection channel: it holds the channel for the startup of a message, then offers a flit of it in each target
// cycle in which the injection register is empty. The words of the message are in the channel's slot of the mail
// memory from word 3 on.
module pe_sender #(
  parameter                 OffsetWidth = 4,
  parameter                 Startup     = 0,  // target cycles from the message to its first flit
  parameter                 Flit        = 1,  // target cycles from flit to flit
  parameter                 VcWidth     = 1,
  parameter                 TagWidth    = 4,
  parameter                 NodeWidth   = 2,
  parameter                 RouteWidth  = 0,
  parameter                 Width       = 32,
  parameter                 HeadFlit    = 0,  // 1: the header travels in a flit of its own
  parameter [NodeWidth-1:0] Node        = 0,
  parameter                 WayWidth    = VcWidth + RouteWidth,  // derived
  parameter                 FlitWidth   = VcWidth + 2 + ((HeadFlit != 0) ? 0 : 2 + TagWidth + 2 * NodeWidth + RouteWidth) + Width  // derived
) (
  input  wire                   clk_i,
  input  wire                   rst_i,
  input  wire                   tick_i,
  // From the processor, in this target cycle.
  output wire                   busy_o,
  input  wire                   send_i,    // while not busy
  input  wire [OffsetWidth-1:0] length_i,
  input  wire [1:0]             kind_i,
  input  wire [TagWidth-1:0]    tag_i,
  input  wire [NodeWidth-1:0]   node_i,    // destination
  input  wire [WayWidth-1:0]    way_i,     // {route, vc}
  // Placing, behind the processor: what offset_o names is in payload_i, and place_i lasts until the tick.
  input  wire                   place_i,
  output wire [OffsetWidth-1:0] offset_o,
  input  wire [Width-1:0]       payload_i,
  input  wire                   ready_i,
  output wire                   valid_o,
  output wire [FlitWidth-1:0]   flit_o
);
  localparam [OffsetWidth-1:0] First = (HeadFlit != 0) ? 2 : 3;  // its header flit has no word
  localparam [OffsetWidth-1:0] Second = 2;
  localparam EndsWidth = 2 + TagWidth + 2 * NodeWidth;
  localparam HeaderWidth = EndsWidth + RouteWidth;
  localparam Longest = (Startup > Flit - 1) ? Startup : Flit - 1;

  reg                   busy_q;
  reg [OffsetWidth-1:0] offset_q;
  reg [OffsetWidth-1:0] last_q;
  reg [1:0]             kind_q;
  reg [TagWidth-1:0]    tag_q;
  reg [NodeWidth-1:0]   node_q;
  reg [WayWidth-1:0]    way_q;
  wire                  rested;
  wire                  tail = offset_q == last_q;
  assign busy_o   = busy_q;
  assign offset_o = offset_q;
  assign valid_o  = place_i & busy_q & rested & ready_i;
  wire placed = tick_i & valid_o;
  wire head = offset_q == First;
  wire [HeaderWidth-1:0] header;

  always @(posedge clk_i) begin
    if (rst_i) busy_q <= 1'b0;
    else if (send_i) busy_q <= 1'b1;
    else if (placed & tail) busy_q <= 1'b0;
  end

  always @(posedge clk_i) begin
    if (send_i) offset_q <= First;
    else if (placed) offset_q <= offset_q + 1'b1;
  end

  always @(posedge clk_i) begin
    if (send_i) begin
      last_q <= length_i + Second;
      kind_q <= kind_i;
      tag_q  <= tag_i;
      node_q <= node_i;
      way_q  <= way_i;
    end
  end

  generate
    if (Longest == 0) begin : gen_timer
      assign rested = 1'b1;
    end else begin : gen_timer
      localparam TimerWidth = $clog2(Longest + 1);
      localparam [TimerWidth-1:0] Start = Startup;
      localparam BeforeFlit = Flit - 1;
      localparam [TimerWidth-1:0] Rest = BeforeFlit[TimerWidth-1:0];
      reg [TimerWidth-1:0] left_q;
      wire [TimerWidth:0] more = {1'b0, Start} - {1'b0, left_q};  // its highest bit: less
      assign rested = !(|left_q);
      always @(posedge clk_i) begin
        if (rst_i) left_q <= {TimerWidth{1'b0}};
        else if (send_i) left_q <= more[TimerWidth] ? left_q : Start;
        else if (placed) left_q <= Rest;
        else if (tick_i & !rested) left_q <= left_q - 1'b1;
      end
    end
    if (RouteWidth > 0) begin : gen_header
      assign header = {way_q[VcWidth+:RouteWidth], kind_q, tag_q, Node, node_q};
    end else begin : gen_header
      assign header = {kind_q, tag_q, Node, node_q};
    end
    if (HeadFlit != 0) begin : gen_flit
      wire [Width-1:0] first = {{Width - HeaderWidth{1'b0}}, header};
      assign flit_o = {way_q[VcWidth-1:0], head, tail, head ? first : payload_i};
    end else if (RouteWidth > 0) begin : gen_flit
      assign flit_o = {way_q[VcWidth-1:0], head, tail, header[0+:EndsWidth], header[EndsWidth+:RouteWidth], payload_i};
    end else begin : gen_flit
      assign flit_o = {way_q[VcWidth-1:0], head, tail, header, payload_i};
    end
  endgenerate
endmodule
