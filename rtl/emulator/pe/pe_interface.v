// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The network interface of a PE: what comes in waits in slots of the mail memory, and what goes out is copied there.
//
//   slots of waiting and incoming messages, which the inbox hands out | one slot for each injection channel
module pe_interface #(
  parameter                       Word          = 32,
  parameter                       Width         = 32,
  parameter                       HeadFlit      = 0,
  parameter                       Node          = 0,
  parameter                       Nodes         = 4,
  parameter                       Channels      = 1,
  parameter                       Vcs           = 1,
  parameter                       Slots         = 2,  // messages that may wait
  parameter                       PositionWidth = 2,
  parameter                       OffsetWidth   = 4,  // of a word in a slot
  parameter                       Startup       = 0,
  parameter                       Flit          = 1,
  parameter                       NodeWidth     = 2,
  parameter                       TagWidth      = 4,
  parameter                       RouteWidth    = 0,
  parameter                       Ways          = 4,
  parameter                       EntryWidth    = 2,
  parameter [Ways*EntryWidth-1:0] Way           = {Ways * EntryWidth{1'b0}},
  parameter                       Element       = (Word > 32) ? 32 : Word,  // derived
  parameter                       VcWidth       = (Vcs > 1) ? $clog2(Vcs) : 1,  // derived
  parameter                       FlitWidth     = VcWidth + 2 + ((HeadFlit != 0) ? 0 : 2 + TagWidth + 2 * NodeWidth + RouteWidth) + Width  // derived
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire                          tick_i,
  // The phases of the PE.
  input  wire                          receive_i,   // begins
  output wire                          received_o,
  input  wire                          run_i,       // lasts
  input  wire                          place_i,     // lasts, until the tick
  output wire                          placed_o,
  // The processor in its phase: it reads the slot of a waiting message and writes that of a channel.
  input  wire [OffsetWidth-1:0]        offset_i,
  output wire [Word-1:0]               word_o,
  input  wire                          write_i,
  input  wire [Word-1:0]               word_i,
  input  wire [PositionWidth-1:0]      position_i,
  output wire [PositionWidth-1:0]      waiting_o,
  input  wire                          take_i,
  input  wire                          choose_i,
  input  wire [NodeWidth-1:0]          node_i,
  input  wire [Element-1:0]            number_i,
  output wire                          busy_o,
  input  wire                          send_i,
  input  wire [OffsetWidth-1:0]        length_i,
  input  wire [1:0]                    kind_i,
  input  wire [TagWidth-1:0]           tag_i,
  // Network.
  output wire [Channels-1:0]           inj_valid_o,
  output wire [Channels*FlitWidth-1:0] inj_flit_o,
  input  wire [Channels-1:0]           inj_ready_i,
  input  wire [Channels-1:0]           ej_valid_i,
  input  wire [Channels*FlitWidth-1:0] ej_flit_i
);
  localparam Contexts = Channels * Vcs;
  localparam ContextWidth = (Contexts > 1) ? $clog2(Contexts) : 1;
  localparam ChannelWidth = EntryWidth - VcWidth - RouteWidth;
  localparam SlotWidth = $clog2(Slots + Contexts + Channels);
  localparam [SlotWidth-1:0] FirstSend = Slots + Contexts;

  wire [SlotWidth-1:0]    incoming, waiting;
  wire [OffsetWidth-1:0]  in_offset, out_offset;
  wire [Word-1:0]         in_word;
  wire                    in_write, whole;
  wire [ContextWidth-1:0] in_context;
  wire [ChannelWidth-1:0] to, from;
  wire [SlotWidth-1:0]    to_slot, from_slot;
  generate
    if (Channels == 1) begin : gen_one
      wire unused = &{1'b0, to, from};
      assign to_slot   = FirstSend;
      assign from_slot = FirstSend;
    end else begin : gen_several
      assign to_slot   = FirstSend + {{SlotWidth - ChannelWidth{1'b0}}, to};
      assign from_slot = FirstSend + {{SlotWidth - ChannelWidth{1'b0}}, from};
    end
  endgenerate

  pe_memory #(
    .Word        (Word),
    .Words       ((Slots + Contexts + Channels) << OffsetWidth),
    .AddressWidth(SlotWidth + OffsetWidth)
  ) i_mail (
    .clk_i    (clk_i),
    .address_i(run_i ? {waiting, offset_i} : {from_slot, out_offset}),
    .word_o   (word_o),
    .write_i  (run_i ? write_i : in_write),
    .target_i (run_i ? {to_slot, offset_i} : {incoming, in_offset}),
    .word_i   (run_i ? word_i : in_word)
  );

  pe_receiver #(
    .Word        (Word),
    .Channels    (Channels),
    .Vcs         (Vcs),
    .ContextWidth(ContextWidth),
    .OffsetWidth (OffsetWidth),
    .VcWidth     (VcWidth),
    .TagWidth    (TagWidth),
    .NodeWidth   (NodeWidth),
    .RouteWidth  (RouteWidth),
    .Width       (Width),
    .HeadFlit    (HeadFlit)
  ) i_receiver (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .start_i  (receive_i),
    .idle_o   (received_o),
    .valid_i  (ej_valid_i),
    .flit_i   (ej_flit_i),
    .context_o(in_context),
    .whole_o  (whole),
    .write_o  (in_write),
    .offset_o (in_offset),
    .word_o   (in_word)
  );

  pe_inbox #(
    .Slots        (Slots),
    .Contexts     (Contexts),
    .SlotWidth    (SlotWidth),
    .PositionWidth(PositionWidth),
    .ContextWidth (ContextWidth)
  ) i_inbox (
    .clk_i     (clk_i),
    .rst_i     (rst_i),
    .context_i (in_context),
    .incoming_o(incoming),
    .whole_i   (whole),
    .position_i(position_i),
    .slot_o    (waiting),
    .waiting_o (waiting_o),
    .take_i    (take_i)
  );

  pe_senders #(
    .Element     (Element),
    .Width       (Width),
    .HeadFlit    (HeadFlit),
    .Node        (Node),
    .Nodes       (Nodes),
    .Channels    (Channels),
    .OffsetWidth (OffsetWidth),
    .Startup     (Startup),
    .Flit        (Flit),
    .NodeWidth   (NodeWidth),
    .TagWidth    (TagWidth),
    .VcWidth     (VcWidth),
    .RouteWidth  (RouteWidth),
    .Ways        (Ways),
    .ChannelWidth(ChannelWidth),
    .EntryWidth  (EntryWidth),
    .Way         (Way)
  ) i_senders (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .tick_i   (tick_i),
    .choose_i (choose_i),
    .node_i   (node_i),
    .number_i (number_i),
    .channel_o(to),
    .busy_o   (busy_o),
    .send_i   (send_i),
    .length_i (length_i),
    .kind_i   (kind_i),
    .tag_i    (tag_i),
    .place_i  (place_i),
    .placed_o (placed_o),
    .from_o   (from),
    .offset_o (out_offset),
    .mail_i   (word_o[Width-1:0]),
    .valid_o  (inj_valid_o),
    .flit_o   (inj_flit_o),
    .ready_i  (inj_ready_i)
  );
endmodule
