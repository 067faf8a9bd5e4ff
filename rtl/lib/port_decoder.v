// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Port number to one-hot; all ones is the highest bit: the chip's own PE.
module port_decoder #(
  parameter Ports = 4,
  parameter Width = 3
) (
  input  wire [Width-1:0] port_i,
  output wire [Ports:0]   port_o
);
  generate
    if (Ports >= (1 << Width)) begin : gen_bad_width
      port_decoder_has_more_ports_than_fit_beside_all_ones i_stop ();
    end
  endgenerate

  assign port_o[Ports] = &port_i;

  genvar p;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : gen_port
      localparam [Width-1:0] Port = p;
      assign port_o[p] = port_i == Port;
    end
  endgenerate
endmodule
