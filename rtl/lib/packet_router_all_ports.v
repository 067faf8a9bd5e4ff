// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One chip: store-forward or cut-through switching, Ports links that all work at once, and an injection and an ejection
// channel for each. A packet pays Setup ticks on every link before its first flit; every link sends one packet at a time
// and receives one at a time.
//
//   link p --+-> input_buffer p ---------> route --+
//            |                                     +-> packet_output q -> link q
//            |   injection_register q ---> route --+
//            +-> ejection register p -> PE
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
  localparam TailBit = BodyWidth - 2;
  localparam Room = Buffer - Packet;  // most flits in a buffer with room for one more packet
  localparam [CountWidth-1:0] Most = Room[CountWidth-1:0];

  generate
    if (Packet < 1 || Packet > Buffer) begin : gen_bad_packet
      packet_router_needs_buffers_that_hold_the_largest_packet i_stop ();
    end
  endgenerate

  // Inputs 0 to Ports-1: links; Ports to 2*Ports-1: injection channels.
  wire [2*Ports-1:0]           full;     // has a flit at its front
  wire [2*Ports*BodyWidth-1:0] routed;   // the flit, as it is on the next link
  wire [2*Ports-1:0]           head;     // a packet that may go is at the front
  wire [2*Ports-1:0]           leave;
  wire [Ports*Ports-1:0]       wants;    // bit p*Ports+q: link input p's front goes to link q
  wire [Ports*Ports-1:0]       leaving;  // bit p*Ports+q: it leaves over link q
  wire [Ports-1:0]             crowded;  // a flit comes in to a full buffer
  wire [Ports-1:0]             corrected;  // errors of flits that leave
  wire [Ports-1:0]             detected;
  assign lost_o = |(leave & ~full) | (|crowded);

  genvar p;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_input
      wire [CountWidth-1:0] count;
      wire [Ports:0]        port;
      wire                  unused = &{1'b0, flit_i[p*FlitWidth+BodyWidth], port[Ports]};
      assign count_o[p*CountWidth+:CountWidth] = count;
      assign room_o[p] = count <= Most;
      assign ej_flit_o[p*FlitWidth+BodyWidth] = 1'b0;
      assign leave[p] = |leaving[p*Ports+:Ports];
      assign wants[p*Ports+:Ports] = port[Ports-1:0];

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
        .head_o     (head[p]),
        .flit_o     (routed[p*BodyWidth+:BodyWidth]),
        .port_o     (port),
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
`ifndef SYNTHESIS
      rule #(
        .Name("packet_router_all_ports/over-its-own-link")
      ) i_over_its_own_link (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(tick_i & head[Ports+p] & (|port[Ports-1:0]) & !port[p])
      );
`endif

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
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .here_i (here_i),
        .table_i(table_i),
        .valid_i(inj_valid_i[p]),
        .flit_i (inj_flit_i[p*FlitWidth+:BodyWidth]),
        .ready_o(inj_ready_o[p]),
        .valid_o(full[Ports+p]),
        .head_o (head[Ports+p]),
        .flit_o (routed[(Ports+p)*BodyWidth+:BodyWidth]),
        .port_o (port),
        .leave_i(leave[Ports+p])
      );
    end
  endgenerate

  genvar i;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_output
      wire [Inputs-1:0] request;
      wire [Inputs-1:0] left;
      assign request[Ports] = head[Ports+p];
      assign leave[Ports+p] = left[Ports];
      assign flit_o[p*FlitWidth+BodyWidth] = 1'b0;
      for (i = 0; i < Ports; i = i + 1) begin : gen_request
        assign request[i] = head[i] & wants[i*Ports+p];
        assign leaving[i*Ports+p] = left[i];
      end

      packet_output #(
        .Inputs(Inputs),
        .Width (BodyWidth),
        .Tail  (TailBit),
        .Setup (Setup),
        .Flit  (Flit)
      ) i_output (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (tick_i),
        .request_i(request),
        .flit_i   ({routed[(Ports+p)*BodyWidth+:BodyWidth], routed[Ports*BodyWidth-1:0]}),
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
