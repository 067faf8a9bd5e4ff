// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One chip: wormhole switching, Ports links, Vcs virtual channels, Channels injection and ejection channels.
//
//   links -> input_buffer ------+-> wormhole_route -+-> wormhole_output per link -> links
//   PE ---> injection_register -+                   +-> wormhole_output per channel -> PE
//           `---------- wormhole_inputs ----------'   `------ wormhole_outputs ------'
//
// Inputs are numbered p*Vcs+v for the link ports, then Ports*Vcs+c for the injection channels. All decisions are
// taken from registers and from the flits that the PE offers in the same cycle. Flit, most significant first:
// {vc, head, tail, kind[2], tag, src, dst, route, payload}. With HeadFlit it is {vc, head, tail, payload}, and the payload
// of a head is {[course], .., route, kind[2], tag, src, dst}.
module wormhole_router #(
  parameter                         Ports      = 4,
  parameter                         Vcs        = 1,
  parameter                         Channels   = 1,               // 1, or one per link port
  parameter                         Buffer     = 4,               // flits per input buffer
  parameter                         Ram        = 0,               // 1: buffers are memories, see flit_ram
  parameter                         Code       = 0,               // of the buffers: 0 none, 1 parity, 2 SECDED
  parameter                         Upsets     = 0,               // 1: upset_i works
  parameter                         Flit       = 1,               // cycles per flit of a link or an ejection channel
  parameter [Ports*7-1:0]           Flits      = {Ports{Flit[6:0]}},  // where links differ: of each outgoing one, 7 bits by port
  parameter [Ports*7-1:0]           TakeFlits  = {Ports{Flit[6:0]}},  // and of each incoming one
  parameter                         Claim      = 0,               // 1: a claim takes a cycle, see output_vc
  parameter                         SinglePort = 0,               // 1: one flit out and one in per cycle
  parameter                         HalfDuplex = 0,               // 1: the PE does not send while it receives
  parameter                         Dateline   = 0,               // 1: the lowest bit of the vc is a dateline class
  parameter                         Kind       = 0,               // routing: 0 dimension order, 1 table, 2 source, 3 highest
                                                                  // dimension first, 4 O1TURN, 5 Valiant, 6 adaptive,
                                                                  // 7 to 10 turn models, see route_turns
  parameter                         Escape     = 1,               // adaptive: escape channels of a link
  parameter                         Classes    = Vcs,             // other routings: a head takes a virtual channel of its class, see class_choice
  parameter                         Dims       = 2,               // dimension order
  parameter [Dims*32-1:0]           Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]              Wrapped    = {Dims{1'b0}},
  parameter                         EntryWidth = 4,               // table: bits per entry
  parameter                         PortWidth  = 3,               // source: bits per hop
  parameter [Ports*(Ports+1)-1:0]   Paths      = {Ports * (Ports + 1) {1'b1}},  // bit o*(Ports+1)+i: turns i -> o exist
  parameter                         NodeWidth  = 6,
  parameter                         TagWidth   = 8,
  parameter                         RouteWidth = 0,
  parameter                         Width      = 32,
  parameter                         HeadFlit   = 0,               // 1: the header is the payload of a message's first flit
  parameter                         Ahead      = 0,               // 1: heads carry their course, see course_ahead (with HeadFlit, dimension order)
  parameter                         Word       = Width,           // bits of a stored payload, check bits included
  // Derived: leave alone.
  parameter                         VcWidth    = (Vcs > 1) ? $clog2(Vcs) : 1,
  parameter                         BodyWidth  = 2 + Width + ((HeadFlit != 0) ? 0 : 2 + TagWidth + 2 * NodeWidth + RouteWidth),
  parameter                         FlitWidth  = VcWidth + BodyWidth,
  parameter                         CountWidth = $clog2(Buffer + 1),
  parameter                         TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1
) (
  input  wire                            clk_i,
  input  wire                            rst_i,
  input  wire                            tick_i,       // the network's time advances at this edge
  // Constants of the chip; inputs, so that all chips share one module.
  input  wire [Dims*NodeWidth-1:0]       here_i,       // own coordinates (dimension order)
  input  wire [TableWidth-1:0]           table_i,      // next hops (table)
  input  wire [Ports-1:0]                wraps_i,      // ports whose outgoing link closes a ring (dateline)
  // Link outputs: a flit crosses when valid & ready[its vc] & take. Ready comes from registers; valid does not
  // depend on take.
  output wire [Ports-1:0]                valid_o,
  output wire [Ports*FlitWidth-1:0]      flit_o,
  input  wire [Ports*Vcs-1:0]            ready_i,
  input  wire [Ports*Vcs-1:0]            empty_i,      // buffers behind the links (adaptive)
  input  wire [Ports-1:0]                take_i,
  // Link inputs: an offer is valid and ready where it comes from; what was taken arrives Hop-1 cycles later.
  input  wire [Ports-1:0]                offer_i,
  output wire [Ports-1:0]                take_o,
  input  wire [Ports-1:0]                valid_i,
  input  wire [Ports*FlitWidth-1:0]      flit_i,
  output wire [Ports*Vcs*CountWidth-1:0] count_o,      // flits in each input buffer
  input  wire [Ports*Word-1:0]           upset_i,      // bits that change in the stored payload of the flit that comes in
  output wire [15:0]                     corrected_o,  // flits that left a buffer with errors, see input_buffer
  output wire [15:0]                     detected_o,
  // PE: a flit is accepted when valid & ready. Ready = injection register empty at the start of the cycle.
  input  wire [Channels-1:0]             inj_valid_i,
  input  wire [Channels*FlitWidth-1:0]   inj_flit_i,
  output wire [Channels-1:0]             inj_ready_o,
  // PE: a flit is taken when valid & ready[its vc]. Ready comes from registers; tied to ones, it costs nothing. A flit
  // that is not taken may be withdrawn or give way to another one.
  output wire [Channels-1:0]             ej_valid_o,
  input  wire [Channels*Vcs-1:0]         ej_ready_i,
  output wire [Channels*FlitWidth-1:0]   ej_flit_o
);
  localparam Inputs = Ports * Vcs + Channels;
  localparam RouteLsb = (HeadFlit != 0) ? 2 * NodeWidth + TagWidth + 2 : Width;
  localparam DstLsb = (HeadFlit != 0) ? 0 : Width + RouteWidth;
  localparam CourseLsb = Width - 2 * Dims;
  localparam Ends = (Ahead != 0 && Vcs > 1) ? 1 : 0;  // a course changes behind the crossbar: there are fewer links than inputs

  generate
    if (Channels != 1 && Channels != Ports) begin : gen_bad_channels
      wormhole_router_has_one_channel_or_one_per_link_port i_stop ();
    end
    if (Ahead != 0 && (HeadFlit == 0 || Kind % 3 != 0 || RouteLsb + RouteWidth > CourseLsb)) begin : gen_bad_ahead
      a_course_ahead_needs_dimension_order_and_room_in_the_head i_stop ();
    end
    if (Vcs < 1) begin : gen_bad_vcs
      wormhole_router_needs_at_least_one_virtual_channel i_stop ();
    end
  endgenerate

  // What the inputs show the outputs, see wormhole_inputs.
  wire [Inputs-1:0]           valid;
  wire [Inputs*BodyWidth-1:0] front;
  wire [Inputs*BodyWidth-1:0] onward;
  wire [Inputs*(Ports+1)-1:0] goes;
  wire [Inputs-1:0]           turn;
  wire [Inputs*Vcs-1:0]       chosen;
  wire [Channels*VcWidth-1:0] inj_vc;
  wire [Inputs-1:0]           pop;
  wire [Ports*FlitWidth-1:0]  sent;
  wire [Ports*Vcs-1:0]        unclaimed;
  wire [Ports*Vcs-1:0]        corrected;
  wire [Ports*Vcs-1:0]        detected;

  wormhole_inputs #(
    .Ports      (Ports),
    .Vcs        (Vcs),
    .Channels   (Channels),
    .Buffer     (Buffer),
    .Ram        (Ram),
    .Code       (Code),
    .Upsets     (Upsets),
    .Dateline   (Dateline),
    .Kind       (Kind),
    .Escape     (Escape),
    .Dims       (Dims),
    .Sizes      (Sizes),
    .Wrapped    (Wrapped),
    .EntryWidth (EntryWidth),
    .PortWidth  (PortWidth),
    .NodeWidth  (NodeWidth),
    .DstLsb     (DstLsb),
    .RouteLsb   (RouteLsb),
    .RouteWidth (RouteWidth),
    .Width      (Width),
    .Word       (Word),
    .HeadFlit   (HeadFlit),
    .Ahead      (Ahead),
    .CourseLsb  (CourseLsb),
    .Ends       (Ends),
    .Paths      (Paths),
    .BodyWidth  (BodyWidth)
  ) i_inputs (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (tick_i),
    .here_i     (here_i),
    .table_i    (table_i),
    .idle_i     ((Kind == 6) ? unclaimed & empty_i : unclaimed),
    .valid_i    (valid_i),
    .flit_i     (flit_i),
    .upset_i    (upset_i),
    .count_o    (count_o),
    .inj_valid_i(inj_valid_i),
    .inj_flit_i (inj_flit_i),
    .inj_ready_o(inj_ready_o),
    .valid_o    (valid),
    .front_o    (front),
    .onward_o   (onward),
    .goes_o     (goes),
    .turn_o     (turn),
    .chosen_o   (chosen),
    .inj_vc_o   (inj_vc),
    .pop_i      (pop),
    .corrected_o(corrected),
    .detected_o (detected)
  );

  wormhole_outputs #(
    .Ports      (Ports),
    .Vcs        (Vcs),
    .Channels   (Channels),
    .Flit       (Flit),
    .Flits      (Flits),
    .TakeFlits  (TakeFlits),
    .Claim      (Claim),
    .SinglePort (SinglePort),
    .HalfDuplex (HalfDuplex),
    .Dateline   (Dateline),
    .Kind       (Kind),
    .Classes    (Classes),
    .Paths      (Paths),
    .BodyWidth  (BodyWidth)
  ) i_outputs (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (tick_i),
    .wraps_i    (wraps_i),
    .valid_i    (valid),
    .front_i    (front),
    .onward_i   (onward),
    .goes_i     (goes),
    .turn_i     (turn),
    .chosen_i   (chosen),
    .inj_vc_i   (inj_vc),
    .pop_o      (pop),
    .unclaimed_o(unclaimed),
    .valid_o    (valid_o),
    .flit_o     (sent),
    .ready_i    (ready_i),
    .take_i     (take_i),
    .offer_i    (offer_i),
    .take_o     (take_o),
    .ej_valid_o (ej_valid_o),
    .ej_ready_i (ej_ready_i),
    .ej_flit_o  (ej_flit_o)
  );

  genvar o;
  generate
    for (o = 0; o < Ports; o = o + 1) begin : gen_link
      assign flit_o[o*FlitWidth+BodyWidth+:VcWidth] = sent[o*FlitWidth+BodyWidth+:VcWidth];
      course_end #(
        .Enabled  (Ends),
        .Port     (o),
        .Width    (BodyWidth),
        .DstLsb   (DstLsb),
        .CourseLsb(CourseLsb),
        .Dims     (Dims),
        .Sizes    (Sizes),
        .NodeWidth(NodeWidth)
      ) i_end (
        .here_i(here_i),
        .flit_i(sent[o*FlitWidth+:BodyWidth]),
        .flit_o(flit_o[o*FlitWidth+:BodyWidth])
      );
    end
  endgenerate

  error_counters #(
    .Inputs(Ports * Vcs),
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
