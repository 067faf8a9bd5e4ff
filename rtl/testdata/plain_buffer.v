// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The buffer without codes and upsets, as it was before it had them: the chips must have the same hardware with it.
module input_buffer #(
  parameter Width      = 32,
  parameter Buffer     = 4,
  parameter Ram        = 0,
  parameter Kept       = 2,
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

  generate
    if (Ram == 0) begin : gen_slots
      flit_slots #(
        .Width (Width),
        .Buffer(Buffer)
      ) i_flits (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .push_i (tick_i & push_i),
        .data_i (data_i),
        .pop_i  (tick_i & pop_i),
        .valid_o(valid_o),
        .data_o (data_o),
        .count_o(count_o)
      );
    end else begin : gen_ram
      flit_ram #(
        .Width (Width),
        .Buffer(Buffer),
        .Memory(Width - Kept)
      ) i_flits (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .push_i (tick_i & push_i),
        .data_i (data_i),
        .pop_i  (tick_i & pop_i),
        .valid_o(valid_o),
        .data_o (data_o),
        .count_o(count_o)
      );
    end
  endgenerate
  assign corrected_o = 1'b0;
  assign detected_o  = 1'b0;
endmodule
