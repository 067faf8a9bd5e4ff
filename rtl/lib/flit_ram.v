// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// FIFO whose flits are in a memory: small where synthesis has block RAM, since the front is read from the memory in every cycle.
// The highest bit of the front is low while there is no flit, see flit_slots.
module flit_ram #(
  parameter Width      = 32,
  parameter Buffer     = 4,
  parameter CountWidth = $clog2(Buffer + 1)  // derived
) (
  input  wire                  clk_i,
  input  wire                  rst_i,
  input  wire                  push_i,
  input  wire [Width-1:0]      data_i,
  input  wire                  pop_i,
  output wire                  valid_o,
  output wire [Width-1:0]      data_o,
  output wire [CountWidth-1:0] count_o
);
  localparam Bits = (Buffer > 1) ? $clog2(Buffer) : 1;
  localparam Last = Buffer - 1;

  (* ram_style = "block" *)
  reg  [Width-1:0]      flits_q [0:Buffer-1];
  reg  [Bits-1:0]       write_q;
  reg  [Bits-1:0]       read_q;
  reg  [CountWidth-1:0] count_q;
  wire [Bits-1:0]       write_d = (write_q == Last[Bits-1:0]) ? {Bits{1'b0}} : write_q + 1'b1;
  wire [Bits-1:0]       read_d = (read_q == Last[Bits-1:0]) ? {Bits{1'b0}} : read_q + 1'b1;
  wire [CountWidth-1:0] count_d = pop_i ? count_q - 1'b1 : count_q + 1'b1;
  assign valid_o = |count_q;
  wire [Width-1:0]      front = flits_q[read_q];
  assign data_o  = {front[Width-1] & valid_o, front[Width-2:0]};
  assign count_o = count_q;

  // One block, because in an event simulator an idle one costs as much as a busy one.
  always @(posedge clk_i) begin
    if (push_i) flits_q[write_q] <= data_i;
    if (rst_i) begin
      count_q <= {CountWidth{1'b0}};
      write_q <= {Bits{1'b0}};
      read_q  <= {Bits{1'b0}};
    end else begin
      if (push_i != pop_i) count_q <= count_d;
      if (push_i) write_q <= write_d;
      if (pop_i) read_q <= read_d;
    end
  end
endmodule
