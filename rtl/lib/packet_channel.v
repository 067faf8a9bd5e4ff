// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// An injection channel of a chip that switches packets: the register, and the route of the flit that comes in.
module packet_channel #(
  parameter               HeadFlit   = 0,
  parameter               Kind       = 0,
  parameter               Ports      = 4,
  parameter               Link       = Ports,                                     // the link of all its packets; Ports: each has its own
  parameter               Dims       = 2,
  parameter [Dims*32-1:0] Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped    = {Dims{1'b0}},
  parameter               EntryWidth = 4,
  parameter               PortWidth  = 3,
  parameter               NodeWidth  = 6,
  parameter               DstLsb     = 32,
  parameter               RouteLsb   = 32,
  parameter               RouteWidth = 0,
  parameter               Width      = 56,                                        // flit without its vc field
  parameter               TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1  // derived
) (
  input  wire                      clk_i,
  input  wire                      rst_i,
  input  wire                      tick_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [TableWidth-1:0]     table_i,
  input  wire                      valid_i,    // accepted while ready_o
  input  wire [Width-1:0]          flit_i,
  output wire                      ready_o,
  output wire                      valid_o,    // a flit is here
  output wire                      head_o,     // it is a head
  output wire                      tail_o,     // it is a tail
  output wire [Width-1:0]          kept_o,     // it, as it is on the link, unless ready_o
  output wire [Width-1:0]          arrived_o,  // it, if ready_o
  output wire [Ports:0]            port_o,     // of a head; one-hot, the highest bit is: this chip
  input  wire                      leave_i     // only while valid_o
);
  wire [Width-1:0] moved;
  wire [Ports:0]   found;
  wire [Width-1:0] flit;
  wire [Ports:0]   unused_port;
  wire             unused_flit = &{1'b0, flit};
  assign arrived_o = (HeadFlit != 0 && !flit_i[Width-1]) ? flit_i : moved;  // only heads have a route
  assign head_o = valid_o & flit[Width-1];
  assign tail_o = flit[Width-2];

  injection_register #(
    .Width(Ports + 1 + Width)
  ) i_register (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .valid_i(valid_i),
    .flit_i ({found, arrived_o}),
    .ready_o(ready_o),
    .valid_o(valid_o),
    .flit_o ({port_o, flit}),
    .kept_o ({unused_port, kept_o}),
    .leave_i(leave_i)
  );

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

`ifndef SYNTHESIS
  rule #(
    .Name("packet_channel/port-is-one-hot")
  ) i_port_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & head_o & (!(|port_o) | |(port_o & (port_o - 1'b1))))
  );
  rule #(
    .Name("packet_channel/over-its-own-link")
  ) i_over_its_own_link (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & head_o & (Link < Ports) & (|port_o[Ports-1:0]) & !port_o[Link])
  );
  rule #(
    .Name("packet_channel/not-for-this-chip")
  ) i_not_for_this_chip (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & head_o & port_o[Ports])
  );
`endif
endmodule
