// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One chip: store-forward or cut-through switching, Ports links, one injection and one ejection channel. A packet pays
// Setup ticks on every link before its first flit; the chip sends one packet at a time and receives one at a time.
//
//   links -+-> input_buffers ------+
//          |                       +-> front of the input whose turn it is -> route -> links
//          |   injection_register -+
//          +-> ejection register -> PE
//
// The order queue holds the inputs with packets to send, first come, first served: a link input for each packet that
// is here whole (cut-through: whose head is here), the injection register for a head that the PE placed.
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
  output reg                         ej_valid_o,
  output wire [FlitWidth-1:0]        ej_flit_o,
  output wire                        lost_o        // a flit was missing or had no room: never in a sound network
);
  localparam Inputs = Ports + 1;  // link inputs, then the injection register
  localparam DstLsb = (HeadFlit != 0) ? 0 : Width + RouteWidth;
  localparam RouteLsb = (HeadFlit != 0) ? 2 * NodeWidth + TagWidth + 2 : Width;
  localparam HeadBit = BodyWidth - 1;
  localparam TailBit = BodyWidth - 2;
  localparam OrderWidth = $clog2(Inputs);
  localparam Room = Buffer - Packet;  // most flits in a buffer with room for one more packet
  localparam [CountWidth-1:0] Most = Room[CountWidth-1:0];

  generate
    if (Packet < 1) begin : gen_bad_packet
      packet_router_needs_packets_of_at_least_one_flit i_stop ();
    end
    if (Packet > Buffer) begin : gen_bad_buffer
      packet_router_needs_buffers_that_hold_the_largest_packet i_stop ();
    end
  endgenerate

  // Receiving: the port of the packet that comes in, granted in this tick or before.
  reg  [Ports-1:0]     receiving_q;
  wire [Ports-1:0]     room;
  wire [BodyWidth-1:0] arrival;
  wire [Ports-1:0]     gone;                   // the flit's vc bit: its link loses it, see link_fault
  wire [Ports-1:0]     come = valid_i & ~gone;
  wire                 arrives = |come;
  wire                 home;

  packet_home #(
    .HeadFlit (HeadFlit),
    .NodeWidth(NodeWidth)
  ) i_home (
    .clk_i        (clk_i),
    .tick_i       (tick_i),
    .valid_i      (arrives),
    .head_i       (arrival[HeadBit]),
    .destination_i(arrival[DstLsb+:NodeWidth]),
    .node_i       (node_i),
    .home_o       (home)
  );

  age_arbiter #(
    .Inputs(Ports)
  ) i_arbiter (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .tick_i   (tick_i),
    .request_i(request_i),
    .ready_i  (room & {Ports{!(|receiving_q)}}),
    .grant_o  (grant_o)
  );

  always @(posedge clk_i) begin
    if (rst_i | (tick_i & (|valid_i) & arrival[TailBit])) receiving_q <= {Ports{1'b0}};
    else if (tick_i) receiving_q <= receiving_q | grant_o;
  end

  // Ejection register.
  reg [BodyWidth-1:0] ej_flit_q;
  assign ej_flit_o = {1'b0, ej_flit_q};

  always @(posedge clk_i) begin
    if (tick_i) ej_flit_q <= arrival;
    if (rst_i) ej_valid_o <= 1'b0;
    else if (tick_i) ej_valid_o <= arrives & home;
  end

  // Inputs.
  wire [Inputs-1:0]           full;    // has a flit at its front
  wire [Inputs*BodyWidth-1:0] fronts;
  wire [Inputs-1:0]           leave;
  wire [Ports*BodyWidth-1:0]  arrivals;
  wire [Ports-1:0]            crowded;  // a flit comes in to a full buffer
  wire [Ports-1:0]            corrected;  // errors of flits that leave
  wire [Ports-1:0]            detected;

  genvar p;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_input
      wire [CountWidth-1:0] count;
      wire                  push = come[p] & !home;
      assign gone[p] = flit_i[p*FlitWidth+BodyWidth];
      assign arrivals[p*BodyWidth+:BodyWidth] = flit_i[p*FlitWidth+:BodyWidth];
      assign count_o[p*CountWidth+:CountWidth] = count;
      assign room[p] = count <= Most;
      assign crowded[p] = push & (count == Buffer[CountWidth-1:0]);

      input_buffer #(
        .Width  (BodyWidth),
        .Buffer (Buffer),
        .Ram    (1),
        .Code   (Code),
        .Payload(Width),
        .Word   (Word),
        .Upsets (Upsets)
      ) i_buffer (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .tick_i     (tick_i),
        .push_i     (push),
        .data_i     (arrivals[p*BodyWidth+:BodyWidth]),
        .upset_i    (upset_i[p*Word+:Word]),
        .pop_i      (leave[p]),
        .valid_o    (full[p]),
        .data_o     (fronts[p*BodyWidth+:BodyWidth]),
        .count_o    (count),
        .corrected_o(corrected[p]),
        .detected_o (detected[p])
      );
    end
  endgenerate

  wire unused_vc = inj_flit_i[BodyWidth];
  injection_register #(
    .Width(BodyWidth)
  ) i_register (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .valid_i(inj_valid_i),
    .flit_i (inj_flit_i[BodyWidth-1:0]),
    .ready_o(inj_ready_o),
    .valid_o(full[Ports]),
    .flit_o (fronts[Ports*BodyWidth+:BodyWidth]),
    .leave_i(leave[Ports])
  );

  crossbar_mux #(
    .Inputs(Ports),
    .Width (BodyWidth)
  ) i_arrival (
    .select_i(valid_i),
    .flit_i  (arrivals),
    .flit_o  (arrival)
  );

  // Order queue: numbers of link inputs, all ones for the injection register.
  wire                  start;        // the candidate's packet
  wire                  queued;
  wire [OrderWidth-1:0] front;
  wire [Inputs-1:0]     turn;
  wire                  placed = inj_valid_i & inj_ready_o & inj_flit_i[HeadBit];
  wire                  eligible = arrives & !home & ((CutThrough != 0) ? arrival[HeadBit] : arrival[TailBit]);
  wire [Inputs-1:0]     candidate = queued ? turn : {1'b1, {Ports{1'b0}}};
  reg  [OrderWidth-1:0] number;       // of the link input with the arrival
  integer               link;

  always @* begin
    number = {OrderWidth{1'b0}};
    for (link = 0; link < Ports; link = link + 1) if (valid_i[link]) number = number | link[OrderWidth-1:0];
  end

  order_queue #(
    .Width(OrderWidth),
    .Depth(Ports * (Room + 1) + 1)  // packets of one flit in every buffer, one in the register
  ) i_order (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .push_i ({eligible, placed & !(start & candidate[Ports])}),
    .entry_i({number, {OrderWidth{1'b1}}}),
    .pop_i  (start & queued),
    .valid_o(queued),
    .front_o(front)
  );

  port_decoder #(
    .Ports(Ports),
    .Width(OrderWidth)
  ) i_turn (
    .port_i(front),
    .port_o(turn)
  );

  // Sending.
  reg  [Inputs-1:0]    from_q;
  reg  [Ports-1:0]     through_q;
  wire                 busy;
  wire                 fire;
  wire [BodyWidth-1:0] flit;
  wire [Ports:0]       port;
  wire                 unused_here = port[Ports];  // packets for this chip are not queued
  wire [Inputs-1:0]    from = busy ? from_q : candidate;
  wire [Ports-1:0]     through = busy ? through_q : port[Ports-1:0];
  wire                 ask = !busy & (queued | (full[Ports] & fronts[Ports*BodyWidth+HeadBit]));
  assign request_o = ask ? port[Ports-1:0] : {Ports{1'b0}};
  assign start = |(request_o & grant_i);
  assign valid_o = fire ? through : {Ports{1'b0}};
  assign leave = fire ? from : {Inputs{1'b0}};
  assign lost_o = |(leave & ~full) | (|crowded);

  always @(posedge clk_i) begin
    if (tick_i & !busy) from_q <= from;
    if (tick_i & !busy) through_q <= through;
  end

  packet_timer #(
    .Setup(Setup),
    .Flit (Flit)
  ) i_timer (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .start_i(start),
    .tail_i (flit[TailBit]),
    .busy_o (busy),
    .fire_o (fire)
  );

  crossbar_mux #(
    .Inputs(Inputs),
    .Width (BodyWidth)
  ) i_front (
    .select_i(from),
    .flit_i  (fronts),
    .flit_o  (flit)
  );

  // Only heads have a route.
  wire [BodyWidth-1:0] routed;
  assign flit_o[BodyWidth-1:0] = (HeadFlit != 0 && !flit[HeadBit]) ? flit : routed;
  assign flit_o[BodyWidth] = 1'b0;
  route #(
    .Kind      (Kind),
    .Ports     (Ports),
    .Width     (BodyWidth),
    .NodeWidth (NodeWidth),
    .DstLsb    (DstLsb),
    .RouteLsb  (RouteLsb),
    .RouteWidth(RouteWidth),
    .PortWidth (PortWidth),
    .EntryWidth(EntryWidth),
    .Dims      (Dims),
    .Sizes     (Sizes),
    .Wrapped   (Wrapped)
  ) i_route (
    .flit_i (flit),
    .here_i (here_i),
    .table_i(table_i),
    .flit_o (routed),
    .port_o (port)
  );

  // What the code of the buffers met; the flits counted are those that leave.
  error_counter #(
    .Inputs (Ports),
    .Enabled(Code == 2)
  ) i_corrected (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .error_i(corrected),
    .count_o(corrected_o)
  );
  error_counter #(
    .Inputs (Ports),
    .Enabled(Code != 0)
  ) i_detected (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .error_i(detected),
    .count_o(detected_o)
  );

`ifndef SYNTHESIS
  rule #(
    .Name("packet_router/one-arrival")
  ) i_one_arrival (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & |(valid_i & (valid_i - 1'b1)))
  );
  rule #(
    .Name("packet_router/port-is-one-hot")
  ) i_port_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & ask & (!(|port) | |(port & (port - 1'b1))))
  );
  rule #(
    .Name("packet_router/not-for-this-chip")
  ) i_not_for_this_chip (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & ask & port[Ports])
  );
`endif
endmodule
