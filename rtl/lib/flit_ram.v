// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// FIFO of a chip whose buffers are block RAM. The highest bits of a flit, with which the chip decides, are in registers, as all
// bits of flit_slots are. The lowest bits are in a memory, whose output register is their front. The address of a read is known
// early, and pop_i only enables it. A flit that goes to the front at once stands in arrived_q for one cycle. In this cycle
// it is read from the memory.
//
//   data_i -+-> [slots] --+-> front -> data_o, highest bits
//           +-------------+   while the slots are empty
//           |
//           +-> [memory] -> word -+-> data_o, lowest bits
//           +-> arrived ----------+   for one cycle, if the slots were empty
module flit_ram #(
  parameter Width      = 32,
  parameter Buffer     = 4,
  parameter Memory     = 26,                 // lowest bits in a memory, at most Width - 2; a Buffer of 1 has none
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
  localparam Low = (Buffer > 1) ? Memory : 0;

  generate
    if (Memory > Width - 2) begin : gen_bad_memory
      flit_ram_keeps_at_least_two_bits_outside_of_the_memory i_stop ();
    end
  endgenerate

  reg                   valid_q;
  reg  [Width-1:Low]    front_q;
  wire                  load = pop_i | !valid_q | rst_i;  // the front takes a flit, if there is one
  assign valid_o = valid_q;
  assign data_o[Width-1:Low] = front_q;

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
      localparam Slots = (Low != 0 && Buffer == 2) ? 2 : Buffer - 1;  // one word would be read as the next is written
      localparam Bits = (Slots > 1) ? $clog2(Slots) : 1;
      localparam Last = Slots - 1;
      localparam Wide = (1 << Bits) > Slots;                           // a pointer has a value that is no slot
      localparam [Bits-1:0] Through = Wide ? Slots[Bits-1:0] : Last[Bits-1:0];

      reg  [Width-1:Low]    slots_q [0:Slots-1];
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
      wire [Width-1:Low]    next = (Wide ? from == Through : !stored) ? data_i[Width-1:Low] : slots_q[from];
      assign count_o = count_q;

      // One block, because in an event simulator an idle one costs as much as a busy one.
      always @(posedge clk_i) begin
        if (push_i) slots_q[write_q] <= data_i[Width-1:Low];
        if (load) front_q <= {next[Width-1] & (push_i | stored) & !rst_i, next[Width-2:Low]};
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

      if (Low != 0) begin : gen_memory
        (* ram_style = "block", no_rw_check *)  // a word that is read as it is written is not used
        reg  [Low-1:0]  words_q [0:Slots-1];
        reg  [Low-1:0]  word_q;
        reg  [Low-1:0]  arrived_q;  // what came in the last cycle
        reg             through_q;  // and is now at the front
        wire [Bits-1:0] front = (|read_q) ? read_q - 1'b1 : Last[Bits-1:0];  // the slot of the flit at the front
        assign data_o[Low-1:0] = through_q ? arrived_q : word_q;

        always @(posedge clk_i) begin
          if (push_i) words_q[write_q] <= data_i[Low-1:0];
          if (load | through_q) word_q <= words_q[through_q ? front : read_q];
          arrived_q <= data_i[Low-1:0];
          through_q <= load & push_i & !stored & !rst_i;
        end
      end
    end
  endgenerate
endmodule
