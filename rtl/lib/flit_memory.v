// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// FIFO of a chip that switches packets: all bits of the flits are in a memory, whose output register is the front. A flit
// that becomes the front as it comes in stands in arrived_o for one cycle, in which it is read from the memory. The two are
// apart, since a crossbar chooses between them at less cost than a multiplexer here.
//
//   data_i -+-> [memory] -> word_o
//           +-> arrived ---> arrived_o   for one cycle, if the memory was empty
module flit_memory #(
  parameter Width      = 32,
  parameter Buffer     = 16,
  parameter CountWidth = $clog2(Buffer + 1)  // derived
) (
  input  wire                  clk_i,
  input  wire                  rst_i,
  input  wire                  push_i,     // only while count_o < Buffer
  input  wire [Width-1:0]      data_i,
  input  wire                  pop_i,      // only while count_o > 0
  output wire [Width-1:0]      word_o,     // the front, unless recent_o
  output wire [Width-1:0]      arrived_o,  // the front, if recent_o
  output wire                  recent_o,
  output wire [CountWidth-1:0] count_o
);
  localparam Bits = (Buffer > 1) ? $clog2(Buffer) : 1;
  localparam Last = Buffer - 1;

  (* ram_style = "block", no_rw_check *)  // a word that is read as it is written is not used
  reg  [Width-1:0]      words_q [0:Buffer-1];
  reg  [Width-1:0]      word_q;
  reg  [Width-1:0]      arrived_q;
  reg                   recent_q;
  reg  [Bits-1:0]       write_q;
  reg  [Bits-1:0]       read_q;  // the oldest flit that has not been read
  reg  [CountWidth-1:0] count_q;
  wire [Bits-1:0]       write_d = (write_q == Last[Bits-1:0]) ? {Bits{1'b0}} : write_q + 1'b1;
  wire [Bits-1:0]       read_d = (read_q == Last[Bits-1:0]) ? {Bits{1'b0}} : read_q + 1'b1;
  wire [CountWidth-1:0] lower = count_q ^ {CountWidth{pop_i}};  // a bit of the count changes if these are ones below it
  wire [CountWidth-1:0] change;
  wire                  behind = |(count_q >> 1);  // there are flits behind the front
  wire                  alone = !behind & (pop_i | !count_q[0]);  // a flit that comes in becomes the front
  assign word_o = word_q;
  assign arrived_o = arrived_q;
  assign recent_o = recent_q;
  assign count_o = count_q;

  genvar b;
  generate
    for (b = 0; b < CountWidth; b = b + 1) begin : gen_change
      assign change[b] = (push_i ^ pop_i) & (&(lower | ({CountWidth{1'b1}} << b)));
    end
  endgenerate

  // One block, because in an event simulator an idle one costs as much as a busy one.
  always @(posedge clk_i) begin
    if (push_i) words_q[write_q] <= data_i;
    if (pop_i | recent_q) word_q <= words_q[read_q];
    arrived_q <= data_i;
    if (rst_i) begin
      recent_q <= 1'b0;
      count_q  <= {CountWidth{1'b0}};
      write_q  <= {Bits{1'b0}};
      read_q   <= {Bits{1'b0}};
    end else begin
      recent_q <= push_i & alone;
      count_q  <= count_q ^ change;
      if (push_i) write_q <= write_d;
      if (recent_q | (pop_i & behind)) read_q <= read_d;
    end
  end

`ifndef SYNTHESIS
  rule #(
    .Name("flit_memory/no-push-when-full")
  ) i_no_push_when_full (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(push_i & (count_q == Buffer[CountWidth-1:0]))
  );
  rule #(
    .Name("flit_memory/no-pop-when-empty")
  ) i_no_pop_when_empty (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(pop_i & !(|count_q))
  );
`endif
endmodule
