// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The inputs of a wormhole chip: where flits wait, and where they want to go.
//
//   link port p, vc v    -> input_buffer   -> wormhole_route                         p*Vcs+v
//   injection channel c  -> wormhole_route -> injection_register                     Ports*Vcs+c
//                adaptive:                    injection_register -> wormhole_route
//
// A flit of the PE may leave in the cycle in which it comes. So its route is chosen beside the register, not behind it.
module wormhole_inputs #(
  parameter               Ports      = 4,
  parameter               Vcs        = 1,
  parameter               Channels   = 1,
  parameter               Buffer     = 4,
  parameter               Ram        = 0,
  parameter               Code       = 0,
  parameter               Upsets     = 0,
  parameter               Dateline   = 0,
  parameter               Kind       = 0,
  parameter               Escape     = 1,
  parameter               Dims       = 2,
  parameter [Dims*32-1:0] Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped    = {Dims{1'b0}},
  parameter               EntryWidth = 4,
  parameter               PortWidth  = 3,
  parameter               NodeWidth  = 6,
  parameter               DstLsb     = 32,
  parameter               RouteLsb   = 32,
  parameter               RouteWidth = 0,
  parameter               Width      = 32,
  parameter               Word       = Width,
  parameter               HeadFlit   = 0,
  parameter               Ahead      = 0,
  parameter               CourseLsb  = 0,
  parameter               Ends       = 0,
  parameter [Ports*(Ports+1)-1:0] Paths = {Ports * (Ports + 1) {1'b1}},
  parameter               BodyWidth  = 40,                                                // flit without its vc field
  parameter               VcWidth    = (Vcs > 1) ? $clog2(Vcs) : 1,                       // derived, as all below
  parameter               FlitWidth  = VcWidth + BodyWidth,
  parameter               CountWidth = $clog2(Buffer + 1),
  parameter               TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1,
  parameter               Inputs     = Ports * Vcs + Channels
) (
  input  wire                            clk_i,
  input  wire                            rst_i,
  input  wire                            tick_i,
  input  wire [Dims*NodeWidth-1:0]       here_i,
  input  wire [TableWidth-1:0]           table_i,
  input  wire [Ports*Vcs-1:0]            idle_i,       // adaptive, see route_adaptive and route_turns
  // Links and PE.
  input  wire [Ports-1:0]                valid_i,
  input  wire [Ports*FlitWidth-1:0]      flit_i,
  input  wire [Ports*Word-1:0]           upset_i,
  output wire [Ports*Vcs*CountWidth-1:0] count_o,
  input  wire [Channels-1:0]             inj_valid_i,
  input  wire [Channels*FlitWidth-1:0]   inj_flit_i,
  output wire [Channels-1:0]             inj_ready_o,
  // Outputs of the chip.
  output wire [Inputs-1:0]               valid_o,      // a flit is at the front
  output wire [Inputs*BodyWidth-1:0]     front_o,      // as the PE gets it
  output wire [Inputs*BodyWidth-1:0]     onward_o,     // as it goes onto a link
  output wire [Inputs*(Ports+1)-1:0]     goes_o,       // where a head at the front goes, see wormhole_route
  output wire [Inputs-1:0]               turn_o,
  output wire [Inputs*Vcs-1:0]           chosen_o,
  output wire [Channels*VcWidth-1:0]     inj_vc_o,     // of the flits in the injection registers
  input  wire [Inputs-1:0]               pop_i,
  output wire [Ports*Vcs-1:0]            corrected_o,
  output wire [Ports*Vcs-1:0]            detected_o
);
  localparam Buffers = Ports * Vcs;
  localparam Changes = (Kind == 2 || Ahead != 0) ? 1 : 0;  // flits on the way
  localparam Late = (Kind >= 6) ? 1 : 0;                   // the route depends on the channels that are idle when a head leaves
  localparam Decide = (Code == 0 && Ahead != 0) ? BodyWidth - CourseLsb : 2;  // head, tail and course, which are not in a memory
  localparam ClassBit = (Dateline != 0) ? 1 : 0;  // of a vc, O1TURN and Valiant

  // Link outputs that flits from port `from` have a path to.
  function [Ports-1:0] ways_of(input integer from);
    integer n;
    begin
      for (n = 0; n < Ports; n = n + 1) ways_of[n] = Paths[n*(Ports+1)+from];
    end
  endfunction

  // Icarus Verilog puts the parts of a vector together anew for each reader. With one reader, it does so once.
  wire [Inputs*BodyWidth-1:0] fronts;
  wire [Inputs*(Ports+1)-1:0] ways;
  assign front_o = fronts;
  assign goes_o = ways;

  genvar i;
  generate
    for (i = 0; i < Buffers; i = i + 1) begin : gen_buffer
      localparam Turn = i / Vcs;
      localparam Vc = i % Vcs;
      wire [VcWidth-1:0] unused_vc = flit_i[Turn*FlitWidth+BodyWidth+:VcWidth];
      input_buffer #(
        .Width  (BodyWidth),
        .Buffer (Buffer),
        .Ram    (Ram),
        .Kept   (Decide),
        .Code   (Code),
        .Payload(Width),
        .Word   (Word),
        .Upsets (Upsets)
      ) i_buffer (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .tick_i     (tick_i),
        .push_i     (valid_i[Turn] & ((Vcs == 1) | (unused_vc == Vc[VcWidth-1:0]))),
        .data_i     (flit_i[Turn*FlitWidth+:BodyWidth]),
        .upset_i    (upset_i[Turn*Word+:Word]),
        .pop_i      (pop_i[i]),
        .valid_o    (valid_o[i]),
        .data_o     (fronts[i*BodyWidth+:BodyWidth]),
        .count_o    (count_o[i*CountWidth+:CountWidth]),
        .corrected_o(corrected_o[i]),
        .detected_o (detected_o[i])
      );
    end

    if (Changes == 0) begin : gen_same
      assign onward_o = front_o;
    end
    for (i = 0; i < Inputs; i = i + 1) begin : gen_route
      wire                 in_class;
      wire [BodyWidth-1:0] routed;  // the flit whose route is chosen; its highest bit is low while there is none
      wire [BodyWidth-1:0] onward;  // as it goes on
      wire [Ports:0]       goes;
      wire                 begins;  // a head is at the front
      wire [Ports:0]       way;     // and goes there
      wire                 unused_way = &{1'b0, begins, way};
      if (Vcs == 1) begin : gen_one
        assign in_class = 1'b0;
      end else if (i < Buffers) begin : gen_of_buffer
        assign in_class = (i % Vcs >> ClassBit) % 2 == 1;
      end else begin : gen_of_register
        assign in_class = inj_flit_i[(i-Buffers)*FlitWidth+BodyWidth+((VcWidth>ClassBit)?ClassBit : 0)];
      end

      if (i < Buffers) begin : gen_behind_buffer
        assign routed = front_o[i*BodyWidth+:BodyWidth];
        assign begins = routed[BodyWidth-1];
        assign way = goes;
        assign ways[i*(Ports+1)+:Ports+1] = goes;
        if (Changes != 0) begin : gen_onward
          assign onward_o[i*BodyWidth+:BodyWidth] = onward;
        end else begin : gen_onward
          wire unused_onward = &{1'b0, onward};
        end
      end else begin : gen_register
        localparam C = i - Buffers;
        wire [Ports:0]       waiting;
        wire [BodyWidth-1:0] injected = inj_flit_i[C*FlitWidth+:BodyWidth];
        wire [BodyWidth-1:0] flit;
        wire [Ports+FlitWidth:0] unused_kept;
        assign fronts[i*BodyWidth+:BodyWidth] = flit;
        assign begins = flit[BodyWidth-1] & valid_o[i];
        if (Changes != 0) begin : gen_onward
          assign onward_o[i*BodyWidth+:BodyWidth] = flit;
        end
        if (Late != 0) begin : gen_late
          wire unused_waiting = &{1'b0, waiting};
          assign way = goes;
          assign routed = {flit[BodyWidth-1] & valid_o[i], flit[BodyWidth-2:0]};
          assign ways[i*(Ports+1)+:Ports+1] = goes;
        end else begin : gen_early
          assign routed = {injected[BodyWidth-1] & inj_valid_i[C], injected[BodyWidth-2:0]};
          assign ways[i*(Ports+1)+:Ports+1] = waiting;
          assign way = waiting;
        end
        injection_register #(
          .Width(Ports + 1 + FlitWidth)
        ) i_register (
          .clk_i  (clk_i),
          .rst_i  (rst_i),
          .tick_i (tick_i),
          .valid_i(inj_valid_i[C]),
          .flit_i ({(Late != 0) ? {Ports + 1{1'b0}} : goes, inj_flit_i[C*FlitWidth+BodyWidth+:VcWidth], (Late != 0) ? injected : onward}),
          .ready_o(inj_ready_o[C]),
          .valid_o(valid_o[i]),
          .flit_o ({waiting, inj_vc_o[C*VcWidth+:VcWidth], flit}),
          .kept_o (unused_kept),
          .leave_i(pop_i[i])
        );
      end
`ifndef SYNTHESIS
      rule #(
        .Name("wormhole_inputs/not-for-this-chip")
      ) i_not_for_this_chip (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(tick_i & begins & way[Ports] & (i >= Buffers))
      );
`endif
      wormhole_route #(
        .Kind      (Kind),
        .Ports     (Ports),
        .Vcs       (Vcs),
        .Width     (BodyWidth),
        .NodeWidth (NodeWidth),
        .DstLsb    (DstLsb),
        .RouteLsb  (RouteLsb),
        .RouteWidth(RouteWidth),
        .PortWidth (PortWidth),
        .EntryWidth(EntryWidth),
        .Dims      (Dims),
        .Sizes     (Sizes),
        .Wrapped   (Wrapped),
        .FirstDim  ((i < Buffers) ? i / Vcs / 2 : 0),
        .Escape    (Escape),
        .From      ((i < Buffers) ? i / Vcs : Ports),
        .HeadFlit  (HeadFlit),
        .Ahead     (Ahead),
        .CourseLsb (CourseLsb),
        .Ends      (Ends),
        .Injected  (i >= Buffers),
        .Ways      (ways_of((i < Buffers) ? i / Vcs : Ports))
      ) i_route (
        .here_i (here_i),
        .table_i(table_i),
        .idle_i (idle_i),
        .flit_i (routed),
        .class_i(in_class),
        .flit_o (onward),
        .goes_o (goes),
        .turn_o (turn_o[i]),
        .vc_o   (chosen_o[i*Vcs+:Vcs])
      );
`ifndef SYNTHESIS
      rule #(
        .Name("wormhole_inputs/port-is-one-hot")
      ) i_port_is_one_hot (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(tick_i & begins & (!(|way) | |(way & (way - 1'b1))))
      );
`endif
    end
  endgenerate
endmodule
