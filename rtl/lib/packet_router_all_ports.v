// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One chip: store-forward or cut-through switching, Ports links that all work at once, and an injection and an ejection
// channel for each. A packet pays Setup ticks on every link before its first flit; every link carries one packet at a time.
//
//   link p -+-> route -> packet_buffer p ------+
//           |                                  +-> packet_output q -> link q
//           |   route -> injection_register q -+
//           +-> ejection register p -> PE
//
// The packet at the front of a buffer may go when it is here whole (cut-through: when its head is here), a packet of the
// PE with its head. Packets behind it wait. An injection register sends over the link of its number.
//
//   sender   room_i  <- room_o   receiver: there is room for a largest packet in the buffer of that link
//            valid_o -> valid_i  of each flit, Setup+Flit-1 ticks after room or later; never waits
//
// Flit, most significant first: {vc, head, tail, kind[2], tag, src, dst, route, payload}; with HeadFlit {vc, head, tail,
// payload}, and the payload of a head holds {route, kind[2], tag, src, dst} in its lowest bits.
module packet_router_all_ports #(
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
  parameter [Ports*(Ports+1)-1:0] Paths = {Ports * (Ports + 1) {1'b1}},  // bit o*(Ports+1)+i: turn i -> o exists
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
  // Link outputs.
  output wire [Ports-1:0]            offer_o,      // for observers: a flit crosses, or a packet waits for room
  input  wire [Ports-1:0]            room_i,
  output wire [Ports-1:0]            valid_o,      // crosses in this tick
  output wire [Ports*FlitWidth-1:0]  flit_o,
  // Link inputs.
  output wire [Ports-1:0]            room_o,       // from registers
  input  wire [Ports-1:0]            valid_i,      // only of packets that started when there was room
  input  wire [Ports*FlitWidth-1:0]  flit_i,
  output wire [Ports*CountWidth-1:0] count_o,      // flits in each input buffer
  input  wire [Ports*Word-1:0]       upset_i,      // bits that change in the stored payload of the flit that comes in
  output wire [15:0]                 corrected_o,  // flits that left a buffer with errors, see input_buffer
  output wire [15:0]                 detected_o,
  // PE, a channel for each link: a flit is accepted when valid & ready. Ready = injection register empty at the start of
  // the tick.
  input  wire [Ports-1:0]            inj_valid_i,
  input  wire [Ports*FlitWidth-1:0]  inj_flit_i,
  output wire [Ports-1:0]            inj_ready_o,
  // The PE always takes.
  output wire [Ports-1:0]            ej_valid_o,
  output wire [Ports*FlitWidth-1:0]  ej_flit_o,
  output wire                        lost_o        // a flit was missing or had no room: never in a sound network
);
  localparam Inputs = Ports + 1;  // of an output: link inputs, then its injection register
  localparam DstLsb = (HeadFlit != 0) ? 0 : Width + RouteWidth;
  localparam RouteLsb = (HeadFlit != 0) ? 2 * NodeWidth + TagWidth + 2 : Width;
  localparam AtOnce = (CutThrough != 0 || Setup + Flit == 1) ? 1 : 0;  // flits may leave in the tick after they came in
  localparam Room = Buffer - Packet;  // most flits in a buffer with room for one more packet
  localparam [CountWidth-1:0] Most = Room[CountWidth-1:0];

  generate
    if (Packet < 1 || Packet > Buffer) begin : gen_bad_packet
      packet_router_needs_buffers_that_hold_the_largest_packet i_stop ();
    end
  endgenerate

  // Inputs 0 to Ports-1: links; Ports to 2*Ports-1: injection channels. A front is one of two flits, as on the next link.
  wire [2*Ports-1:0]             full;       // has a flit at its front
  wire [2*Ports-1:0]             tail;       // a tail
  wire [2*Ports*2*BodyWidth-1:0] fronts;
  wire [2*Ports-1:0]             seconds;    // the second one is it
  wire [2*Ports-1:0]             ready;      // of a packet that may go
  wire [2*Ports-1:0]             leave;
  wire [Ports*Ports-1:0]         wants;      // bit p*Ports+q: link input p's front goes to link q
  wire [Ports*Ports-1:0]         leaving;    // bit p*Ports+q: it leaves over link q
  wire [Ports-1:0]               crowded;    // a flit comes in to a full buffer
  wire [Ports-1:0]               corrected, detected;  // errors of flits that leave
  assign lost_o = |(leave & ~full) | (|crowded);

  genvar p;
  genvar i;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_input
      wire [CountWidth-1:0] count;
      wire                  unused = &{1'b0, flit_i[p*FlitWidth+BodyWidth]};
      assign count_o[p*CountWidth+:CountWidth] = count;
      assign room_o[p] = count <= Most;
      assign ej_flit_o[p*FlitWidth+BodyWidth] = 1'b0;
      assign leave[p] = |leaving[p*Ports+:Ports];

      packet_input #(
        .CutThrough(CutThrough),
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
        .Buffer    (Buffer),
        .Packets   (Room + 1),
        .AtOnce    (AtOnce),
        .Code      (Code),
        .Upsets    (Upsets),
        .Payload   (Width),
        .Word      (Word),
        .Width     (BodyWidth)
      ) i_input (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .tick_i     (tick_i),
        .node_i     (node_i),
        .here_i     (here_i),
        .table_i    (table_i),
        .valid_i    (valid_i[p]),
        .flit_i     (flit_i[p*FlitWidth+:BodyWidth]),
        .upset_i    (upset_i[p*Word+:Word]),
        .count_o    (count),
        .valid_o    (full[p]),
        .ready_o    (ready[p]),
        .tail_o     (tail[p]),
        .word_o     (fronts[2*p*BodyWidth+:BodyWidth]),
        .arrived_o  (fronts[(2*p+1)*BodyWidth+:BodyWidth]),
        .recent_o   (seconds[p]),
        .port_o     (wants[p*Ports+:Ports]),
        .leave_i    (leave[p]),
        .crowded_o  (crowded[p]),
        .corrected_o(corrected[p]),
        .detected_o (detected[p]),
        .ej_valid_o (ej_valid_o[p]),
        .ej_flit_o  (ej_flit_o[p*FlitWidth+:BodyWidth])
      );
    end

    for (p = 0; p < Ports; p = p + 1) begin : gen_channel
      wire [Ports:0] port;
      wire           unused = &{1'b0, inj_flit_i[p*FlitWidth+BodyWidth], port};
      assign seconds[Ports+p] = inj_ready_o[p];

      packet_channel #(
        .HeadFlit  (HeadFlit),
        .Kind      (Kind),
        .Ports     (Ports),
        .Link      (p),
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
        .valid_i  (inj_valid_i[p]),
        .flit_i   (inj_flit_i[p*FlitWidth+:BodyWidth]),
        .ready_o  (inj_ready_o[p]),
        .valid_o  (full[Ports+p]),
        .head_o   (ready[Ports+p]),
        .tail_o   (tail[Ports+p]),
        .kept_o   (fronts[2*(Ports+p)*BodyWidth+:BodyWidth]),
        .arrived_o(fronts[(2*(Ports+p)+1)*BodyWidth+:BodyWidth]),
        .port_o   (port),
        .leave_i  (leave[Ports+p])
      );
    end

    for (p = 0; p < Ports; p = p + 1) begin : gen_output
      wire [Inputs-1:0] request;
      wire [Inputs-1:0] left;
      assign request[Ports] = ready[Ports+p];
      assign leave[Ports+p] = left[Ports];
      assign flit_o[p*FlitWidth+BodyWidth] = 1'b0;
      for (i = 0; i < Ports; i = i + 1) begin : gen_request
        assign request[i] = ready[i] & wants[i*Ports+p];
        assign leaving[i*Ports+p] = left[i];
      end

      packet_output #(
        .Inputs(Inputs),
        .Width (BodyWidth),
        .Paths (Paths[p*Inputs+:Inputs]),
        .Twice ({1'b1, {Ports{AtOnce != 0}}}),
        .Setup (Setup),
        .Flit  (Flit)
      ) i_output (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(request),
        .tail_i   ({tail[Ports+p], tail[Ports-1:0]}),
        .flit_i   ({fronts[2*(Ports+p)*BodyWidth+:2*BodyWidth], fronts[2*Ports*BodyWidth-1:0]}),
        .second_i ({seconds[Ports+p], seconds[Ports-1:0]}),
        .room_i   (room_i[p]),
        .offer_o  (offer_o[p]),
        .fire_o   (valid_o[p]),
        .leave_o  (left),
        .flit_o   (flit_o[p*FlitWidth+:BodyWidth])
      );
    end
  endgenerate

  error_counters #(
    .Inputs(Ports),
    .Code  (Code)
  ) i_errors (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (tick_i),
    .corrected_i(corrected),
    .detected_i (detected),
    .corrected_o(corrected_o),
    .detected_o (detected_o)
  );
endmodule
