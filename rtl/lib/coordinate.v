// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// coordinate = (node / Stride) mod Size: a field of the number where both are powers of two, else a table for the
// numbers of up to 64 nodes, which synthesis makes a few gates of, and a restoring division by constants for more.
module coordinate #(
  parameter Stride    = 1,
  parameter Size      = 8,
  parameter NodeWidth = 6
) (
  input  wire [NodeWidth-1:0] node_i,
  output wire [NodeWidth-1:0] coordinate_o
);
  localparam Shift = $clog2(Stride);
  localparam Bits = $clog2(Size);
  localparam Last = Size - 1;

  // The coordinates of all nodes, a byte each, node 0 lowest.
  function [(8<<NodeWidth)-1:0] table_of(input integer stride);
    integer             n;
    reg [NodeWidth-1:0] at;
    begin
      table_of = {(8 << NodeWidth) {1'b0}};
      at = {NodeWidth{1'b0}};
      for (n = 0; n < 1 << NodeWidth; n = n + 1) begin
        table_of[8*n+:NodeWidth] = at;
        if ((n + 1) % stride == 0) at = (at == Last[NodeWidth-1:0]) ? {NodeWidth{1'b0}} : at + 1'b1;
      end
    end
  endfunction

  generate
    if (Size < 1) begin : gen_bad_size
      coordinate_needs_a_size_of_at_least_one_node i_stop ();
    end
    if ((1 << Shift) == Stride && (1 << Bits) == Size) begin : gen_field
      assign coordinate_o = (node_i >> Shift) & Last[NodeWidth-1:0];
    end else if (NodeWidth <= 6) begin : gen_table
      localparam [(8<<NodeWidth)-1:0] Table = table_of(Stride);
      wire [7:0] entry = Table[{node_i, 3'b000}+:8];
      wire       unused = &{1'b0, entry};
      assign coordinate_o = entry[NodeWidth-1:0];
    end else begin : gen_divide
      reg [NodeWidth-1:0] rest;
      reg [NodeWidth-1:0] quotient;
      reg [31:0]          step;
      integer             b;
      always @* begin
        rest = node_i;
        quotient = {NodeWidth{1'b0}};
        for (b = NodeWidth - 1; b >= 0; b = b - 1) begin
          step = (Stride * Size) << b;
          if (step < (1 << NodeWidth) && rest >= step[NodeWidth-1:0]) rest = rest - step[NodeWidth-1:0];
        end
        for (b = Bits - 1; b >= 0; b = b - 1) begin
          step = Stride << b;
          if (step < (1 << NodeWidth) && rest >= step[NodeWidth-1:0]) begin
            rest = rest - step[NodeWidth-1:0];
            quotient[b] = 1'b1;
          end
        end
      end
      assign coordinate_o = quotient;
    end
  endgenerate
endmodule
