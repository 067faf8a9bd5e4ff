// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Tests the code of the buffers when the run has been compared: a run without upsets stores no wrong bit, so it passes
// without encoders and decoders, too. Random flits enter an input_buffer with the widths of the chips' buffers, bits of
// the stored flit are inverted, and the buffer must show
//
//   wrong bits of a code word   parity               SECDED
//   0                           the flit             the flit
//   1                           detected, unchanged  corrected
//   2                           unchanged            detected, unchanged
//
// Each bit of both code words is inverted alone, and together with another bit of its word, drawn at random. Of a wide
// payload these are 32 bits or a few more, drawn at random, too. Then error_counters count random errors, and so does an
// error_counter of few bits, which comes to its greatest value. The first difference is printed as
// "FAIL code=C part=P width=W word=X bits=I,J ...", or as "FAIL code=C counter ...", and wrong_o rises.
//
// All signals but the clock change by non-blocking assignments, as Verilator demands of a process with delays.
//
//   data -> [i_buffer: encoders -> front_q -> decoders] -> data_o, corrected_o, detected_o
//                                     ^ flips
module code_check #(
  parameter Code    = 2,        // 1 parity, 2 SECDED
  parameter Width   = 48,       // of a flit in a buffer
  parameter Payload = 32,       // its low bits; the header is above them
  parameter Word    = 39,       // bits of a stored payload, check bits included
  parameter Inputs  = 4         // of a chip's counters
) (
  input  wire start_i,
  output reg  ended_o,
  output reg  wrong_o
);
  initial begin
    ended_o = 1'b0;
    wrong_o = 1'b0;
  end

  localparam Header = Width - Payload;
  localparam HeaderWord = Header + ((Code == 2) ? $clog2(Header + $clog2(Header + 1) + 1) + 1 : 1);
  localparam Stored = HeaderWord + Word;
  // A decoder takes an event simulator a time that grows with the square of the width.
  localparam Wide = Word > 160;
  localparam Flits = Wide ? 1 : 3;
  localparam Step = Wide ? Word / 32 : 1;
  localparam Few = $clog2(Inputs + 1) + 2;  // bits of the small counter
  localparam Words = (Width + 31) / 32;

  reg               clk;
  reg               rst;
  reg               push;
  reg               pop;
  reg  [Width-1:0]  data;
  wire [Width-1:0]  shown;
  wire              valid;
  wire              count;
  wire              corrected;
  wire              detected;
  reg  [Stored-1:0] clean;       // the stored flit
  reg  [31:0]       random;

  input_buffer #(
    .Width  (Width),
    .Buffer (1),
    .Code   (Code),
    .Payload(Payload),
    .Word   (Word)
  ) i_buffer (
    .clk_i      (clk),
    .rst_i      (rst),
    .tick_i     (1'b1),
    .push_i     (push),
    .data_i     (data),
    .upset_i    ({Word{1'b0}}),
    .pop_i      (pop),
    .valid_o    (valid),
    .data_o     (shown),
    .count_o    (count),
    .corrected_o(corrected),
    .detected_o (detected)
  );

  reg               tick;
  reg  [Inputs-1:0] more_corrected;
  reg  [Inputs-1:0] more_detected;
  wire [15:0]       count_corrected;
  wire [15:0]       count_detected;
  wire [Few-1:0]    count_few;

  error_counters #(
    .Inputs(Inputs),
    .Code  (Code)
  ) i_counters (
    .clk_i      (clk),
    .rst_i      (rst),
    .tick_i     (tick),
    .corrected_i(more_corrected),
    .detected_i (more_detected),
    .corrected_o(count_corrected),
    .detected_o (count_detected)
  );

  error_counter #(
    .Inputs(Inputs),
    .Width (Few)
  ) i_few (
    .clk_i  (clk),
    .rst_i  (rst),
    .tick_i (tick),
    .error_i(more_detected),
    .count_o(count_few)
  );

  integer i;
  always @(posedge start_i) begin
    random = 32'd1;
    clk = 1'b0;
    {push, pop, tick} <= 3'd0;
    rst <= 1'b1;
    rise;
    rst <= 1'b0;
    for (i = 0; i < Flits && !wrong_o; i = i + 1) check_flit;
    if (!wrong_o) check_counters;
    ended_o = 1'b1;
  end

  task rise;
    begin
      #4 clk = 1'b1;
      #5 clk = 1'b0;
      #1;
    end
  endtask

  // Marsaglia's xorshift.
  task draw;
    begin
      random = random ^ (random << 13);
      random = random ^ (random >> 17);
      random = random ^ (random << 5);
    end
  endtask

  reg [Words*32-1:0] words;
  integer            w;
  integer            at;
  task check_flit;
    begin
      for (w = 0; w < Words; w = w + 1) begin
        draw;
        words[w*32+:32] = random;
      end
      data <= words[Width-1:0];
      push <= 1'b1;
      rise;
      push <= 1'b0;
      clean = i_buffer.gen_slots.i_flits.front_q;
      check(-1, -1, 1'b1);
      for (at = 0; at < Word; at = at + Step) begin
        draw;
        check_bit(0, Word, (at + random[15:0] % Step) % Word);
      end
      for (at = 0; at < HeaderWord; at = at + 1) check_bit(Word, HeaderWord, at);
      check(0, -1, 1'b0);
      pop <= 1'b1;
      rise;
      pop <= 1'b0;
    end
  endtask

  // A bit of a code word alone, and with another one.
  task check_bit(input integer lowest, input integer size, input integer place);
    begin
      check(lowest + place, -1, 1'b1);
      draw;
      check(lowest + place, lowest + (place + 1 + random[15:0] % (size - 1)) % size, 1'b1);
    end
  endtask

  // Inverts up to two bits of the stored flit; -1 is no bit. Only errors of a flit that leaves count.
  reg [Stored-1:0] flips;
  reg [Width-1:0]  expected;
  reg [1:0]        verdict;       // expected: {corrected, detected}
  task check(input integer one, input integer two, input leaves);
    begin
      flips = {Stored{1'b0}};
      if (one >= 0) flips[one] = 1'b1;
      if (two >= 0) flips[two] = 1'b1;
      pop <= leaves;
      i_buffer.gen_slots.i_flits.front_q <= clean ^ flips;
      #1;
      expected = data;
      verdict = (one < 0) ? 2'b00 : (Code != 2) ? {1'b0, two < 0} : {two < 0, two >= 0};
      if (!verdict[1]) expected = data ^ {flips[Word+:Header], flips[0+:Payload]};
      if (!leaves) verdict = 2'b00;
      if (!wrong_o && (shown !== expected || {corrected, detected} !== verdict)) begin
        wrong_o = 1'b1;
        $write("FAIL code=%0s ", (Code == 2) ? "secded" : "parity");
        if (one < 0) $write("part=flit width=%0d word=%0h bits=none", Width, clean);
        else if (one < Word) $write("part=payload width=%0d word=%0h bits=%0d", Payload, clean[Word-1:0], one);
        else $write("part=header width=%0d word=%0h bits=%0d", Header, clean[Stored-1:Word], one - Word);
        if (two >= 0) $write(",%0d", (two < Word) ? two : two - Word);
        $display(" leaves=%0d expected=flit:%0h,corrected:%0d,detected:%0d got=flit:%0h,corrected:%0d,detected:%0d", leaves, expected, verdict[1],
                 verdict[0], shown, corrected, detected);
      end
      pop <= 1'b0;
    end
  endtask

  reg               counts;
  reg  [Inputs-1:0] drawn_corrected;
  reg  [Inputs-1:0] drawn_detected;
  integer           total_corrected;
  integer           total_detected;
  integer           total_few;
  integer           b;
  task check_counters;
    begin
      {total_corrected, total_detected} = 64'd0;
      for (at = 0; at < 32 && !wrong_o; at = at + 1) begin
        draw;
        counts = random[31:30] != 2'd0;
        for (b = 0; b < Inputs; b = b + 1) begin
          draw;
          drawn_corrected[b] = random[8];
          drawn_detected[b] = random[16];
          if (counts && Code == 2) total_corrected = total_corrected + random[8];
          if (counts) total_detected = total_detected + random[16];
        end
        tick <= counts;
        more_corrected <= drawn_corrected;
        more_detected <= drawn_detected;
        total_few = (total_detected < 1 << Few) ? total_detected : (1 << Few) - 1;
        rise;
        if (count_corrected !== total_corrected || count_detected !== total_detected || count_few !== total_few) begin
          wrong_o = 1'b1;
          $display("FAIL code=%0s counter expected=corrected:%0d,detected:%0d,of_%0d_bits:%0d got=corrected:%0d,detected:%0d,of_%0d_bits:%0d",
                   (Code == 2) ? "secded" : "parity", total_corrected, total_detected, Few, total_few, count_corrected, count_detected, Few, count_few);
        end
      end
    end
  endtask
endmodule

`default_nettype wire
