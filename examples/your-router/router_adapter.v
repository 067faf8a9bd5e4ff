// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The template: what stands between router_mesh and a router of your own. The ports stay, the inside is yours. This one
// adapts plain_router.
//
// Every port is a handshake: a flit goes over at a rising edge at which valid and ready are both high. A flit that is offered
// stays until it is taken. A router with credits counts them here.
//
// Links carry flits as your router has them, LinkWidth bits. At the PE a flit is head, tail and Width bits of data. A
// head has no data but the header: destination in bits 7:0, source in bits 15:8, row of the schedule in bits 31:16.
// Bits above 31 of a head are zero, and free for what your router needs.
module router_adapter #(
  parameter Columns   = 2,
  parameter Node      = 0,   // x + Columns * y
  parameter Width     = 32,
  parameter LinkWidth = 34
) (
  input  wire                   clk_i,
  input  wire                   rst_i,        // synchronous
  input  wire [3:0]             link_valid_i, // 0: from x + 1, 1: from x - 1, 2: from y + 1, 3: from y - 1
  output wire [3:0]             link_ready_o,
  input  wire [4*LinkWidth-1:0] link_flit_i,
  output wire [3:0]             link_valid_o, // in the same order: 0: to x + 1
  input  wire [3:0]             link_ready_i,
  output wire [4*LinkWidth-1:0] link_flit_o,
  input  wire                   pe_valid_i,   // from the PE
  output wire                   pe_ready_o,
  input  wire                   pe_head_i,
  input  wire                   pe_tail_i,
  input  wire [Width-1:0]       pe_data_i,
  output wire                   pe_valid_o,   // to the PE
  input  wire                   pe_ready_i,
  output wire                   pe_head_o,
  output wire                   pe_tail_o,
  output wire [Width-1:0]       pe_data_o
);
  localparam [31:0] X      = Node % Columns;
  localparam [31:0] Y      = Node / Columns;
  localparam [31:0] Across = Columns;

  // plain_router wants {y, x} where the bench has the number of the destination.
  /* verilator lint_off UNUSEDSIGNAL */
  wire [7:0] x_in = pe_data_i[7:0] % Across[7:0];
  wire [7:0] y_in = pe_data_i[7:0] / Across[7:0];
  /* verilator lint_on UNUSEDSIGNAL */
  wire [7:0] to_in = pe_head_i ? {y_in[3:0], x_in[3:0]} : pe_data_i[7:0];
  wire [LinkWidth-1:0] flit_in = {pe_tail_i, pe_head_i, pe_data_i[Width-1:8], to_in};

  wire [LinkWidth-1:0] flit_out;
  wire [7:0] to_out = {4'd0, flit_out[3:0]} + Across[7:0] * {4'd0, flit_out[7:4]};
  assign {pe_tail_o, pe_head_o} = flit_out[LinkWidth-1:Width];
  assign pe_data_o = {flit_out[Width-1:8], pe_head_o ? to_out : flit_out[7:0]};

  // The order of its ports is north, east, south, west, PE.
  wire [LinkWidth-1:0] north, east, south, west;
  assign link_flit_o = {north, south, west, east};
  plain_router #(.Width(LinkWidth)) i_router (
    .clk      (clk_i),
    .rst_n    (!rst_i),
    .my_x     (X[3:0]),
    .my_y     (Y[3:0]),
    .in_valid ({pe_valid_i, link_valid_i[1], link_valid_i[2], link_valid_i[0], link_valid_i[3]}),
    .in_ready ({pe_ready_o, link_ready_o[1], link_ready_o[2], link_ready_o[0], link_ready_o[3]}),
    .in_flit  ({flit_in, link_flit_i[LinkWidth +: LinkWidth], link_flit_i[2*LinkWidth +: LinkWidth],
                link_flit_i[0 +: LinkWidth], link_flit_i[3*LinkWidth +: LinkWidth]}),
    .out_valid({pe_valid_o, link_valid_o[1], link_valid_o[2], link_valid_o[0], link_valid_o[3]}),
    .out_ready({pe_ready_i, link_ready_i[1], link_ready_i[2], link_ready_i[0], link_ready_i[3]}),
    .out_flit ({flit_out, west, south, east, north})
  );
endmodule
