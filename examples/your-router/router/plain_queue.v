// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A queue of four flits. out_flit is the oldest one while out_valid is high.
module plain_queue #(
  parameter Width = 34
) (
  input  wire             clk,
  input  wire             rst_n,
  input  wire             in_valid,
  output wire             in_ready,
  input  wire [Width-1:0] in_flit,
  output wire             out_valid,
  input  wire             out_ready,
  output wire [Width-1:0] out_flit
);
  reg [Width-1:0] flits [0:3];
  reg [1:0]       write_at;
  reg [1:0]       read_at;
  reg [2:0]       count;
  wire push = in_valid & in_ready;
  wire pop = out_valid & out_ready;
  assign in_ready = count != 3'd4;
  assign out_valid = count != 3'd0;
  assign out_flit = flits[read_at];

  always @(posedge clk) if (push) flits[write_at] <= in_flit;

  always @(posedge clk) begin
    if (!rst_n) begin
      write_at <= 2'd0;
      read_at  <= 2'd0;
      count    <= 3'd0;
    end else begin
      write_at <= write_at + {1'b0, push};
      read_at  <= read_at + {1'b0, pop};
      count    <= count + {2'b0, push} - {2'b0, pop};
    end
  end
endmodule
