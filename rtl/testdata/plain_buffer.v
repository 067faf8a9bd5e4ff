// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The buffer without codes and upsets, as it was before it had them: the chips must have the same hardware with it.
module input_buffer #(
  parameter Width      = 32,
  parameter Buffer     = 4,
  parameter Code       = 0,
  parameter Payload    = Width,
  parameter Word       = Payload,
  parameter Upsets     = 0,
  parameter CountWidth = $clog2(Buffer + 1)  // derived
) (
  input  wire                  clk_i,
  input  wire                  rst_i,
  input  wire                  tick_i,
  input  wire                  push_i,   // only while count_o < Buffer
  input  wire [Width-1:0]      data_i,
  input  wire [Word-1:0]       upset_i,
  input  wire                  pop_i,    // only while valid_o
  output wire                  valid_o,
  output wire [Width-1:0]      data_o,
  output wire [CountWidth-1:0] count_o,
  output wire                  corrected_o,
  output wire                  detected_o
);
  generate
    if (Buffer < 1) begin : gen_bad_buffer
      input_buffer_needs_a_depth_of_at_least_one_flit i_stop ();
    end
  endgenerate

  reg  [CountWidth-1:0] count_q;
  wire [CountWidth-1:0] count_d = pop_i ? count_q - 1'b1 : count_q + 1'b1;
  wire                  push = tick_i & push_i;
  wire                  pop = tick_i & pop_i;
  assign count_o = count_q;
  assign valid_o = |count_q;

  generate
    if (Buffer == 1) begin : gen_register
      reg [Width-1:0] data_q;
      assign data_o = data_q;

      always @(posedge clk_i) begin
        if (push) data_q <= data_i;
        if (rst_i) count_q <= {CountWidth{1'b0}};
        else if (push != pop) count_q <= count_d;
      end
    end else begin : gen_memory
      localparam Bits = $clog2(Buffer);
      localparam Last = Buffer - 1;

      reg  [Width-1:0] flits_q [0:Buffer-1];
      reg  [Bits-1:0]  write_q;
      reg  [Bits-1:0]  read_q;
      wire [Bits-1:0]  write_d = (write_q == Last[Bits-1:0]) ? {Bits{1'b0}} : write_q + 1'b1;
      wire [Bits-1:0]  read_d = (read_q == Last[Bits-1:0]) ? {Bits{1'b0}} : read_q + 1'b1;
      assign data_o = flits_q[read_q];

      // One block, because in an event simulator an idle one costs as much as a busy one.
      always @(posedge clk_i) begin
        if (push) flits_q[write_q] <= data_i;
        if (rst_i) begin
          count_q <= {CountWidth{1'b0}};
          write_q <= {Bits{1'b0}};
          read_q  <= {Bits{1'b0}};
        end else begin
          if (push != pop) count_q <= count_d;
          if (push) write_q <= write_d;
          if (pop) read_q <= read_d;
        end
      end
    end
  endgenerate

  assign corrected_o = 1'b0;
  assign detected_o = 1'b0;
endmodule
