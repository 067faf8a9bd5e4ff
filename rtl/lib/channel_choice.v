// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The channel that a head requests where it may choose: the first idle one of the links that are open to it, the lowest port first,
// in it the lowest virtual channel. If none is idle it waits for one of the lowest open port.
module channel_choice #(
  parameter Ports = 4,
  parameter Vcs   = 2,
  parameter First = 0  // virtual channels below are not chosen, only waited for
) (
  input  wire [Ports-1:0]     open_i,
  input  wire [Ports*Vcs-1:0] idle_i,    // bit p*Vcs+v
  input  wire [Ports-1:0]     second_i,  // port's channel to wait for: 0 or 1
  output reg  [Ports:0]       port_o,    // one-hot; the highest bit is: none is open, so that the head has arrived
  output reg  [Vcs-1:0]       vc_o       // one-hot; zero: arrived
);
  reg     found;
  integer p;
  integer v;
  always @* begin
    port_o = {1'b1, {Ports{1'b0}}};
    vc_o = {Vcs{1'b0}};
    found = 1'b0;
    // In falling order the lowest open port stands at last.
    for (p = Ports - 1; p >= 0; p = p - 1) begin
      if (open_i[p]) begin
        port_o = {{Ports{1'b0}}, 1'b1} << p;
        for (v = 0; v < Vcs; v = v + 1) vc_o[v] = v == (second_i[p] ? 1 : 0);
      end
    end
    for (p = 0; p < Ports; p = p + 1) begin
      for (v = First; v < Vcs; v = v + 1) begin
        if (open_i[p] & idle_i[p*Vcs+v] & !found) begin
          found = 1'b1;
          port_o = {{Ports{1'b0}}, 1'b1} << p;
          vc_o = {Vcs{1'b0}};
          vc_o[v] = 1'b1;
        end
      end
    end
  end
endmodule
