// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Which output-VCs of one output port a head may claim, by input: those of its class (see dateline). With fewer Classes
// than virtual channels a head chooses: it requests the first channel of its class that nobody has claimed, or the lowest.
module allowed_channels #(
  parameter               Buffers  = 4,               // see dateline, as all below
  parameter               Channels = 1,
  parameter               Vcs      = 2,
  parameter               VcWidth  = 1,
  parameter               Dateline = 0,
  parameter               Classes  = Vcs,
  parameter               Phase    = 0,
  parameter [Buffers-1:0] Stay     = {Buffers{1'b0}}
) (
  input  wire [Channels*VcWidth-1:0]       vc_i,         // of the flits at the injection channels
  input  wire                              wraps_i,      // the port's link closes a ring
  input  wire [Buffers-1:0]                turn_i,
  input  wire [Vcs-1:0]                    unclaimed_i,  // output-VCs that nobody has claimed
  output wire [Vcs*(Buffers+Channels)-1:0] allowed_o     // bit v*(Buffers+Channels)+i
);
  localparam Inputs = Buffers + Channels;

  wire [Vcs*Inputs-1:0] in_class;
  dateline #(
    .Buffers (Buffers),
    .Channels(Channels),
    .Vcs     (Vcs),
    .VcWidth (VcWidth),
    .Enabled (Dateline),
    .Classes (Classes),
    .Phase   (Phase),
    .Stay    (Stay)
  ) i_dateline (
    .vc_i     (vc_i),
    .wraps_i  (wraps_i),
    .turn_i   (turn_i),
    .allowed_o(in_class)
  );

  genvar v;
  generate
    if (Classes >= Vcs) begin : gen_kept
      wire unused_unclaimed = &{1'b0, unclaimed_i};
      assign allowed_o = in_class;
    end else begin : gen_free
      wire [Vcs-1:0] first;
      class_choice #(
        .Vcs    (Vcs),
        .Classes(Classes)
      ) i_choice (
        .idle_i (unclaimed_i),
        .first_o(first)
      );
      for (v = 0; v < Vcs; v = v + 1) begin : gen_first
        assign allowed_o[v*Inputs+:Inputs] = in_class[v*Inputs+:Inputs] & {Inputs{first[v]}};
      end
    end
  endgenerate
endmodule
