// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Buffer of one link of a chip that switches packets. The front is one of two vectors, see flit_memory; with a code or
// upsets it is always the first one.
module packet_buffer #(
  parameter Width      = 32,
  parameter Buffer     = 16,
  parameter Code       = 0,                  // see input_buffer
  parameter Upsets     = 0,
  parameter Payload    = Width,
  parameter Word       = Payload,
  parameter CountWidth = $clog2(Buffer + 1)  // derived
) (
  input  wire                  clk_i,
  input  wire                  rst_i,
  input  wire                  tick_i,
  input  wire                  push_i,       // only while count_o < Buffer
  input  wire [Width-1:0]      data_i,
  input  wire [Word-1:0]       upset_i,
  input  wire                  pop_i,        // only while valid_o
  output wire                  valid_o,
  output wire [Width-1:0]      word_o,       // the front, unless recent_o
  output wire [Width-1:0]      arrived_o,    // the front, if recent_o
  output wire                  recent_o,
  output wire [CountWidth-1:0] count_o,
  output wire                  corrected_o,  // the flit that leaves had a wrong bit
  output wire                  detected_o    // the flit that leaves has wrong bits
);
  generate
    if (Code == 0 && Upsets == 0) begin : gen_plain
      wire unused = &{1'b0, upset_i};
      wire push = tick_i & push_i;
      wire pop = tick_i & pop_i;
      assign valid_o = |count_o;
      assign corrected_o = 1'b0;
      assign detected_o = 1'b0;

      flit_memory #(
        .Width (Width),
        .Buffer(Buffer)
      ) i_flits (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .push_i   (push),
        .data_i   (data_i),
        .pop_i    (pop),
        .word_o   (word_o),
        .arrived_o(arrived_o),
        .recent_o (recent_o),
        .count_o  (count_o)
      );
    end else begin : gen_coded
      assign arrived_o = {Width{1'b0}};
      assign recent_o = 1'b0;

      input_buffer #(
        .Width  (Width),
        .Buffer (Buffer),
        .Ram    (1),
        .Code   (Code),
        .Payload(Payload),
        .Word   (Word),
        .Upsets (Upsets)
      ) i_buffer (
        .clk_i      (clk_i),
        .rst_i      (rst_i),
        .tick_i     (tick_i),
        .push_i     (push_i),
        .data_i     (data_i),
        .upset_i    (upset_i),
        .pop_i      (pop_i),
        .valid_o    (valid_o),
        .data_o     (word_o),
        .count_o    (count_o),
        .corrected_o(corrected_o),
        .detected_o (detected_o)
      );
    end
  endgenerate
endmodule
