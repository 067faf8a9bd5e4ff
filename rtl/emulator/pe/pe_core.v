// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The processor: executes instructions until one stalls or halts, some clock cycles each. A stalled instruction is
// executed again in the next target cycle.
//
//   Fetch -> ReadA -> ReadB -> Execute -+-> Load                                            registers, memory, branches
//                                       +-> Node -> Tag -> Way -> Hand -> Move … -> Send     send, sendv, sendw
//                                       +-> Look -> Source -> Wanted -> Length -> Give … -> Move … -> Take
//                                       |                                                    recv, recvw, probe, poll
//                                       +-> Count -> Align -> Move …                         copy
//
// Move takes two clock cycles a word: from the data memory to the mail memory or the other way.
module pe_core #(
  parameter Word          = 32,
  parameter AddressWidth  = 8,   // of the data memory
  parameter PcWidth       = 8,
  parameter OffsetWidth   = 4,   // of a word in a slot of the mail memory
  parameter PositionWidth = 2,
  parameter CountWidth    = 9,   // of words to move
  parameter TagWidth      = 4,
  parameter NodeWidth     = 2,
  parameter Element       = (Word > 32) ? 32 : Word  // derived: bits of a word that are a number, see pe_alu
) (
  input  wire                             clk_i,
  input  wire                             rst_i,
  input  wire                             start_i,
  output wire                             idle_o,        // nothing more in this target cycle
  output wire                             halted_o,
  input  wire [Element-1:0]               now_i,
  // Program.
  output wire [PcWidth-1:0]               pc_o,
  input  wire [31:0]                      instruction_i,
  // Registers.
  output reg  [3:0]                       register_o,
  input  wire [Word-1:0]                  register_i,
  output wire                             register_write_o,
  output reg  [3:0]                       register_target_o,
  output reg  [Word-1:0]                  register_word_o,
  // Data memory.
  output wire [AddressWidth-1:0]          data_address_o,
  input  wire [Word-1:0]                  data_i,
  output wire                             data_write_o,
  output wire [AddressWidth-1:0]          data_target_o,
  output wire [Word-1:0]                  data_word_o,
  // Mail memory.
  output wire [OffsetWidth-1:0]           offset_o,      // read in the slot of the inbox, written in the slot of the sender
  input  wire [Word-1:0]                  mail_i,
  output wire                             mail_write_o,
  output wire [Word-1:0]                  mail_word_o,
  // Inbox.
  output wire [PositionWidth-1:0]         position_o,
  input  wire [PositionWidth-1:0]         waiting_i,
  output wire                             take_o,
  // Senders: node and number choose the route, which is there one clock cycle after Way.
  output wire                             choose_o,
  output wire [NodeWidth-1:0]             node_o,
  output wire [Element-1:0]               number_o,      // of the route, 0: the machine's own
  input  wire                             busy_i,        // the route's channel is
  output wire                             send_o,
  output wire [OffsetWidth-1:0]           length_o,
  output wire [1:0]                       kind_o,
  output wire [TagWidth-1:0]              tag_o
);
  localparam [4:0] Idle = 0, Fetch = 1, ReadA = 2, ReadB = 3, Execute = 4, Load = 5, Node = 6, Tag = 7, Way = 8, Hand = 9, Send = 10,
                   Look = 11, Source = 12, Wanted = 13, Length = 14, GiveTag = 15, GiveSource = 16, GiveWords = 17, Take = 18,
                   None = 19, Move = 20, Write = 21, Count = 22, Align = 23;

  wire [3:0]         rd, ra, rb, rc, re;
  wire [Element-1:0] imm;
  wire               halt, li, lih, mov, add, addi, sub, min, max, ld, st, beq, bne, blt, bge, jmp;
  wire               now, pause, send, sendw, recv, recvw, probe, sendv, copy, poll;
  pe_decoder i_decoder (
    .word_i (instruction_i),
    .rd_o   (rd), .ra_o (ra), .rb_o (rb), .rc_o (rc), .re_o (re),
    .imm_o  (imm),
    .halt_o (halt), .li_o (li), .lih_o (lih), .mov_o (mov), .add_o (add), .addi_o (addi), .sub_o (sub), .min_o (min), .max_o (max),
    .ld_o   (ld), .st_o (st), .beq_o (beq), .bne_o (bne), .blt_o (blt), .bge_o (bge), .jmp_o (jmp), .now_o (now), .wait_o (pause),
    .send_o (send), .sendw_o (sendw), .recv_o (recv), .recvw_o (recvw), .probe_o (probe), .sendv_o (sendv), .copy_o (copy), .poll_o (poll)
  );
  wire sends  = send | sendv | sendw;
  wire takes  = recv | recvw | probe | poll;
  wire labels = recvw | probe;

  reg  [4:0]               state_q;
  reg  [4:0]               state_d;
  reg                      halted_q;
  reg  [PcWidth-1:0]       pc_q;
  reg  [Word-1:0]          a_q;
  reg  [Element-1:0]       b_q;
  reg  [NodeWidth-1:0]     node_q;      // destination, or source
  reg  [TagWidth-1:0]      tag_q;
  reg  [PositionWidth-1:0] position_q;
  reg  [OffsetWidth-1:0]   offset_q;
  assign idle_o = state_q == Idle;
  assign halted_o = halted_q;
  assign pc_o = pc_q;
  assign offset_o = offset_q;
  assign position_o = position_q;

  // Arithmetic.
  wire [Element-1:0] sum;
  wire [Word-1:0]    result;
  wire               less, equal, due;
  pe_alu #(
    .Word(Word)
  ) i_alu (
    .a_i         (a_q), .b_i(register_i), .imm_i(imm), .now_i(now_i),
    .takes_imm_i (li | addi | ld | st),
    .takes_now_i (now | pause),
    .subtract_i  (sub | min | max | beq | bne | blt | bge | pause),
    .smaller_i   (min), .larger_i(max),
    .second_i    (li | now),
    .first_i     (mov), .upper_i(lih),
    .sum_o       (sum), .result_o(result), .less_o(less), .equal_o(equal), .due_o(due)
  );
  wire unused = &{1'b0, sum};
  wire taken = jmp | (beq & equal) | (bne & !equal) | (blt & less) | (bge & !less);

  // Messages that wait: the oldest of the kind and source, with the tag if one is asked for.
  wire any     = a_q[Element-1];
  wire fits    = (mail_i[NodeWidth] == recvw) & (labels | any | (mail_i[NodeWidth-1:0] == a_q[NodeWidth-1:0]));
  wire wanted  = labels | !(|rc) | (mail_i[Element-1:0] == register_i[Element-1:0]);
  wire nothing = !sendw & !(|b_q);

  wire [AddressWidth-1:0] pointer, target;
  wire [CountWidth-1:0]   left;
  wire                    last, none;
  wire                    empty = copy & none;
  pe_mover #(
    .AddressWidth(AddressWidth), .CountWidth(CountWidth)
  ) i_mover (
    .clk_i   (clk_i),
    .copy_i  (copy),
    .count_i ((state_q == Hand) | (state_q == Length) | (state_q == Count)),
    .words_i ((state_q == Hand) ? b_q[CountWidth-1:0] : (state_q == Length) ? mail_i[CountWidth-1:0] : register_i[CountWidth-1:0]),
    .begin_i ((state_q == Hand) | (state_q == Length) | (state_q == Align)),
    .from_i  ((state_q == Hand) ? a_q[AddressWidth-1:0] : b_q[AddressWidth-1:0]),
    .to_i    (a_q[AddressWidth-1:0]),
    .step_i  (state_q == Write),
    .source_o(pointer), .target_o(target), .left_o(left), .last_o(last), .none_o(none)
  );

  always @* begin
    state_d = Fetch;
    case (state_q)
      Idle:       state_d = (start_i & !halted_q) ? Fetch : Idle;
      Fetch:      state_d = ReadA;
      ReadA:      state_d = ReadB;
      ReadB:      state_d = Execute;
      Execute:    state_d = (halt | (pause & !due)) ? Idle : ld ? Load : sends ? Node : takes ? Look : copy ? Count : Fetch;
      Node:       state_d = Tag;
      Tag:        state_d = Way;
      Way:        state_d = Hand;
      Hand:       state_d = nothing ? Fetch : busy_i ? Idle : sendw ? Send : Move;
      Look:       state_d = (position_q != waiting_i) ? Source : poll ? None : Idle;
      Source:     state_d = fits ? Wanted : Look;
      Wanted:     state_d = wanted ? Length : Look;
      Length:     state_d = GiveTag;
      GiveTag:    state_d = GiveSource;
      GiveSource: state_d = GiveWords;
      GiveWords:  state_d = probe ? Fetch : recvw ? Take : Move;
      Count:      state_d = Align;
      Align:      state_d = empty ? Fetch : Move;
      Move:       state_d = Write;
      Write:      state_d = !last ? Move : copy ? Fetch : sends ? Send : Take;
      default:    state_d = Fetch;  // Load, Send, Take, None
    endcase
  end

  always @(posedge clk_i) begin
    if (rst_i) state_q <= Idle;
    else state_q <= state_d;
  end
  always @(posedge clk_i) begin
    if (rst_i) halted_q <= 1'b0;
    else if ((state_q == Execute) & halt) halted_q <= 1'b1;
  end
  wire executed = (state_d == Fetch) & (state_q != Idle);
  always @(posedge clk_i) begin
    if (rst_i) pc_q <= {PcWidth{1'b0}};
    else if (executed) pc_q <= pc_q + (taken ? imm[PcWidth-1:0] : {{PcWidth - 1{1'b0}}, 1'b1});
  end

  // Registers: what a state reads is there in the next one.
  always @* begin
    case (state_q)
      ReadA:   register_o = lih ? rd : ra;
      ReadB:   register_o = rb;
      Execute: register_o = sends ? rd : rc;
      Tag:     register_o = re;
      default: register_o = rc;
    endcase
  end
  always @(posedge clk_i) begin
    if (state_q == ReadB) a_q <= register_i;
    if (state_q == Execute) b_q <= register_i[Element-1:0];
    if (state_q == Node) node_q <= register_i[NodeWidth-1:0];
    else if (state_q == Source) node_q <= mail_i[NodeWidth-1:0];
    if (state_q == Tag) tag_q <= register_i[TagWidth-1:0];
    else if (state_q == Wanted) tag_q <= mail_i[TagWidth-1:0];
  end

  wire computes = li | lih | mov | add | addi | sub | min | max | now;
  assign register_write_o = ((state_q == Execute) & computes) | (state_q == Load) | (state_q == None) | (state_q == GiveWords) |
                            ((state_q == GiveTag) & labels & |rb) | ((state_q == GiveSource) & (labels | any));
  always @* begin
    register_target_o = rd;
    register_word_o   = result;
    case (state_q)
      Load:       register_word_o = data_i;
      None:       register_word_o = {Word{1'b0}};
      GiveTag: begin
        register_target_o = rb;
        register_word_o   = {{Word - TagWidth{1'b0}}, tag_q};
      end
      GiveSource: begin
        register_target_o = ra;
        register_word_o   = {{Word - NodeWidth{1'b0}}, node_q};
      end
      GiveWords:  register_word_o = recvw ? mail_i : {{Word - CountWidth{1'b0}}, left};
      default:    ;
    endcase
  end

  // Words that move, and where they are.
  always @(posedge clk_i) begin
    if (state_q == Execute) position_q <= {PositionWidth{1'b0}};
    else if ((state_d == Look) & (state_q != Look)) position_q <= position_q + 1'b1;
  end
  always @(posedge clk_i) begin
    if ((state_q == Execute) | (state_d == Look)) offset_q <= {OffsetWidth{1'b0}};
    else if (state_q == Hand) offset_q <= 3;
    else if ((state_q == Look) | (state_q == Source) | (state_q == Wanted) | (state_q == Write)) offset_q <= offset_q + 1'b1;
  end
  assign data_address_o = (state_q == Execute) ? sum[AddressWidth-1:0] : pointer;
  assign data_target_o  = (state_q == Execute) ? sum[AddressWidth-1:0] : target;
  assign data_write_o   = ((state_q == Execute) & st) | ((state_q == Write) & !sends);
  assign data_word_o    = (state_q == Execute) ? register_i : copy ? data_i : mail_i;
  assign mail_write_o   = ((state_q == Write) & sends) | ((state_q == Send) & sendw);
  assign mail_word_o    = sendw ? a_q : data_i;
  assign take_o         = state_q == Take;
  assign choose_o       = state_q == Way;
  assign node_o         = node_q;
  assign number_o       = sendv ? register_i[Element-1:0] : send ? imm : {Element{1'b0}};
  assign send_o         = state_q == Send;
  assign length_o       = sendw ? {{OffsetWidth - 1{1'b0}}, 1'b1} : b_q[OffsetWidth-1:0];
  assign kind_o         = sendw ? imm[1:0] : 2'b00;
  assign tag_o          = tag_q;
endmodule
