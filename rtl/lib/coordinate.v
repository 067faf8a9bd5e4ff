// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// coordinate = (node / Stride) mod Size: a field of the number where both are powers of two, else a restoring
// division by constants.
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

  generate
    if (Size < 1) begin : gen_bad_size
      coordinate_needs_a_size_of_at_least_one_node i_stop ();
    end
    if ((1 << Shift) == Stride && (1 << Bits) == Size) begin : gen_field
      assign coordinate_o = (node_i >> Shift) & Last[NodeWidth-1:0];
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
