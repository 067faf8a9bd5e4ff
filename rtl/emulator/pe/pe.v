// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A processing element (PE): a small processor with its network interface. In each target cycle
//
//   Receive  the flits that the network delivers go into the mail memory
//   Run      the processor executes instructions until it stalls or halts
//   Place    the injection channels offer their next flits
//
// Then the PE is settled, and waits for the tick, with which the network's time advances.
module pe #(
  parameter                       Word         = 32,
  parameter                       Width        = 32,              // of a flit's payload
  parameter                       HeadFlit     = 0,              // 1: the header travels in a flit of its own
  parameter                       Words        = 256,             // of data memory
  parameter                       AddressWidth = 8,
  parameter                       ProgramWords = 256,
  parameter                       PcWidth      = 8,
  parameter                       Program      = "",              // as for $readmemh
  parameter                       Memory       = "",              // data memory at the start
  parameter                       Node         = 0,
  parameter                       Nodes        = 4,
  parameter                       R14          = 0,               // these registers at the start
  parameter                       R15          = 0,
  parameter                       Channels     = 1,
  parameter                       Vcs          = 1,
  parameter                       Slots        = 2,               // messages that wait for the processor
  parameter                       OffsetWidth  = 4,               // of a word in a slot of the mail memory
  parameter                       CountWidth   = 9,               // of words that move
  parameter                       Startup      = 0,
  parameter                       Flit         = 1,
  parameter                       Late         = 0,               // target cycles that an ejected flit takes longer
  parameter                       NodeWidth    = 2,
  parameter                       TagWidth     = 4,
  parameter                       RouteWidth   = 0,
  parameter                       Ways         = 4,               // see pe_senders
  parameter                       EntryWidth   = 2,
  parameter [Ways*EntryWidth-1:0] Way          = {Ways * EntryWidth{1'b0}},
  parameter                       Element      = (Word > 32) ? 32 : Word,  // derived: bits of a word that are a number
  parameter                       VcWidth      = (Vcs > 1) ? $clog2(Vcs) : 1,  // derived
  parameter                       FlitWidth    = VcWidth + 2 + ((HeadFlit != 0) ? 0 : 2 + TagWidth + 2 * NodeWidth + RouteWidth) + Width  // derived
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire                          tick_i,
  input  wire [Element-1:0]            now_i,        // the target cycle
  output wire                          settled_o,    // ready for the tick
  input  wire                          dead_i,       // the node is: its processor stops
  output wire                          halted_o,     // or dead
  // Injection and ejection channels, as those of the chips.
  output wire [Channels-1:0]           inj_valid_o,
  output wire [Channels*FlitWidth-1:0] inj_flit_o,
  input  wire [Channels-1:0]           inj_ready_i,
  input  wire [Channels-1:0]           ej_valid_i,
  input  wire [Channels*FlitWidth-1:0] ej_flit_i,
  // Data memory, read from outside while the processor is halted: the word is there one clock cycle later.
  input  wire [AddressWidth-1:0]       address_i,
  output wire [Word-1:0]               word_o
);
  localparam PositionWidth = $clog2(Slots + 1);
  localparam [1:0] Receive = 0, Run = 1, Place = 2, Settled = 3;

  reg  [1:0] phase_q;
  reg        begins_q;
  wire       received, idle, placed;
  reg        ends;
  wire       halted;
  assign settled_o = phase_q == Settled;
  assign halted_o = halted | dead_i;
  always @* begin
    case (phase_q)
      Receive: ends = received & !begins_q;
      Run:     ends = idle & !begins_q;
      Place:   ends = placed;
      default: ends = 1'b0;
    endcase
  end
  always @(posedge clk_i) begin
    if (rst_i | tick_i) phase_q <= Receive;
    else if (ends) phase_q <= phase_q + 1'b1;
  end
  always @(posedge clk_i) begins_q <= rst_i | tick_i | ends;

  wire [PcWidth-1:0]       pc;
  wire [31:0]              instruction;
  wire [3:0]               register, register_target;
  wire [Word-1:0]          register_word, register_new;
  wire                     register_write;
  wire [AddressWidth-1:0]  data_address, data_target;
  wire [Word-1:0]          data_new;
  wire                     data_write;
  wire [OffsetWidth-1:0]   offset, length;
  wire [Word-1:0]          mail, mail_new;
  wire [Element-1:0]       number;
  wire                     mail_write, take, choose, busy, send;
  wire [PositionWidth-1:0] position, waiting;
  wire [NodeWidth-1:0]     node;
  wire [1:0]               kind;
  wire [TagWidth-1:0]      tag;

  wire [Channels-1:0]           came;
  wire [Channels*FlitWidth-1:0] came_flit;
  pe_arrivals #(
    .Channels (Channels),
    .FlitWidth(FlitWidth),
    .Late     (Late)
  ) i_arrivals (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .tick_i (tick_i),
    .valid_i(ej_valid_i),
    .flit_i (ej_flit_i),
    .valid_o(came),
    .flit_o (came_flit)
  );

  pe_rom #(
    .Words       (ProgramWords),
    .AddressWidth(PcWidth),
    .File        (Program)
  ) i_program (
    .clk_i    (clk_i),
    .address_i(pc),
    .word_o   (instruction)
  );

  pe_registers #(
    .Word(Word),
    .R14 (R14),
    .R15 (R15)
  ) i_registers (
    .clk_i   (clk_i),
    .number_i(register),
    .word_o  (register_word),
    .write_i (register_write),
    .target_i(register_target),
    .word_i  (register_new)
  );

  pe_memory #(
    .Word        (Word),
    .Words       (Words),
    .AddressWidth(AddressWidth),
    .File        (Memory)
  ) i_data (
    .clk_i    (clk_i),
    .address_i(halted_o ? address_i : data_address),
    .word_o   (word_o),
    .write_i  (data_write),
    .target_i (data_target),
    .word_i   (data_new)
  );

  pe_core #(
    .Word         (Word),
    .AddressWidth (AddressWidth),
    .PcWidth      (PcWidth),
    .OffsetWidth  (OffsetWidth),
    .PositionWidth(PositionWidth),
    .CountWidth   (CountWidth),
    .TagWidth     (TagWidth),
    .NodeWidth    (NodeWidth)
  ) i_core (
    .clk_i            (clk_i),
    .rst_i            (rst_i),
    .start_i          ((phase_q == Run) & begins_q & !dead_i),
    .idle_o           (idle),
    .halted_o         (halted),
    .now_i            (now_i),
    .pc_o             (pc),
    .instruction_i    (instruction),
    .register_o       (register),
    .register_i       (register_word),
    .register_write_o (register_write),
    .register_target_o(register_target),
    .register_word_o  (register_new),
    .data_address_o   (data_address),
    .data_i           (word_o),
    .data_write_o     (data_write),
    .data_target_o    (data_target),
    .data_word_o      (data_new),
    .offset_o         (offset),
    .mail_i           (mail),
    .mail_write_o     (mail_write),
    .mail_word_o      (mail_new),
    .position_o       (position),
    .waiting_i        (waiting),
    .take_o           (take),
    .choose_o         (choose),
    .node_o           (node),
    .number_o         (number),
    .busy_i           (busy),
    .send_o           (send),
    .length_o         (length),
    .kind_o           (kind),
    .tag_o            (tag)
  );

  pe_interface #(
    .Word         (Word),
    .Width        (Width),
    .HeadFlit     (HeadFlit),
    .Node         (Node),
    .Nodes        (Nodes),
    .Channels     (Channels),
    .Vcs          (Vcs),
    .Slots        (Slots),
    .PositionWidth(PositionWidth),
    .OffsetWidth  (OffsetWidth),
    .Startup      (Startup),
    .Flit         (Flit),
    .NodeWidth    (NodeWidth),
    .TagWidth     (TagWidth),
    .RouteWidth   (RouteWidth),
    .Ways         (Ways),
    .EntryWidth   (EntryWidth),
    .Way          (Way)
  ) i_interface (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .tick_i     (tick_i),
    .receive_i  ((phase_q == Receive) & begins_q),
    .received_o (received),
    .run_i      (phase_q == Run),
    .place_i    (phase_q[1]),  // Place, Settled
    .placed_o   (placed),
    .offset_i   (offset),
    .word_o     (mail),
    .write_i    (mail_write),
    .word_i     (mail_new),
    .position_i (position),
    .waiting_o  (waiting),
    .take_i     (take),
    .choose_i   (choose),
    .node_i     (node),
    .number_i   (number),
    .busy_o     (busy),
    .send_i     (send),
    .length_i   (length),
    .kind_i     (kind),
    .tag_i      (tag),
    .inj_valid_o(inj_valid_o),
    .inj_flit_o (inj_flit_o),
    .inj_ready_i(inj_ready_i),
    .ej_valid_i (came),
    .ej_flit_i  (came_flit)
  );
endmodule
