// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The injection channels of a PE. The route of a message, its channel, virtual channel and source route, comes from a
// table: the first entries are the machine's own routes to each node, the others the routes of the PE, counted from 1.
module pe_senders #(
  parameter                       Element      = 32,      // bits of a number
  parameter                       Width        = 32,
  parameter                       HeadFlit     = 0,
  parameter                       Node         = 0,
  parameter                       Nodes        = 4,
  parameter                       Channels     = 1,
  parameter                       OffsetWidth  = 4,
  parameter                       Startup      = 0,
  parameter                       Flit         = 1,
  parameter                       NodeWidth    = 2,
  parameter                       TagWidth     = 4,
  parameter                       VcWidth      = 1,
  parameter                       RouteWidth   = 0,
  parameter                       Ways         = 4,
  parameter                       ChannelWidth = 1,
  parameter                       EntryWidth   = 2,
  parameter [Ways*EntryWidth-1:0] Way          = {Ways * EntryWidth{1'b0}},  // {channel, route, vc}
  parameter                       FlitWidth    = VcWidth + 2 + ((HeadFlit != 0) ? 0 : 2 + TagWidth + 2 * NodeWidth + RouteWidth) + Width  // derived
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire                          tick_i,
  // From the processor.
  input  wire                          choose_i,   // the route, by
  input  wire [NodeWidth-1:0]          node_i,     // destination
  input  wire [Element-1:0]            number_i,   // and number of the route, 0: the machine's own
  output wire [ChannelWidth-1:0]       channel_o,
  output wire                          busy_o,     // this channel
  input  wire                          send_i,     // it takes a message
  input  wire [OffsetWidth-1:0]        length_i,
  input  wire [1:0]                    kind_i,
  input  wire [TagWidth-1:0]           tag_i,
  // Placing: mail_i has the word that was asked for one clock cycle ago.
  input  wire                          place_i,    // until the tick
  output wire                          placed_o,   // every channel offers its flit
  output wire [ChannelWidth-1:0]       from_o,     // the word asked for: of this channel's slot
  output wire [OffsetWidth-1:0]        offset_o,
  input  wire [Width-1:0]              mail_i,
  output wire [Channels-1:0]           valid_o,
  output wire [Channels*FlitWidth-1:0] flit_o,
  input  wire [Channels-1:0]           ready_i
);
  localparam IndexWidth = (Ways > 1) ? $clog2(Ways) : 1;
  localparam WayWidth = VcWidth + RouteWidth;
  localparam [NodeWidth-1:0] Own = Node;

  wire [EntryWidth-1:0] entry;
  wire [WayWidth-1:0]   way;
  assign {channel_o, way} = entry;

  generate
    if (Way == 0) begin : gen_one_way
      wire unused = &{1'b0, choose_i, number_i};
      assign entry = {EntryWidth{1'b0}};
    end else begin : gen_ways
      localparam BeforeNodes = Nodes - 1;
      localparam [IndexWidth-1:0] Before = BeforeNodes[IndexWidth-1:0];
      reg  [IndexWidth-1:0] index_q;
      wire [IndexWidth-1:0] direct = {{IndexWidth - NodeWidth{1'b0}}, node_i};
      assign entry = Way[index_q*EntryWidth+:EntryWidth];
      if (Ways > Nodes) begin : gen_routes
        wire unused = &{1'b0, number_i};
        always @(posedge clk_i) if (choose_i) index_q <= (|number_i) ? Before + number_i[IndexWidth-1:0] : direct;
      end else begin : gen_direct
        wire unused = &{1'b0, number_i};
        always @(posedge clk_i) if (choose_i) index_q <= direct;
      end
    end
  endgenerate

  // The word of each channel is read in turn.
  localparam Last = (Channels > 1) ? Channels + 1 : 1;
  localparam CountWidth = $clog2(Last + 1);
  localparam [CountWidth-1:0] End = Last;
  reg  [CountWidth-1:0]           count_q;
  wire [Channels*OffsetWidth-1:0] offset;
  wire [Channels-1:0]             busy;
  wire                            offers = place_i & placed_o;
  assign placed_o = count_q == End;
  always @(posedge clk_i) begin
    if (!place_i) count_q <= {CountWidth{1'b0}};
    else if (!placed_o) count_q <= count_q + 1'b1;
  end

  generate
    if (Channels == 1) begin : gen_one
      assign from_o   = {ChannelWidth{1'b0}};
      assign offset_o = offset;
      assign busy_o   = busy;
    end else begin : gen_several
      localparam BeforeChannels = Channels - 1;
      localparam [ChannelWidth-1:0] Highest = BeforeChannels[ChannelWidth-1:0];
      assign from_o   = (count_q >= {{CountWidth - ChannelWidth{1'b0}}, Highest}) ? Highest : count_q[ChannelWidth-1:0];
      assign offset_o = offset[from_o*OffsetWidth+:OffsetWidth];
      assign busy_o   = busy[channel_o];
    end
  endgenerate

  genvar c;
  generate
    for (c = 0; c < Channels; c = c + 1) begin : gen_channel
      localparam [ChannelWidth-1:0] Number = c;
      wire [Width-1:0] payload;
      if (Channels == 1) begin : gen_payload
        assign payload = mail_i;
      end else begin : gen_payload
        localparam [CountWidth-1:0] Here = c + 1;
        reg [Width-1:0] payload_q;
        assign payload = payload_q;
        always @(posedge clk_i) if (count_q == Here) payload_q <= mail_i;
      end

      pe_sender #(
        .OffsetWidth(OffsetWidth),
        .Startup    (Startup),
        .Flit       (Flit),
        .VcWidth    (VcWidth),
        .TagWidth   (TagWidth),
        .NodeWidth  (NodeWidth),
        .RouteWidth (RouteWidth),
        .Width      (Width),
        .HeadFlit   (HeadFlit),
        .Node       (Own)
      ) i_sender (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .busy_o   (busy[c]),
        .send_i   (send_i & ((Channels == 1) | (channel_o == Number))),
        .length_i (length_i),
        .kind_i   (kind_i),
        .tag_i    (tag_i),
        .node_i   (node_i),
        .way_i    (way),
        .place_i  (offers),
        .offset_o (offset[c*OffsetWidth+:OffsetWidth]),
        .payload_i(payload),
        .ready_i  (ready_i[c]),
        .valid_o  (valid_o[c]),
        .flit_o   (flit_o[c*FlitWidth+:FlitWidth])
      );
    end
  endgenerate
endmodule
