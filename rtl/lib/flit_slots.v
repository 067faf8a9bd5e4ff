// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// FIFO whose front is a register, so that what a chip decides begins at flip-flops. The highest bit of the front says that
// a message begins, and is low while there is no flit, so that nobody asks valid_o, too. The slots behind it are a shift
// register, which every flit enters, also one that goes to the front at once: so shifting does not wait for pop_i, the
// number of flits says where the oldest one is, and there are no pointers. The price: each flit makes all slots toggle.
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
      localparam Bits = $clog2(Buffer);
      localparam Places = 1 << Bits;

      reg  [(Buffer-1)*Width-1:0] slots_q;  // the flit that came last is the lowest
      reg  [CountWidth-1:0]       count_q;
      wire                        stored = |count_q[CountWidth-1:1];  // there are flits in the slots
      wire [Buffer*Width-1:0]     flits = {slots_q, data_i};
      wire [Bits-1:0]             oldest = stored ? count_q[Bits-1:0] - 1'b1 : {Bits{1'b0}};
      wire [Width-1:0]            next;
      // One more or one less: a bit changes if all bits below it are ones, or zeros. An adder's carries would take longer.
      wire [CountWidth-2:0]       full = count_q[CountWidth-2:0] ^ {CountWidth - 1{pop_i}};
      wire                        changes = push_i ^ pop_i;
      wire [CountWidth-1:0]       change;
      assign change[0] = changes;
      for (b = 1; b < CountWidth; b = b + 1) begin : gen_change
        assign change[b] = changes & (&full[b-1:0]);
      end
      assign count_o = count_q;

      // The flit at oldest*Width, by halving: a part select there would be a multiplier and a shifter for some widths.
      reg [Places*Width-1:0] left;
      integer                l;
      integer                n;
      assign next = left[Width-1:0];
      always @* begin
        for (n = 0; n < Places; n = n + 1) left[n*Width+:Width] = flits[(n<Buffer ? n : n-Places/2)*Width+:Width];
        for (l = 0; l < Bits; l = l + 1) begin
          for (n = 0; n < (Places >> (l + 1)); n = n + 1) left[n*Width+:Width] = oldest[l] ? left[(2*n+1)*Width+:Width] : left[2*n*Width+:Width];
        end
      end

      // One block, because in an event simulator an idle one costs as much as a busy one.
      always @(posedge clk_i) begin
        if (push_i) slots_q <= flits[(Buffer-1)*Width-1:0];
        if (load) front_q <= {next[Width-1] & (push_i | stored) & !rst_i, next[Width-2:0]};
        if (rst_i) begin
          valid_q <= 1'b0;
          count_q <= {CountWidth{1'b0}};
        end else begin
          valid_q <= push_i | stored | !load;  // no enables where pop_i comes late
          count_q <= count_q ^ change;
        end
      end
    end
  endgenerate
endmodule
