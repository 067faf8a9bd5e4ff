// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A mesh of adapters. Node n stands at x = n % Columns, y = n / Columns, as in meshwright's mesh:COLUMNSxROWS. Links
// across the border offer nothing and take nothing. Each link out of a node has a link_check, which tells what the link holds
// when it is asked.
module router_mesh #(
  parameter Columns   = 2,
  parameter Rows      = 2,
  parameter Width     = 32,
  parameter LinkWidth = 34,
  parameter Stable    = 1,  // 0: a flit that is offered may change or go away until it is taken
  parameter Nodes     = Columns * Rows
) (
  input  wire                   clk_i,
  input  wire                   rst_i,
  input  wire [31:0]            cycle_i,
  input  wire [31:0]            asked_i,  // the link that tells what it holds; see link_check
  output wire [4*Nodes-1:0]     crossing_o,  // a flit goes over the link at the next edge
  input  wire [Nodes-1:0]       pe_valid_i,
  output wire [Nodes-1:0]       pe_ready_o,
  input  wire [Nodes-1:0]       pe_head_i,
  input  wire [Nodes-1:0]       pe_tail_i,
  input  wire [Nodes*Width-1:0] pe_data_i,
  output wire [Nodes-1:0]       pe_valid_o,
  input  wire [Nodes-1:0]       pe_ready_i,
  output wire [Nodes-1:0]       pe_head_o,
  output wire [Nodes-1:0]       pe_tail_o,
  output wire [Nodes*Width-1:0] pe_data_o
);
  wire [4*Nodes-1:0]           valid;  // links out of node n are 4n to 4n + 3
  wire [4*Nodes-1:0]           ready;
  wire [4*Nodes*LinkWidth-1:0] flit;
  assign crossing_o = valid & ready;

  genvar n, d;
  generate
    for (n = 0; n < Nodes; n = n + 1) begin : gen_node
      wire [3:0]             valid_in;
      /* verilator lint_off UNUSEDSIGNAL */
      wire [3:0]             ready_in;  // at a border nobody reads it
      /* verilator lint_on UNUSEDSIGNAL */
      wire [4*LinkWidth-1:0] flit_in;
      router_adapter #(.Columns(Columns), .Node(n), .Width(Width), .LinkWidth(LinkWidth)) i_adapter (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .link_valid_i(valid_in),
        .link_ready_o(ready_in),
        .link_flit_i (flit_in),
        .link_valid_o(valid[4*n +: 4]),
        .link_ready_i(ready[4*n +: 4]),
        .link_flit_o (flit[4*n*LinkWidth +: 4*LinkWidth]),
        .pe_valid_i  (pe_valid_i[n]),
        .pe_ready_o  (pe_ready_o[n]),
        .pe_head_i   (pe_head_i[n]),
        .pe_tail_i   (pe_tail_i[n]),
        .pe_data_i   (pe_data_i[n*Width +: Width]),
        .pe_valid_o  (pe_valid_o[n]),
        .pe_ready_i  (pe_ready_i[n]),
        .pe_head_o   (pe_head_o[n]),
        .pe_tail_o   (pe_tail_o[n]),
        .pe_data_o   (pe_data_o[n*Width +: Width])
      );
      for (d = 0; d < 4; d = d + 1) begin : gen_link
        localparam Border = d == 0 ? n % Columns == Columns - 1 : d == 1 ? n % Columns == 0 :
                            d == 2 ? n / Columns == Rows - 1 : n / Columns == 0;
        localparam Next = d == 0 ? n + 1 : d == 1 ? n - 1 : d == 2 ? n + Columns : n - Columns;
        // Link d of a node leads to the neighbour's link d ^ 1, and the other way round.
        if (Border) begin : gen_border
          assign valid_in[d] = 1'b0;
          assign flit_in[d*LinkWidth +: LinkWidth] = {LinkWidth{1'b0}};
          assign ready[4*n+d] = 1'b0;
        end else begin : gen_neighbour
          assign valid_in[d] = valid[4*Next+(d^1)];
          assign flit_in[d*LinkWidth +: LinkWidth] = flit[(4*Next+(d^1))*LinkWidth +: LinkWidth];
          assign ready[4*Next+(d^1)] = ready_in[d];
        end
        link_check #(.Node(n), .Port(d), .Border(Border), .Stable(Stable), .Width(LinkWidth)) i_check (
          .clk_i(clk_i), .rst_i(rst_i), .cycle_i(cycle_i), .asked_i(asked_i), .valid_i(valid[4*n+d]), .ready_i(ready[4*n+d]), .flit_i(flit[(4*n+d)*LinkWidth +: LinkWidth])
        );
      end
      link_check #(.Node(n), .Port(4), .Stable(Stable), .Width(Width + 2)) i_check (
        .clk_i(clk_i), .rst_i(rst_i), .cycle_i(cycle_i), .asked_i(asked_i), .valid_i(pe_valid_o[n]), .ready_i(pe_ready_i[n]),
        .flit_i({pe_head_o[n], pe_tail_o[n], pe_data_o[n*Width +: Width]})
      );
    end
  endgenerate
endmodule
