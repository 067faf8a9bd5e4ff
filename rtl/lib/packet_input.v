// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One link input of a chip that switches packets over all ports: flits for the PE go to the ejection register, others
// to the buffer. Packets are routed when they come in: the buffer holds the port of each flit beside it. A packet may go on
// when it is here whole (cut-through: when its head is here).
//
//   flit_i -+-> home? --> ejection register -> ej_flit_o
//           +-> route --> packet_buffer ------> word_o, arrived_o, port_o
module packet_input #(
  parameter               CutThrough = 0,
  parameter               HeadFlit   = 0,
  parameter               Kind       = 0,
  parameter               Ports      = 4,
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
  parameter               Packets    = Buffer,                                    // most that are in the buffer
  parameter               AtOnce     = 1,                                         // 0: no flit leaves in the tick after it came in
  parameter               Code       = 0,
  parameter               Upsets     = 0,
  parameter               Payload    = 32,
  parameter               Word       = Payload,                                   // bits of a stored payload, check bits included
  parameter               Width      = 56,                                        // flit without its vc field
  parameter               CountWidth = $clog2(Buffer + 1),                        // derived
  parameter               TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1  // derived
) (
  input  wire                  clk_i,
  input  wire                  rst_i,
  input  wire                  tick_i,
  input  wire [NodeWidth-1:0]  node_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [TableWidth-1:0] table_i,
  input  wire                  valid_i,
  input  wire [Width-1:0]      flit_i,
  input  wire [Word-1:0]       upset_i,
  output wire [CountWidth-1:0] count_o,
  output wire                  valid_o,     // a flit is at the front
  output wire                  ready_o,     // of a packet that may go
  output wire                  tail_o,      // it is a tail
  output wire [Width-1:0]      word_o,      // the front, as it is on the next link, unless recent_o
  output wire [Width-1:0]      arrived_o,   // the front, if recent_o
  output wire                  recent_o,
  output wire [Ports-1:0]      port_o,      // of a head; one-hot; zero for other flits of a packet that name no destination
  input  wire                  leave_i,
  output wire                  crowded_o,   // a flit comes in to a full buffer
  output wire                  corrected_o, // errors of the flit that leaves
  output wire                  detected_o,
  output wire                  ej_valid_o,
  output wire [Width-1:0]      ej_flit_o
);
  localparam HeadBit = Width - 1;
  localparam TailBit = Width - 2;

  wire                   head = flit_i[HeadBit];
  wire                   home;
  wire [Ports:0]         found;
  wire [Width-1:0]       moved;
  wire                   routed = (HeadFlit == 0) | head;  // without HeadFlit each flit has a route
  wire [Width+Ports-1:0] onward = routed ? {found[Ports-1:0], moved} : {{Ports{1'b0}}, flit_i};
  wire                   push = valid_i & !home;
  wire [Ports-1:0]       word_port;
  wire [Ports-1:0]       arrived_port;
  wire                   whole;  // the packet at the front has come to its tail
  assign crowded_o = push & (count_o == Buffer[CountWidth-1:0]);
  assign ready_o = (CutThrough != 0) ? valid_o : whole;
  assign tail_o = (AtOnce != 0 && recent_o) ? arrived_o[TailBit] : word_o[TailBit];
  assign port_o = recent_o ? arrived_port : word_port;

  packet_home #(
    .HeadFlit (HeadFlit),
    .NodeWidth(NodeWidth)
  ) i_home (
    .clk_i        (clk_i),
    .tick_i       (tick_i),
    .valid_i      (valid_i),
    .head_i       (flit_i[HeadBit]),
    .destination_i(flit_i[DstLsb+:NodeWidth]),
    .node_i       (node_i),
    .home_o       (home)
  );

  packet_buffer #(
    .Width  (Width + Ports),
    .Buffer (Buffer),
    .Code   (Code),
    .Payload(Payload),
    .Word   (Word),
    .Upsets (Upsets)
  ) i_buffer (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (tick_i),
    .push_i     (push),
    .data_i     (onward),
    .upset_i    (upset_i),
    .pop_i      (leave_i),
    .valid_o    (valid_o),
    .word_o     ({word_port, word_o}),
    .arrived_o  ({arrived_port, arrived_o}),
    .recent_o   (recent_o),
    .count_o    (count_o),
    .corrected_o(corrected_o),
    .detected_o (detected_o)
  );

  generate
    if (CutThrough != 0) begin : gen_cut_through
      assign whole = 1'b1;
    end else begin : gen_store
      localparam TailsWidth = $clog2(Packets + 1);
      reg  [TailsWidth-1:0] tails_q;  // in the buffer
      wire                  come = push & flit_i[TailBit];
      wire                  gone = leave_i & tail_o;
      assign whole = |tails_q;

      always @(posedge clk_i) begin
        if (rst_i) tails_q <= {TailsWidth{1'b0}};
        else if (tick_i & (come != gone)) tails_q <= come ? tails_q + 1'b1 : tails_q - 1'b1;
      end
    end
  endgenerate

  route #(
    .Kind      (Kind),
    .Ports     (Ports),
    .Width     (Width),
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
    .flit_i (flit_i),
    .here_i (here_i),
    .table_i(table_i),
    .flit_o (moved),
    .port_o (found)
  );

  // Ejection register.
  reg             ej_valid_q;
  reg [Width-1:0] ej_flit_q;
  assign ej_valid_o = ej_valid_q;
  assign ej_flit_o = ej_flit_q;

  always @(posedge clk_i) begin
    if (tick_i) ej_flit_q <= flit_i;
    if (rst_i) ej_valid_q <= 1'b0;
    else if (tick_i) ej_valid_q <= valid_i & home;
  end

`ifndef SYNTHESIS
  rule #(
    .Name("packet_input/port-is-one-hot")
  ) i_port_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & push & head & (!(|found) | |(found & (found - 1'b1))))
  );
  rule #(
    .Name("packet_input/not-for-this-chip")
  ) i_not_for_this_chip (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & push & head & found[Ports])
  );
`endif
endmodule
