// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Writes the flits that the network delivers in a target cycle into the mail memory, one ejection channel after the
// other. A message in its slot:
//
//   word 0  {control word, source}      word 1  tag      word 2  length      words 3 and up  payload
module pe_receiver #(
  parameter Word         = 32,
  parameter Channels     = 1,
  parameter Vcs          = 1,
  parameter ContextWidth = 1,
  parameter OffsetWidth  = 4,  // of a word in a slot
  parameter VcWidth      = 1,
  parameter TagWidth     = 4,
  parameter NodeWidth    = 2,
  parameter RouteWidth   = 0,
  parameter Width        = 32,
  parameter HeadFlit     = 0,  // 1: the header travels in a flit of its own
  parameter FlitWidth    = VcWidth + 2 + ((HeadFlit != 0) ? 0 : 2 + TagWidth + 2 * NodeWidth + RouteWidth) + Width  // derived
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire                          start_i,
  output wire                          idle_o,
  input  wire [Channels-1:0]           valid_i,    // stands still until the network's time advances
  input  wire [Channels*FlitWidth-1:0] flit_i,
  output wire [ContextWidth-1:0]       context_o,
  output wire                          whole_o,    // the context's message is
  output wire                          write_o,
  output reg  [OffsetWidth-1:0]        offset_o,
  output reg  [Word-1:0]               word_o
);
  localparam ChannelWidth = (Channels > 1) ? $clog2(Channels) : 1;
  localparam Contexts = Channels * Vcs;
  localparam BeforeChannels = Channels - 1;
  localparam [ChannelWidth-1:0] LastChannel = BeforeChannels[ChannelWidth-1:0];
  localparam [2:0] Idle = 0, Look = 1, Source = 2, Tag = 3, Payload = 4, Length = 5;
  localparam [OffsetWidth-1:0] First = 3;

  reg  [2:0]              state_q;
  reg  [2:0]              state_d;
  reg  [ChannelWidth-1:0] channel_q;
  wire                    valid;
  wire [FlitWidth-1:0]    flit;
  wire                    last = channel_q == LastChannel;
  assign idle_o = state_q == Idle;

  generate
    if (Channels == 1) begin : gen_one
      assign valid = valid_i;
      assign flit  = flit_i;
    end else begin : gen_several
      assign valid = valid_i[channel_q];
      assign flit  = flit_i[channel_q*FlitWidth+:FlitWidth];
    end
    if (Contexts == 1) begin : gen_context
      assign context_o = 1'b0;
    end else if (Vcs == 1) begin : gen_context
      assign context_o = channel_q;
    end else begin : gen_context
      localparam [ContextWidth-1:0] Lanes = Vcs;
      assign context_o = {{ContextWidth - ChannelWidth{1'b0}}, channel_q} * Lanes + {{ContextWidth - VcWidth{1'b0}}, flit[FlitWidth-1-:VcWidth]};
    end
  endgenerate

  localparam SourceLsb = ((HeadFlit != 0) ? 0 : Width + RouteWidth) + NodeWidth;
  localparam TagLsb = SourceLsb + NodeWidth;
  localparam KindLsb = TagLsb + TagWidth;
  wire                 head = flit[FlitWidth-VcWidth-1];
  wire                 tail = flit[FlitWidth-VcWidth-2];
  wire                 control = |flit[KindLsb+:2];
  wire [NodeWidth-1:0] source = flit[SourceLsb+:NodeWidth];
  wire [TagWidth-1:0]  tag = flit[TagLsb+:TagWidth];
  wire                 unused = &{1'b0, flit};

  // Where the next word of each context goes.
  wire [Contexts*OffsetWidth-1:0] nexts;
  wire [OffsetWidth-1:0]          next;
  generate
    if (Contexts == 1) begin : gen_next
      assign next = nexts;
    end else begin : gen_next
      assign next = nexts[context_o*OffsetWidth+:OffsetWidth];
    end
  endgenerate

  genvar k;
  generate
    for (k = 0; k < Contexts; k = k + 1) begin : gen_place
      localparam [ContextWidth-1:0] Number = k;
      wire mine = (Contexts == 1) | (context_o == Number);
      reg [OffsetWidth-1:0] next_q;
      assign nexts[k*OffsetWidth+:OffsetWidth] = next_q;
      always @(posedge clk_i) begin
        if (mine & (state_q == Tag)) next_q <= First;
        else if (mine & (state_q == Payload)) next_q <= next + 1'b1;
      end
    end
  endgenerate

  always @* begin
    state_d = last ? Idle : Look;
    case (state_q)
      Idle:    state_d = start_i ? Look : Idle;
      Look:    if (valid) state_d = head ? Source : Payload;
      Source:  state_d = Tag;
      Tag:     if (HeadFlit == 0) state_d = Payload;
      Payload: if (tail) state_d = Length;
      default: ;
    endcase
  end

  wire done = !idle_o & ((state_d == Look) | (state_d == Idle));  // with this channel
  always @(posedge clk_i) begin
    if (rst_i) state_q <= Idle;
    else state_q <= state_d;
  end
  always @(posedge clk_i) begin
    if (rst_i | idle_o) channel_q <= {ChannelWidth{1'b0}};
    else if (done & !last) channel_q <= channel_q + 1'b1;
  end

  assign write_o = (state_q != Idle) & (state_q != Look);
  assign whole_o = state_q == Length;
  always @* begin
    offset_o = next;
    word_o   = {Word{1'b0}};
    word_o[Width-1:0] = flit[Width-1:0];
    case (state_q)
      Source: begin
        offset_o = 0;
        word_o   = {{Word - NodeWidth - 1{1'b0}}, control, source};
      end
      Tag: begin
        offset_o = 1;
        word_o   = {{Word - TagWidth{1'b0}}, tag};
      end
      Length: begin
        offset_o = 2;
        word_o   = {{Word - OffsetWidth{1'b0}}, next - First};
      end
      default: ;
    endcase
  end
endmodule
