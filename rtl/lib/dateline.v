// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Which output-VCs of one output port a head may claim, by input. Without a dateline a flit keeps its vc. With one,
// the lowest bit of the vc is its class: 1 from the link that closes a ring on, 0 after injection or a turn into
// another dimension (Dally and Seitz, 1987). With a Phase, heads of turn_i go on as if injected with that bit of their vc set
// (Valiant's routing). With fewer Classes than virtual channels it may claim
// any channel of the class, those whose numbers are the same modulo Classes.
module dateline #(
  parameter               Buffers  = 4,              // inputs 0 .. Buffers-1; their vc is their number modulo Vcs
  parameter               Channels = 1,              // the inputs behind them: injection
  parameter               Vcs      = 2,
  parameter               VcWidth  = 1,
  parameter               Enabled  = 0,
  parameter               Classes  = Vcs,            // of virtual channels
  parameter               Phase    = 0,              // bit of the vc, as a number; 0: turn_i is not used
  parameter [Buffers-1:0] Stay     = {Buffers{1'b0}}  // buffers of the port's own dimension
) (
  input  wire [Channels*VcWidth-1:0]         vc_i,      // of the flits at the injection channels
  input  wire                                wraps_i,   // the port's link closes a ring
  input  wire [Buffers-1:0]                  turn_i,
  output wire [Vcs*(Buffers+Channels)-1:0]   allowed_o  // bit v*(Buffers+Channels)+i
);
  localparam Inputs = Buffers + Channels;
  localparam Last = (Classes < Vcs) ? Classes - 1 : (1 << VcWidth) - 1;
  localparam [VcWidth-1:0] Class = Last[VcWidth-1:0];  // the bits of a vc that tell its class

  // Buffers whose flits go on in channel `to`.
  function [Buffers-1:0] buffers_for(input integer to, input integer wraps);
    integer b;
    begin
      for (b = 0; b < Buffers; b = b + 1) begin
        if (Enabled == 0) buffers_for[b] = b % Vcs % Classes == to % Classes;
        else buffers_for[b] = b % Vcs % Classes / 2 == to % Classes / 2 && ((wraps != 0 || (Stay[b] && b % 2 == 1)) ? 1 : 0) == to % 2;
      end
    end
  endfunction

  // Buffers whose flits go on in channel `to` when they turn.
  function [Buffers-1:0] turning_for(input integer to, input integer wraps);
    integer b;
    integer vc;
    begin
      for (b = 0; b < Buffers; b = b + 1) begin
        vc = b % Vcs / Phase % 2 == 1 ? b % Vcs : b % Vcs + Phase;
        turning_for[b] = (Enabled == 0) ? vc % Classes == to % Classes : vc % Classes / 2 == to % Classes / 2 && wraps == to % 2;
      end
    end
  endfunction

  genvar c;
  genvar v;
  generate
    if (Enabled != 0 && Vcs % 2 != 0) begin : gen_bad_vcs
      a_dateline_needs_an_even_number_of_virtual_channels i_stop ();
    end
    if (Classes < Vcs && (Vcs % Classes != 0 || (Classes & (Classes - 1)) != 0 || (Enabled != 0 && Classes == 1))) begin : gen_bad_classes
      virtual_channels_are_in_1_2_or_4_classes_with_a_dateline_not_1 i_stop ();
    end
    if (Vcs == 1) begin : gen_single
      wire unused = &{1'b0, vc_i, wraps_i, turn_i};
      assign allowed_o = {Inputs{1'b1}};
    end else begin : gen_spread
      wire [Channels*VcWidth-1:0] unused_vc = vc_i;
      wire                        unused_wraps = &{1'b0, wraps_i, turn_i};
      for (v = 0; v < Vcs; v = v + 1) begin : gen_vc
        localparam [VcWidth-1:0] Vc = v;
        localparam [Buffers-1:0] Straight = buffers_for(v, 0);
        localparam [Buffers-1:0] Wrapped = buffers_for(v, 1);
        wire [Buffers-1:0]       straight;
        wire [Buffers-1:0]       wrapped;
        if (Phase == 0) begin : gen_no_phase
          assign straight = Straight;
          assign wrapped = Wrapped;
        end else begin : gen_phase
          localparam [Buffers-1:0] Turned = turning_for(v, 0);
          localparam [Buffers-1:0] TurnedAcross = turning_for(v, 1);
          assign straight = (turn_i & Turned) | (~turn_i & Straight);
          assign wrapped = (turn_i & TurnedAcross) | (~turn_i & Wrapped);
        end
        if (Enabled != 0) begin : gen_class
          localparam Pairs = Last / 2 * 2;
          localparam [VcWidth-1:0] Pair = Pairs[VcWidth-1:0];
          assign allowed_o[v*Inputs+:Buffers] = wraps_i ? wrapped : straight;
          for (c = 0; c < Channels; c = c + 1) begin : gen_injection
            assign allowed_o[v*Inputs+Buffers+c] = (vc_i[c*VcWidth+:VcWidth] & Pair) == (Vc & Pair) && wraps_i == Vc[0];
          end
        end else begin : gen_keep
          wire unused_wrapped = &{1'b0, wrapped};
          assign allowed_o[v*Inputs+:Buffers] = straight;
          for (c = 0; c < Channels; c = c + 1) begin : gen_injection
            assign allowed_o[v*Inputs+Buffers+c] = (vc_i[c*VcWidth+:VcWidth] & Class) == (Vc & Class);
          end
        end
      end
    end
  endgenerate
endmodule
