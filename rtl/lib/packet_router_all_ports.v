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
  output reg  [Ports-1:0]            ej_valid_o,
  output wire [Ports*FlitWidth-1:0]  ej_flit_o,
  output wire                        lost_o        // a flit was missing or had no room: never in a sound network
);
  localparam Inputs = Ports + 1;  // of an output: link inputs, then its injection register
  localparam DstLsb = (HeadFlit != 0) ? 0 : Width + RouteWidth;
  localparam RouteLsb = (HeadFlit != 0) ? 2 * NodeWidth + TagWidth + 2 : Width;
  localparam HeadBit = BodyWidth - 1;
  localparam TailBit = BodyWidth - 2;
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

  // Inputs 0 to Ports-1: links; Ports to 2*Ports-1: injection registers.
  wire [2*Ports-1:0]           full;     // has a flit at its front
  wire [2*Ports*BodyWidth-1:0] fronts;
  wire [2*Ports*BodyWidth-1:0] routed;   // as they are on the next link
  wire [2*Ports-1:0]           head;     // a packet that may go is at the front
  wire [2*Ports-1:0]           leave;
  wire [Ports*Ports-1:0]       wants;    // bit p*Ports+q: link input p's front goes to link q
  wire [2*Ports-1:0]           astray;   // front: to no port, or to several
  wire [2*Ports-1:0]           wrong;    // front: to this chip from a link, or from a register over another link
  wire [Ports-1:0]             crowded;  // a flit comes in to a full buffer
  wire [Ports-1:0]             corrected;  // errors of flits that leave
  wire [Ports-1:0]             detected;
  assign lost_o = |(leave & ~full) | (|crowded);

  genvar p;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_input
      wire [BodyWidth-1:0]  arrival = flit_i[p*FlitWidth+:BodyWidth];
      wire                  unused_vc = flit_i[p*FlitWidth+BodyWidth];
      wire                  home;
      wire                  push = valid_i[p] & !home;
      wire                  whole;  // the packet at the front has come to its tail
      wire [CountWidth-1:0] count;
      assign count_o[p*CountWidth+:CountWidth] = count;
      assign room_o[p] = count <= Most;
      assign crowded[p] = push & (count == Buffer[CountWidth-1:0]);
      assign head[p] = full[p] & fronts[p*BodyWidth+HeadBit] & whole;

      packet_home #(
        .HeadFlit (HeadFlit),
        .NodeWidth(NodeWidth)
      ) i_home (
        .clk_i        (clk_i),
        .tick_i       (tick_i),
        .valid_i      (valid_i[p]),
        .head_i       (arrival[HeadBit]),
        .destination_i(arrival[DstLsb+:NodeWidth]),
        .node_i       (node_i),
        .home_o       (home)
      );

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
        .data_i     (arrival),
        .upset_i    (upset_i[p*Word+:Word]),
        .pop_i      (leave[p]),
        .valid_o    (full[p]),
        .data_o     (fronts[p*BodyWidth+:BodyWidth]),
        .count_o    (count),
        .corrected_o(corrected[p]),
        .detected_o (detected[p])
      );

      if (CutThrough != 0) begin : gen_cut_through
        assign whole = 1'b1;
      end else begin : gen_store
        reg  [CountWidth-1:0] tails_q;  // in the buffer
        wire                  come = push & arrival[TailBit];
        wire                  gone = leave[p] & fronts[p*BodyWidth+TailBit];
        assign whole = |tails_q;

        always @(posedge clk_i) begin
          if (rst_i) tails_q <= {CountWidth{1'b0}};
          else if (tick_i & (come != gone)) tails_q <= come ? tails_q + 1'b1 : tails_q - 1'b1;
        end
      end

      // Ejection register.
      reg [BodyWidth-1:0] ej_flit_q;
      assign ej_flit_o[p*FlitWidth+:FlitWidth] = {1'b0, ej_flit_q};

      always @(posedge clk_i) begin
        if (tick_i) ej_flit_q <= arrival;
        if (rst_i) ej_valid_o[p] <= 1'b0;
        else if (tick_i) ej_valid_o[p] <= valid_i[p] & home;
      end
    end

    for (p = 0; p < Ports; p = p + 1) begin : gen_register
      wire unused_vc = inj_flit_i[p*FlitWidth+BodyWidth];
      assign head[Ports+p] = full[Ports+p] & fronts[(Ports+p)*BodyWidth+HeadBit];

      injection_register #(
        .Width(BodyWidth)
      ) i_register (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .valid_i(inj_valid_i[p]),
        .flit_i (inj_flit_i[p*FlitWidth+:BodyWidth]),
        .ready_o(inj_ready_o[p]),
        .valid_o(full[Ports+p]),
        .flit_o (fronts[(Ports+p)*BodyWidth+:BodyWidth]),
        .leave_i(leave[Ports+p])
      );
    end

    for (p = 0; p < 2 * Ports; p = p + 1) begin : gen_route
      wire [Ports:0]       port;
      wire [BodyWidth-1:0] front = fronts[p*BodyWidth+:BodyWidth];
      wire [BodyWidth-1:0] onward;
      assign routed[p*BodyWidth+:BodyWidth] = (HeadFlit != 0 && !front[HeadBit]) ? front : onward;  // only heads have a route
      assign astray[p] = !(|port) | (|(port & (port - 1'b1)));
      if (p < Ports) begin : gen_link
        assign wrong[p] = port[Ports];
        assign wants[p*Ports+:Ports] = port[Ports-1:0];
      end else begin : gen_register
        assign wrong[p] = !port[p-Ports] & (|port);
      end

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
        .flit_i (front),
        .here_i (here_i),
        .table_i(table_i),
        .flit_o (onward),
        .port_o (port)
      );
    end
  endgenerate

  genvar i;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_output
      wire [Inputs-1:0] request;
      wire [Inputs-1:0] left;
      wire [Ports-1:0]  link_leave;  // of this output or a lower one
      assign request[Ports] = head[Ports+p];
      assign leave[Ports+p] = left[Ports];
      assign flit_o[p*FlitWidth+BodyWidth] = 1'b0;
      for (i = 0; i < Ports; i = i + 1) begin : gen_request
        assign request[i] = head[i] & wants[i*Ports+p];
      end
      if (p == 0) begin : gen_leave
        assign link_leave = left[Ports-1:0];
      end else begin : gen_leave
        assign link_leave = left[Ports-1:0] | gen_output[p-1].link_leave;
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
  assign leave[Ports-1:0] = gen_output[Ports-1].link_leave;

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
    .Name("packet_router_all_ports/port-is-one-hot")
  ) i_port_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & |(head & astray))
  );
  rule #(
    .Name("packet_router_all_ports/not-for-this-chip")
  ) i_not_for_this_chip (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & |(head[Ports-1:0] & wrong[Ports-1:0]))
  );
  rule #(
    .Name("packet_router_all_ports/over-its-own-link")
  ) i_over_its_own_link (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & |(head[2*Ports-1:Ports] & wrong[2*Ports-1:Ports]))
  );
`endif
endmodule
