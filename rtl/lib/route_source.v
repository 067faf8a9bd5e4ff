// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Source routing: the lowest PortWidth bits of the route are the output port, all ones: arrived. The rest of the
// route moves down for the next chip.
module route_source #(
  parameter Ports      = 4,
  parameter PortWidth  = 3,
  parameter RouteWidth = 24
) (
  input  wire [RouteWidth-1:0] route_i,
  output wire [RouteWidth-1:0] route_o,
  output wire [Ports:0]        port_o   // one-hot; the highest bit is: arrived
);
  generate
    if (RouteWidth < PortWidth) begin : gen_bad_width
      route_source_needs_a_RouteWidth_of_at_least_PortWidth i_stop ();
    end
  endgenerate

  assign route_o = route_i >> PortWidth;

  port_decoder #(
    .Ports(Ports),
    .Width(PortWidth)
  ) i_decoder (
    .port_i(route_i[PortWidth-1:0]),
    .port_o(port_o)
  );
endmodule
