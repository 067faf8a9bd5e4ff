// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The receiving half of a chip that switches packets one at a time: it grants the oldest request for which there is
// room, takes the packet's flits, and routes them. Flits for the PE go to the ejection register, others to the buffer of
// their link.
module packet_receiver #(
  parameter               Ports      = 4,
  parameter               CutThrough = 0,
  parameter               HeadFlit   = 0,
  parameter               Kind       = 0,
  parameter               Dims       = 2,
  parameter [Dims*32-1:0] Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped    = {Dims{1'b0}},
  parameter               EntryWidth = 4,
  parameter               PortWidth  = 3,
  parameter               NodeWidth  = 6,
  parameter               DstLsb     = 32,
  parameter               RouteLsb   = 32,
  parameter               RouteWidth = 0,
  parameter               Buffer     = 16,
  parameter               Most       = 8,                                         // flits in a buffer with room for a packet
  parameter               Code       = 0,
  parameter               Upsets     = 0,
  parameter               Payload    = 32,
  parameter               Word       = Payload,
  parameter               BodyWidth  = 56,                                        // flit without its vc field
  parameter               FlitWidth  = 1 + BodyWidth,                             // derived
  parameter               CountWidth = $clog2(Buffer + 1),                        // derived
  parameter               TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1  // derived
) (
  input  wire                       clk_i,
  input  wire                       rst_i,
  input  wire                       tick_i,
  input  wire [NodeWidth-1:0]       node_i,
  input  wire [Dims*NodeWidth-1:0]  here_i,
  input  wire [TableWidth-1:0]      table_i,
  // Links.
  input  wire [Ports-1:0]           request_i,
  output wire [Ports-1:0]           grant_o,
  input  wire [Ports-1:0]           valid_i,     // only from a sender that was granted
  input  wire [Ports*FlitWidth-1:0] flit_i,
  // Buffers.
  input  wire [Ports*Word-1:0]       upset_i,
  output wire [Ports*CountWidth-1:0] count_o,
  output wire [Ports-1:0]            full_o,      // has a flit at its front
  output wire [Ports*BodyWidth-1:0]  word_o,      // it, as it is on the next link, unless recent_o
  output wire [BodyWidth-1:0]        arrived_o,   // it, if recent_o: one for all links, since one flit comes in at a time
  output wire [Ports-1:0]            recent_o,
  input  wire [Ports-1:0]            leave_i,
  output wire                        crowded_o,   // a flit comes in to a full buffer: never in a sound network
  output wire [15:0]                 corrected_o,
  output wire [15:0]                 detected_o,
  // A packet that may go on: whole (cut-through: its head).
  output wire                        eligible_o,
  output wire [Ports-1:0]            from_o,      // one-hot
  output wire [Ports-1:0]            to_o,
  // PE.
  output wire                       ej_valid_o,
  output wire [BodyWidth-1:0]       ej_flit_o
);
  localparam HeadBit = BodyWidth - 1;
  localparam TailBit = BodyWidth - 2;

  // The flit that comes in.
  wire [Ports*BodyWidth-1:0] arrivals;
  wire [BodyWidth-1:0]       arrival;
  wire [Ports-1:0]           gone;  // the flit's vc bit: its link loses it, see link_fault
  wire [Ports-1:0]           come = valid_i & ~gone;
  wire                       arrives = |come;
  wire                       home;
  wire [BodyWidth-1:0]       onward;  // as it is on the next link
  wire [Ports:0]             port;
  wire                       unused_here = port[Ports];  // packets for this chip are not queued
  assign from_o = come & {Ports{!home}};
  assign to_o = port[Ports-1:0];
  assign eligible_o = arrives & !home & ((CutThrough != 0) ? arrival[HeadBit] : arrival[TailBit]);

  // Buffers.
  localparam [CountWidth-1:0] Roomy = Most[CountWidth-1:0];
  wire [Ports-1:0] room;
  wire [Ports-1:0] crowded;
  wire [Ports-1:0] corrected;
  wire [Ports-1:0] detected;
  wire [Ports*BodyWidth-1:0] last;  // equal while they mean something
  assign crowded_o = |crowded;
  assign arrived_o = last[BodyWidth-1:0];
  generate
    if (Ports > 1) begin : gen_others
      wire unused = &{1'b0, last[Ports*BodyWidth-1:BodyWidth]};
    end
  endgenerate

  genvar p;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_link
      wire [CountWidth-1:0] count;
      assign gone[p] = flit_i[p*FlitWidth+BodyWidth];
      assign arrivals[p*BodyWidth+:BodyWidth] = flit_i[p*FlitWidth+:BodyWidth];
      assign count_o[p*CountWidth+:CountWidth] = count;
      assign room[p] = count <= Roomy;
      assign crowded[p] = from_o[p] & (count == Buffer[CountWidth-1:0]);

      packet_buffer #(
        .Width  (BodyWidth),
        .Buffer (Buffer),
        .Code   (Code),
        .Payload(Payload),
        .Word   (Word),
        .Upsets (Upsets)
      ) i_buffer (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .tick_i     (tick_i),
        .push_i     (from_o[p]),
        .data_i     (onward),
        .upset_i    (upset_i[p*Word+:Word]),
        .pop_i      (leave_i[p]),
        .valid_o    (full_o[p]),
        .word_o     (word_o[p*BodyWidth+:BodyWidth]),
        .arrived_o  (last[p*BodyWidth+:BodyWidth]),
        .recent_o   (recent_o[p]),
        .count_o    (count),
        .corrected_o(corrected[p]),
        .detected_o (detected[p])
      );
    end
  endgenerate

  crossbar_mux #(
    .Inputs(Ports),
    .Width (BodyWidth)
  ) i_arrival (
    .select_i(valid_i),
    .flit_i  (arrivals),
    .flit_o  (arrival)
  );

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

  // The link of the packet that comes in, granted in this tick or before.
  reg [Ports-1:0] receiving_q;

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
  reg                 ej_valid_q;
  reg [BodyWidth-1:0] ej_flit_q;
  assign ej_valid_o = ej_valid_q;
  assign ej_flit_o = ej_flit_q;

  always @(posedge clk_i) begin
    if (tick_i) ej_flit_q <= arrival;
    if (rst_i) ej_valid_q <= 1'b0;
    else if (tick_i) ej_valid_q <= arrives & home;
  end

  flit_route #(
    .HeadFlit  (HeadFlit),
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
    .clk_i  (clk_i),
    .tick_i (tick_i),
    .here_i (here_i),
    .table_i(table_i),
    .valid_i(arrives),
    .flit_i (arrival),
    .flit_o (onward),
    .port_o (port)
  );

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

`ifndef SYNTHESIS
  rule #(
    .Name("packet_receiver/one-arrival")
  ) i_one_arrival (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & |(valid_i & (valid_i - 1'b1)))
  );
`endif
endmodule
