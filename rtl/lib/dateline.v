// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Spreads the heads that want one output port over its output-VCs. Without a dateline a flit keeps its vc. With one,
// the lowest bit of the vc is its class: 1 from the link that closes a ring on, 0 after injection or a turn into
// another dimension (Dally and Seitz, 1987).
module dateline #(
  parameter              Inputs  = 5,
  parameter              Vcs     = 2,
  parameter              VcWidth = 1,
  parameter              Enabled = 0,
  parameter [Inputs-1:0] Stay    = {Inputs{1'b0}}  // inputs of the port's own dimension
) (
  input  wire [Inputs-1:0]         request_i,
  input  wire [Inputs*VcWidth-1:0] vc_i,
  input  wire                      wraps_i,   // the port's link closes a ring
  output wire [Vcs*Inputs-1:0]     request_o  // bit v*Inputs+i
);
  genvar i;
  genvar v;
  generate
    if (Enabled != 0 && Vcs % 2 != 0) begin : gen_bad_vcs
      a_dateline_needs_an_even_number_of_virtual_channels i_stop ();
    end
    if (Vcs == 1) begin : gen_single
      wire unused = &{1'b0, vc_i, wraps_i};
      assign request_o = request_i;
    end else begin : gen_spread
      for (i = 0; i < Inputs; i = i + 1) begin : gen_input
        wire [VcWidth-1:0] from = vc_i[i*VcWidth+:VcWidth];
        wire [VcWidth-1:0] to;
        if (Enabled != 0) begin : gen_class
          assign to[0] = wraps_i | (Stay[i] & from[0]);
          if (VcWidth > 1) begin : gen_pair
            assign to[VcWidth-1:1] = from[VcWidth-1:1];
          end
          wire unused = from[0];
        end else begin : gen_keep
          assign to = from;
          wire unused = wraps_i;
        end
        for (v = 0; v < Vcs; v = v + 1) begin : gen_vc
          localparam [VcWidth-1:0] Vc = v;
          assign request_o[v*Inputs+i] = request_i[i] & (to == Vc);
        end
      end
    end
  endgenerate
endmodule
