// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Which slot of the mail memory holds which message. The first waiting_o places of a list name the slots of the
// messages that wait, the oldest first; the other places name free slots. Each context, a virtual channel of an ejection channel,
// has a slot of its own for the message that is coming in.
//
//   a message is whole:  the context's slot and the first free one change places
//   a message is taken:  the places behind it move up, its slot becomes the last, free one
module pe_inbox #(
  parameter Slots         = 2,  // messages that may wait
  parameter Contexts      = 1,
  parameter SlotWidth     = 2,
  parameter PositionWidth = 2,
  parameter ContextWidth  = 1
) (
  input  wire                     clk_i,
  input  wire                     rst_i,
  input  wire [ContextWidth-1:0]  context_i,
  output wire [SlotWidth-1:0]     incoming_o,  // the context's slot
  input  wire                     whole_i,     // its message is whole
  input  wire [PositionWidth-1:0] position_i,
  output wire [SlotWidth-1:0]     slot_o,      // at this place of the list
  output wire [PositionWidth-1:0] waiting_o,
  input  wire                     take_i       // the message at this place leaves
);
  reg  [PositionWidth-1:0]      waiting_q;
  reg  [Slots*SlotWidth-1:0]    list_q;
  wire [Contexts*SlotWidth-1:0] incoming;
  wire [SlotWidth-1:0]          free = word_at(list_q, waiting_q);
  assign waiting_o = waiting_q;
  assign slot_o    = word_at(list_q, position_i);

  // Selects word `at` of the list: places behind its end read as the last one.
  function [SlotWidth-1:0] word_at(input [Slots*SlotWidth-1:0] places, input [PositionWidth-1:0] at);
    integer i;
    begin
      i = {{32 - PositionWidth{1'b0}}, at};
      word_at = places[((i<Slots)?i : Slots-1)*SlotWidth+:SlotWidth];
    end
  endfunction

  // The list when the context's slot has taken the first free place, or the places behind a message that leaves have moved up.
  // It is one register, which changes once in a cycle: event-driven simulators look at all of it for each change.
  function [Slots*SlotWidth-1:0] changed(
    input [Slots*SlotWidth-1:0] places, input whole, input [PositionWidth-1:0] at, input [SlotWidth-1:0] slot);
    integer i;
    begin
      changed = places;
      for (i = 0; i < Slots; i = i + 1) begin
        if (whole) begin
          if (at == i[PositionWidth-1:0]) changed[i*SlotWidth+:SlotWidth] = slot;
        end else if (i[PositionWidth-1:0] >= at) begin
          changed[i*SlotWidth+:SlotWidth] = (i < Slots - 1) ? places[((i<Slots-1)?i+1 : i)*SlotWidth+:SlotWidth] : slot;
        end
      end
    end
  endfunction

  function [Slots*SlotWidth-1:0] first(input unused);
    integer i;
    for (i = 0; i < Slots; i = i + 1) first[i*SlotWidth+:SlotWidth] = i[SlotWidth-1:0];
  endfunction

  always @(posedge clk_i) begin
    if (rst_i) list_q <= first(1'b0);
    else if (whole_i | take_i) list_q <= changed(list_q, whole_i, whole_i ? waiting_q : position_i, whole_i ? incoming_o : slot_o);
  end

  genvar k;
  generate
    for (k = 0; k < Contexts; k = k + 1) begin : gen_context
      localparam [SlotWidth-1:0] Own = Slots + k;
      localparam [ContextWidth-1:0] Number = k;
      reg [SlotWidth-1:0] slot_q;
      assign incoming[k*SlotWidth+:SlotWidth] = slot_q;
      always @(posedge clk_i) begin
        if (rst_i) slot_q <= Own;
        else if (whole_i & (context_i == Number)) slot_q <= free;
      end
    end

    if (Contexts == 1) begin : gen_one
      wire unused = &{1'b0, context_i};
      assign incoming_o = incoming;
    end else begin : gen_several
      assign incoming_o = incoming[context_i*SlotWidth+:SlotWidth];
    end
  endgenerate

  always @(posedge clk_i) begin
    if (rst_i) waiting_q <= {PositionWidth{1'b0}};
    else if (whole_i) waiting_q <= waiting_q + 1'b1;
    else if (take_i) waiting_q <= waiting_q - 1'b1;
  end

`ifndef SYNTHESIS
  localparam [PositionWidth-1:0] Most = Slots;
  rule #(
    .Name("pe_inbox/has-room")
  ) i_has_room (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(whole_i & (waiting_q == Most))
  );
`endif
endmodule
