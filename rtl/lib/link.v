// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A directed link between two wormhole chips: from an output port to the neighbour's input port.
//
//   sender   valid_i, flit_i  ->  [Hop-1 stages]  ->  valid_o, flit_o   receiver's buffer
//            ready_o, take_o  <-                  <-  take_i, count_i
//            empty_o
//
// A flit crosses (fires) when valid & ready[its vc] & take. ready_o is a function of registers only; valid_i may
// choose its vc by ready_o but must not depend on take_o.
module link #(
  parameter FlitWidth  = 40,
  parameter Vcs        = 1,
  parameter Buffer     = 4,                              // flits per buffer at the receiver
  parameter Hop        = 1,                              // cycles from here into the neighbour's buffer
  parameter VcWidth    = (Vcs > 1) ? $clog2(Vcs) : 1,    // derived
  parameter CountWidth = $clog2(Buffer + 1)              // derived
) (
  input  wire                      clk_i,
  input  wire                      rst_i,
  input  wire                      tick_i,
  // Sender.
  input  wire                      valid_i,
  input  wire [FlitWidth-1:0]      flit_i,
  output wire [Vcs-1:0]            ready_o,
  output wire [Vcs-1:0]            empty_o,  // no flit is in the buffer or on the way to it
  output wire                      take_o,
  // Receiver.
  output wire                      offer_o,  // valid and ready: crosses if taken
  input  wire                      take_i,
  output wire                      valid_o,
  output wire [FlitWidth-1:0]      flit_o,
  input  wire [Vcs*CountWidth-1:0] count_i   // flits in the receiver's buffers
);
  generate
    if (Vcs < 1) begin : gen_bad_vcs
      link_needs_at_least_one_virtual_channel i_stop ();
    end
    if (Hop < 1) begin : gen_bad_hop
      link_takes_at_least_one_cycle_per_hop i_stop ();
    end
  endgenerate

  wire fire = offer_o & take_i;
  assign take_o = take_i;

  generate
    if (Vcs == 1) begin : gen_offer
      assign offer_o = valid_i & ready_o;
    end else begin : gen_offer
      assign offer_o = valid_i & ready_o[flit_i[FlitWidth-1-:VcWidth]];
`ifndef SYNTHESIS
      localparam [VcWidth:0] Channels = Vcs[VcWidth:0];
      rule #(
        .Name("link/vc-exists")
      ) i_vc_exists (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(tick_i & valid_i & ({1'b0, flit_i[FlitWidth-1-:VcWidth]} >= Channels))
      );
`endif
    end
  endgenerate

  delay_line #(
    .Width (FlitWidth),
    .Stages(Hop - 1)
  ) i_delay (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .valid_i(fire),
    .flit_i (flit_i),
    .valid_o(valid_o),
    .flit_o (flit_o)
  );

  genvar v;
  generate
    for (v = 0; v < Vcs; v = v + 1) begin : gen_vc
      wire [CountWidth-1:0] count = count_i[v*CountWidth+:CountWidth];
      if (Hop == 1) begin : gen_ready
        assign ready_o[v] = count != Buffer[CountWidth-1:0];
        assign empty_o[v] = !(|count);
      end else begin : gen_ready
        // Flits on the way have their place in the buffer reserved.
        localparam Bits = CountWidth + $clog2(Hop);
        localparam [VcWidth-1:0] Vc = v;

        reg  [Bits-1:0] flying_q;
        wire            enter = fire & ((Vcs == 1) | (flit_i[FlitWidth-1-:VcWidth] == Vc));
        wire            leave = valid_o & ((Vcs == 1) | (flit_o[FlitWidth-1-:VcWidth] == Vc));
        wire [Bits-1:0] flying_d = leave ? flying_q - 1'b1 : flying_q + 1'b1;
        assign empty_o[v] = !(|count) & !(|flying_q);
        assign ready_o[v] = flying_q + {{Bits - CountWidth{1'b0}}, count} < Buffer[Bits-1:0];

        always @(posedge clk_i) begin
          if (rst_i) flying_q <= {Bits{1'b0}};
          else if (tick_i & (enter != leave)) flying_q <= flying_d;
        end

`ifndef SYNTHESIS
        rule #(
          .Name("link/place-is-reserved")
        ) i_place_is_reserved (
          .clk_i   (clk_i),
          .rst_i   (rst_i),
          .broken_i(tick_i & enter & !ready_o[v])
        );
        rule #(
          .Name("link/no-leave-when-empty")
        ) i_no_leave_when_empty (
          .clk_i   (clk_i),
          .rst_i   (rst_i),
          .broken_i(tick_i & leave & !(|flying_q))
        );
`endif
      end
    end
  endgenerate
endmodule
