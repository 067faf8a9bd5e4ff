// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One chip: store-forward or cut-through switching, Ports links, one injection and one ejection channel. A packet pays
// Setup ticks on every link before its first flit; the chip sends one packet at a time and receives one at a time.
//
//   links -> packet_receiver with its buffers -+
//               |                              +-> front of the input whose turn it is -> links
//               +-> PE -> packet_channel ------+
//
// Packets are routed when they come in. The packet_sender serves the inputs with packets to send in the order of their
// coming: a link for each packet that is here whole (cut-through: whose head is here), and the PE for a head it placed.
//
//   sender   request_o -> request_i  receiver: an age_arbiter of those for whose largest packet there is room
//            grant_i   <- grant_o
//            valid_o   -> valid_i    of each flit, from Setup+Flit-1 ticks after the grant on; never waits
//
// Requests come from registers and the flit that the PE offers in the same tick, grants from requests and registers.
// Flit, most significant first: {vc, head, tail, kind[2], tag, src, dst, route, payload}; with HeadFlit {vc, head, tail,
// payload}, and the payload of a head holds {route, kind[2], tag, src, dst} in its lowest bits.
module packet_router #(
  parameter               Ports      = 4,
  parameter               CutThrough = 0,               // 1: a packet may go on when its head is here
  parameter               Buffer     = 16,              // flits per input buffer
  parameter               Code       = 0,               // of the buffers: 0 none, 1 parity, 2 SECDED
  parameter               Upsets     = 0,               // 1: upset_i works
  parameter               Packet     = 8,               // flits of the largest packet
  parameter               Setup      = 0,               // ticks per packet and link
  parameter               Flit       = 1,               // ticks per flit and link
  parameter               Kind       = 0,               // routing: 0 dimension order, 1 table, 2 source
  parameter               Dims       = 2,               // dimension order
  parameter [Dims*32-1:0] Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped    = {Dims{1'b0}},
  parameter               EntryWidth = 4,               // table: bits per entry
  parameter               PortWidth  = 3,               // source: bits per hop
  parameter               HeadFlit   = 0,               // 1: the header is the payload of heads
  parameter               NodeWidth  = 6,
  parameter               TagWidth   = 8,
  parameter               RouteWidth = 0,
  parameter               Width      = 32,
  parameter               Word       = Width,           // bits of a stored payload, check bits included
  // Derived: leave alone.
  parameter               BodyWidth  = (HeadFlit != 0) ? 2 + Width : 4 + TagWidth + 2 * NodeWidth + RouteWidth + Width,
  parameter               FlitWidth  = 1 + BodyWidth,
  parameter               CountWidth = $clog2(Buffer + 1),
  parameter               TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1
) (
  input  wire                        clk_i,
  input  wire                        rst_i,
  input  wire                        tick_i,       // the network's time advances at this edge
  // Constants of the chip; inputs, so that all chips share one module.
  input  wire [NodeWidth-1:0]        node_i,       // own number
  input  wire [Dims*NodeWidth-1:0]   here_i,       // own coordinates (dimension order)
  input  wire [TableWidth-1:0]       table_i,      // next hops (table)
  // Link outputs: one-hot or zero, all show the same flit.
  output wire [Ports-1:0]            request_o,
  input  wire [Ports-1:0]            grant_i,
  output wire [Ports-1:0]            valid_o,      // crosses in this tick
  output wire [FlitWidth-1:0]        flit_o,
  // Link inputs.
  input  wire [Ports-1:0]            request_i,
  output wire [Ports-1:0]            grant_o,
  input  wire [Ports-1:0]            valid_i,      // only from a sender that was granted
  input  wire [Ports*FlitWidth-1:0]  flit_i,
  output wire [Ports*CountWidth-1:0] count_o,      // flits in each input buffer
  input  wire [Ports*Word-1:0]       upset_i,      // bits that change in the stored payload of the flit that comes in
  output wire [15:0]                 corrected_o,  // flits that left a buffer with errors, see input_buffer
  output wire [15:0]                 detected_o,
  // PE: a flit is accepted when valid & ready. Ready = injection register empty at the start of the tick.
  input  wire                        inj_valid_i,
  input  wire [FlitWidth-1:0]        inj_flit_i,
  output wire                        inj_ready_o,
  // The PE always takes.
  output wire                        ej_valid_o,
  output wire [FlitWidth-1:0]        ej_flit_o,
  output wire                        lost_o        // a flit was missing or had no room: never in a sound network
);
  localparam Inputs = Ports + 1;  // link inputs, then the injection register
  localparam DstLsb = (HeadFlit != 0) ? 0 : Width + RouteWidth;
  localparam RouteLsb = (HeadFlit != 0) ? 2 * NodeWidth + TagWidth + 2 : Width;
  localparam TailBit = BodyWidth - 2;
  localparam AtOnce = (CutThrough != 0 || Setup + Flit == 1) ? 1 : 0;  // flits may leave in the tick after they came in
  localparam Room = Buffer - Packet;  // most flits in a buffer with room for one more packet

  generate
    if (Packet < 1) begin : gen_bad_packet
      packet_router_needs_packets_of_at_least_one_flit i_stop ();
    end
    if (Packet > Buffer) begin : gen_bad_buffer
      packet_router_needs_buffers_that_hold_the_largest_packet i_stop ();
    end
  endgenerate

  wire [Inputs-1:0]           full;      // has a flit at its front
  wire [Ports*BodyWidth-1:0]  words;     // fronts, as they are on the next link, but recent ones
  wire [BodyWidth-1:0]        arrived;   // the front that came in last
  wire [Ports-1:0]            recent;
  wire [Inputs-1:0]           leave;
  wire                        eligible;  // the packet of a link may go on
  wire [Ports-1:0]            eligible_from;
  wire [Ports-1:0]            eligible_to;
  wire                        crowded;   // a flit comes in to a full buffer
  assign ej_flit_o[BodyWidth] = 1'b0;
  assign lost_o = |(leave & ~full) | crowded;

  packet_receiver #(
    .Ports     (Ports),
    .CutThrough(CutThrough),
    .HeadFlit  (HeadFlit),
    .Kind      (Kind),
    .Dims      (Dims),
    .Sizes     (Sizes),
    .Wrapped   (Wrapped),
    .EntryWidth(EntryWidth),
    .PortWidth (PortWidth),
    .NodeWidth (NodeWidth),
    .DstLsb    (DstLsb),
    .RouteLsb  (RouteLsb),
    .RouteWidth(RouteWidth),
    .Buffer    (Buffer),
    .Most      (Room),
    .Code      (Code),
    .Upsets    (Upsets),
    .Payload   (Width),
    .Word      (Word),
    .BodyWidth (BodyWidth)
  ) i_receiver (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (tick_i),
    .node_i     (node_i),
    .here_i     (here_i),
    .table_i    (table_i),
    .request_i  (request_i),
    .grant_o    (grant_o),
    .valid_i    (valid_i),
    .flit_i     (flit_i),
    .upset_i    (upset_i),
    .count_o    (count_o),
    .full_o     (full[Ports-1:0]),
    .word_o     (words),
    .arrived_o  (arrived),
    .recent_o   (recent),
    .leave_i    (leave[Ports-1:0]),
    .eligible_o (eligible),
    .from_o     (eligible_from),
    .to_o       (eligible_to),
    .crowded_o  (crowded),
    .corrected_o(corrected_o),
    .detected_o (detected_o),
    .ej_valid_o (ej_valid_o),
    .ej_flit_o  (ej_flit_o[BodyWidth-1:0])
  );

  // The PE's packet.
  wire                 own;      // its head is here
  wire [Ports:0]       own_to;
  wire [BodyWidth-1:0] kept;     // it, if it came before this tick,
  wire [BodyWidth-1:0] placed;   // else this is it
  wire                 own_tail;
  wire                 unused = &{1'b0, inj_flit_i[BodyWidth], own_to[Ports], own_tail};

  packet_channel #(
    .HeadFlit  (HeadFlit),
    .Kind      (Kind),
    .Ports     (Ports),
    .Dims      (Dims),
    .Sizes     (Sizes),
    .Wrapped   (Wrapped),
    .EntryWidth(EntryWidth),
    .PortWidth (PortWidth),
    .NodeWidth (NodeWidth),
    .DstLsb    (DstLsb),
    .RouteLsb  (RouteLsb),
    .RouteWidth(RouteWidth),
    .Width     (BodyWidth)
  ) i_channel (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .tick_i   (tick_i),
    .here_i   (here_i),
    .table_i  (table_i),
    .valid_i  (inj_valid_i),
    .flit_i   (inj_flit_i[BodyWidth-1:0]),
    .ready_o  (inj_ready_o),
    .valid_o  (full[Ports]),
    .head_o   (own),
    .tail_o   (own_tail),
    .kept_o   (kept),
    .arrived_o(placed),
    .port_o   (own_to),
    .leave_i  (leave[Ports])
  );

  // Sending.
  wire [Inputs-1:0] from;
  assign flit_o[BodyWidth] = 1'b0;

  packet_sender #(
    .Ports(Ports),
    .Depth(Ports * (Room + 1)),  // packets of one flit in every buffer
    .Setup(Setup),
    .Flit (Flit)
  ) i_sender (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .tick_i   (tick_i),
    .push_i   (eligible),
    .from_i   (eligible_from),
    .to_i     (eligible_to),
    .placed_i (own & inj_ready_o),
    .own_i    (own),
    .own_to_i (own_to[Ports-1:0]),
    .from_o   (from),
    .leave_o  (leave),
    .tail_i   (flit_o[TailBit]),
    .request_o(request_o),
    .grant_i  (grant_i),
    .valid_o  (valid_o)
  );

  wire [Ports-1:0] last = from[Ports-1:0] & ((AtOnce != 0) ? recent : {Ports{1'b0}});
  crossbar_mux #(
    .Inputs(Ports + 3),
    .Width (BodyWidth),
    .Paths ({3'b110 | AtOnce[2:0], {Ports{1'b1}}}),
    .Early (1)
  ) i_front (
    .select_i({from[Ports] & inj_ready_o, from[Ports] & !inj_ready_o, |last, from[Ports-1:0] & ~last}),
    .flit_i  ({placed, kept, arrived, words}),
    .flit_o  (flit_o[BodyWidth-1:0])
  );
endmodule
