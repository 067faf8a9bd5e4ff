// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The virtual channels of one link that heads request, one of each class: the first idle one, or the lowest if none is idle. A class
// is the channels whose numbers are the same modulo Classes.
module class_choice #(
  parameter Vcs     = 4,
  parameter Classes = 1
) (
  input  wire [Vcs-1:0] idle_i,  // nobody has claimed the channel
  output wire [Vcs-1:0] first_o
);
  localparam Size = Vcs / Classes;

  genvar c;
  genvar v;
  generate
    for (c = 0; c < Classes; c = c + 1) begin : gen_class
      wire [Size-1:0] idle;
      wire [Size-1:0] first;
      wire [1:0]      unused_port;
      for (v = 0; v < Size; v = v + 1) begin : gen_vc
        assign idle[v] = idle_i[v*Classes+c];
        assign first_o[v*Classes+c] = first[v];
      end
      channel_choice #(
        .Ports(1),
        .Vcs  (Size)
      ) i_choice (
        .open_i  (1'b1),
        .idle_i  (idle),
        .second_i(1'b0),
        .port_o  (unused_port),
        .vc_o    (first)
      );
    end
  endgenerate
endmodule
