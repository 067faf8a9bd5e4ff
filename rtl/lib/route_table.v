// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Next-hop table: entry n is the output port towards node n, all ones where n is this node. An entry has
// 4 bits (8, 16 where the ports need them), so that a table reads as one hexadecimal digit per node, node 0 last.
module route_table #(
  parameter Ports      = 4,
  parameter NodeWidth  = 6,
  parameter EntryWidth = 4
) (
  input  wire [NodeWidth-1:0]                 dst_i,
  input  wire [(EntryWidth<<NodeWidth)-1:0]   table_i,  // constant; an input so that all chips share a module
  output wire [Ports:0]                       port_o    // one-hot; the highest bit is: arrived
);
  localparam Shift = $clog2(EntryWidth);
  generate
    if ((1 << Shift) != EntryWidth) begin : gen_bad_entry
      route_table_needs_an_EntryWidth_that_is_a_power_of_two i_stop ();
    end
  endgenerate

  wire [EntryWidth-1:0] entry = table_i[{dst_i, {Shift{1'b0}}}+:EntryWidth];

  port_decoder #(
    .Ports(Ports),
    .Width(EntryWidth)
  ) i_decoder (
    .port_i(entry),
    .port_o(port_o)
  );
endmodule
