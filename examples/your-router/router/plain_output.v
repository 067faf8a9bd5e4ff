// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// An output of plain_router: chooses a head in turn, serves its input until the tail has gone, and keeps a flit in a register
// until the neighbour takes it.
module plain_output #(
  parameter Width = 34
) (
  input  wire               clk,
  input  wire               rst_n,
  input  wire [4:0]         has,    // inputs that hold a flit
  input  wire [4:0]         wants,  // inputs that hold a head for this output
  input  wire [5*Width-1:0] flits,
  output wire [4:0]         take,
  output reg                out_valid,
  input  wire               out_ready,
  output reg  [Width-1:0]   out_flit
);
  reg        busy;   // between a head and its tail
  reg  [4:0] owner;  // the input that was served last, one-hot
  // The inputs behind the owner come first: 4 downto 0 follows in a second copy of the requests.
  wire [9:0] twice = {wants, wants & ~(owner | (owner - 5'd1))};
  wire [9:0] first = twice & (~twice + 10'd1);
  wire [4:0] chosen = busy ? owner : first[4:0] | first[9:5];
  assign take = chosen & has & {5{!out_valid | out_ready}};

  reg [Width-1:0] flit;
  integer i;
  always @* begin
    flit = {Width{1'b0}};
    for (i = 0; i < 5; i = i + 1) flit = flit | (flits[Width*i +: Width] & {Width{take[i]}});
  end

  always @(posedge clk) if (|take) out_flit <= flit;

  always @(posedge clk) begin
    if (!rst_n) begin
      out_valid <= 1'b0;
      busy      <= 1'b0;
      owner     <= 5'b00001;
    end else begin
      if (|take) out_valid <= 1'b1;
      else if (out_ready) out_valid <= 1'b0;
      if (|take) begin
        busy  <= !flit[Width-1];
        owner <= take;
      end
    end
  end
endmodule
