// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A router for meshes that is not one of meshwright's: it shares no module, no port name and no flit format with them.
// Two cycles a hop: one in the queue of an input, one in the register of an output. x first, then y.
// A flit is {tail, head, Width - 2 bits}; a head has its destination in the lowest byte, {y, x}.
// Ports: 0 north (y - 1), 1 east (x + 1), 2 south (y + 1), 3 west (x - 1), 4 the PE.
module plain_router #(
  parameter Width = 34
) (
  input  wire                 clk,
  input  wire                 rst_n,
  input  wire [3:0]           my_x,
  input  wire [3:0]           my_y,
  input  wire [4:0]           in_valid,
  output wire [4:0]           in_ready,
  input  wire [5*Width-1:0]   in_flit,
  output wire [4:0]           out_valid,
  input  wire [4:0]           out_ready,
  output wire [5*Width-1:0]   out_flit
);
  wire [4:0]           has;
  wire [5*Width-1:0]   front;
  wire [5*5-1:0]       wants;  // by input, then output
  wire [5*5-1:0]       take;   // by output, then input

  genvar i, o;
  generate
    for (i = 0; i < 5; i = i + 1) begin : gen_input
      wire [4:0] taken;
      wire [3:0] x = front[Width*i +: 4];
      wire [3:0] y = front[Width*i+4 +: 4];
      wire [4:0] way = x < my_x ? 5'b01000 : x > my_x ? 5'b00010 : y < my_y ? 5'b00001 : y > my_y ? 5'b00100 : 5'b10000;
      assign wants[5*i +: 5] = way & {5{has[i] & front[Width*i+Width-2]}};
      plain_queue #(.Width(Width)) queue (
        .clk(clk), .rst_n(rst_n),
        .in_valid(in_valid[i]), .in_ready(in_ready[i]), .in_flit(in_flit[Width*i +: Width]),
        .out_valid(has[i]), .out_ready(|taken), .out_flit(front[Width*i +: Width])
      );
      for (o = 0; o < 5; o = o + 1) begin : gen_taken
        assign taken[o] = take[5*o+i];
      end
    end
    for (o = 0; o < 5; o = o + 1) begin : gen_output
      wire [4:0] asked;
      for (i = 0; i < 5; i = i + 1) begin : gen_asked
        assign asked[i] = wants[5*i+o];
      end
      plain_output #(.Width(Width)) out (
        .clk(clk), .rst_n(rst_n), .has(has), .wants(asked), .flits(front), .take(take[5*o +: 5]),
        .out_valid(out_valid[o]), .out_ready(out_ready[o]), .out_flit(out_flit[Width*o +: Width])
      );
    end
  endgenerate
endmodule
