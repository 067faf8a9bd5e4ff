// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// FIFO of one link port and virtual channel. data_o is the front. Its highest bit says that a message begins, and is low
// while there is no flit; the other bits mean something while valid_o is high.
//
//   data_i -> [flit_encoders] -> flits -> [flit_decoders] -> data_o
//                       ^ upset_i                  v corrected_o, detected_o
//
// With a Code the payload and the rest of the flit, its header, are stored as a code word each. With Upsets the bits of
// upset_i are inverted in the stored payload of the flit that comes in, as if they changed in the buffer.
module input_buffer #(
  parameter Width      = 32,
  parameter Buffer     = 4,
  parameter Ram        = 0,                  // 1: the flits are in a memory, see flit_ram
  parameter Kept       = 2,                  // with Ram, highest bits of a stored flit that are not in the memory, at least 2
  parameter Code       = 0,                  // 0 none, 1 parity, 2 SECDED
  parameter Payload    = Width,              // low bits of the data; with a Code there is a header above them
  parameter Word       = Payload,            // bits of a stored payload, check bits included
  parameter Upsets     = 0,                  // 1: upset_i works
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
  output wire                  corrected_o,  // the flit that leaves had a wrong bit
  output wire                  detected_o    // the flit that leaves has wrong bits
);
  generate
    if (Buffer < 1) begin : gen_bad_buffer
      input_buffer_needs_a_depth_of_at_least_one_flit i_stop ();
    end
  endgenerate

  // Check bits of the code.
  function integer checks(input integer width);
    checks = (Code == 2) ? $clog2(width + $clog2(width + 1) + 1) + 1 : Code;
  endfunction
  localparam Header = Width - Payload;
  localparam HeaderWord = Header + checks(Header);
  localparam Stored = (Code == 0) ? Width : HeaderWord + Word;

  wire [Stored-1:0] word_d;  // as it is written
  wire [Stored-1:0] word_q;  // at the front

  generate
    if (Word != Payload + checks(Payload)) begin : gen_bad_word
      input_buffer_needs_words_of_the_payload_and_its_check_bits i_stop ();
    end
    if (Code == 0) begin : gen_plain
      if (Upsets == 0) begin : gen_sound
        wire unused_upset = &{1'b0, upset_i};
        assign word_d = data_i;
      end else begin : gen_upset
        assign word_d = data_i ^ {{Width - Word{1'b0}}, upset_i};
      end
      assign data_o = word_q;
      assign corrected_o = 1'b0;
      assign detected_o = 1'b0;
    end else begin : gen_coded
      wire [Word-1:0]   payload;
      wire [Header-1:0] header;
      wire [1:0]        corrected;
      wire [1:0]        detected;
      if (Upsets == 0) begin : gen_sound
        wire unused_upset = &{1'b0, upset_i};
        assign word_d[Word-1:0] = payload;
      end else begin : gen_upset
        assign word_d[Word-1:0] = payload ^ upset_i;
      end
      assign data_o[Width-1:Payload] = {header[Header-1] & valid_o, header[Header-2:0]};
      assign corrected_o = pop_i & (|corrected);
      assign detected_o = pop_i & (|detected);

      flit_encoder #(
        .Width (Payload),
        .Checks(Word - Payload)
      ) i_encode_payload (
        .data_i(data_i[Payload-1:0]),
        .word_o(payload)
      );
      flit_encoder #(
        .Width (Header),
        .Checks(HeaderWord - Header)
      ) i_encode_header (
        .data_i(data_i[Width-1:Payload]),
        .word_o(word_d[Stored-1:Word])
      );
      flit_decoder #(
        .Width (Payload),
        .Checks(Word - Payload)
      ) i_decode_payload (
        .word_i     (word_q[Word-1:0]),
        .data_o     (data_o[Payload-1:0]),
        .corrected_o(corrected[0]),
        .detected_o (detected[0])
      );
      flit_decoder #(
        .Width (Header),
        .Checks(HeaderWord - Header)
      ) i_decode_header (
        .word_i     (word_q[Stored-1:Word]),
        .data_o     (header),
        .corrected_o(corrected[1]),
        .detected_o (detected[1])
      );
    end
  endgenerate

  wire push = tick_i & push_i;
  wire pop = tick_i & pop_i;

  generate
    if (Ram == 0) begin : gen_slots
      flit_slots #(
        .Width (Stored),
        .Buffer(Buffer)
      ) i_flits (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .push_i (push),
        .data_i (word_d),
        .pop_i  (pop),
        .valid_o(valid_o),
        .data_o (word_q),
        .count_o(count_o)
      );
    end else begin : gen_ram
      flit_ram #(
        .Width (Stored),
        .Buffer(Buffer),
        .Memory(Stored - Kept)
      ) i_flits (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .push_i (push),
        .data_i (word_d),
        .pop_i  (pop),
        .valid_o(valid_o),
        .data_o (word_q),
        .count_o(count_o)
      );
    end
  endgenerate

`ifndef SYNTHESIS
  rule #(
    .Name("input_buffer/no-push-when-full")
  ) i_no_push_when_full (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(push & (count_o == Buffer[CountWidth-1:0]))
  );
  rule #(
    .Name("input_buffer/no-pop-when-empty")
  ) i_no_pop_when_empty (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(pop & !valid_o)
  );
`endif
endmodule
