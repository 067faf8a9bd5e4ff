// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// FIFO whose front is a register, so that what a chip decides begins at flip-flops. The highest bit of the front says that
// a message begins, and is low while there is no flit, so that nobody asks valid_o, too. The slots behind it are a ring,
// which every flit passes: a flit that goes to the front at once is written, too, so that writing does not wait for pop_i.
//
//   data_i -+-> [slots] -+-> front -> data_o
//           |            |
//           +------------+   while the slots are empty
module flit_slots #(
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
  reg                   valid_q;
  reg  [Width-1:0]      front_q;
  wire                  load = pop_i | !valid_q | rst_i;  // the front takes a flit, if there is one
  assign valid_o = valid_q;
  assign data_o  = front_q;

  genvar b;
  generate
    if (Buffer == 1) begin : gen_no_slots
      assign count_o = valid_q;

      always @(posedge clk_i) begin
        if (load) front_q <= {data_i[Width-1] & push_i & !rst_i, data_i[Width-2:0]};
        if (rst_i) valid_q <= 1'b0;
        else valid_q <= push_i | !load;
      end
    end else begin : gen_slots
      localparam Slots = Buffer - 1;
      localparam Bits = (Slots > 1) ? $clog2(Slots) : 1;
      localparam Last = Slots - 1;
      localparam Wide = (1 << Bits) > Slots;                           // a pointer has a value that is no slot
      localparam [Bits-1:0] Through = Wide ? Slots[Bits-1:0] : Last[Bits-1:0];

      reg  [Width-1:0]      slots_q [0:Slots-1];
      reg  [Bits-1:0]       write_q;
      reg  [Bits-1:0]       read_q;
      reg  [CountWidth-1:0] count_q;
      wire [Bits-1:0]       write_d = (write_q == Last[Bits-1:0]) ? {Bits{1'b0}} : write_q + 1'b1;
      wire [Bits-1:0]       read_d = (read_q == Last[Bits-1:0]) ? {Bits{1'b0}} : read_q + 1'b1;
      wire                  stored = |count_q[CountWidth-1:1];  // there are flits in the slots
      // One more or one less: a bit changes if all bits below it are ones, or zeros. An adder's carries would take longer.
      wire [CountWidth-2:0] full = count_q[CountWidth-2:0] ^ {CountWidth - 1{pop_i}};
      wire                  changes = push_i ^ pop_i;
      wire [CountWidth-1:0] change;
      assign change[0] = changes;
      for (b = 1; b < CountWidth; b = b + 1) begin : gen_change
        assign change[b] = changes & (&full[b-1:0]);
      end
      // The value stands for the flit that comes in, so that four-input tables choose among four with two selects.
      wire [Bits-1:0]       from = stored ? read_q : Through;
      wire [Width-1:0]      next = (Wide ? from == Through : !stored) ? data_i : slots_q[from];
      assign count_o = count_q;

      // One block, because in an event simulator an idle one costs as much as a busy one.
      always @(posedge clk_i) begin
        if (push_i) slots_q[write_q] <= data_i;
        if (load) front_q <= {next[Width-1] & (push_i | stored) & !rst_i, next[Width-2:0]};
        if (rst_i) begin
          valid_q <= 1'b0;
          count_q <= {CountWidth{1'b0}};
          write_q <= {Bits{1'b0}};
          read_q  <= {Bits{1'b0}};
        end else begin
          valid_q <= push_i | stored | !load;  // no enables where pop_i comes late
          count_q <= count_q ^ change;
          if (push_i) write_q <= write_d;
          if (load & (push_i | stored)) read_q <= read_d;
        end
      end
    end
  endgenerate
endmodule
