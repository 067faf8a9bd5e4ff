// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Makes a PE's stream of the messages that a chip ejects: a message becomes a frame, a flit becomes a beat. Frames are
// never mixed, whatever the number of channels and virtual channels.
//
//   ejection channel 0, vc 0 -> stream_buffer -+
//                       vc 1 -> stream_buffer -+-> the buffer whose frame has begun -> valid_o, data_o, last_o ...
//   ...                                        |   (round robin between frames)
//
// A full buffer holds its own virtual channel back and no other: the frame in flight always gets its flits.
module stream_receiver #(
  parameter Depth      = 2,  // flits in each buffer
  parameter Vcs        = 1,
  parameter Channels   = 1,
  parameter RouteWidth = 0,
  parameter NodeWidth  = 2,
  parameter TagWidth   = 8,
  parameter HeadFlit   = 0,  // 1: a message begins with a flit that carries its header
  parameter Width      = 32,
  // Derived: leave alone.
  parameter VcWidth    = (Vcs > 1) ? $clog2(Vcs) : 1,
  parameter Header     = RouteWidth + 2 + TagWidth + 2 * NodeWidth,
  parameter FlitWidth  = VcWidth + 2 + Width + ((HeadFlit != 0) ? 0 : Header)
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire [NodeWidth-1:0]          node_i,      // own number, a constant
  // Chip: a flit is taken when valid & ready[its vc]. Ready comes from registers.
  input  wire [Channels-1:0]           ej_valid_i,
  input  wire [Channels*FlitWidth-1:0] ej_flit_i,
  output wire [Channels*Vcs-1:0]       ej_ready_o,
  // PE: a beat goes over when valid & ready. A beat that is offered stays as it is until it is taken.
  output wire                          valid_o,
  input  wire                          ready_i,
  output wire [Width-1:0]              data_o,
  output wire                          last_o,
  output wire [NodeWidth-1:0]          source_o,
  output wire [TagWidth-1:0]           tag_o
);
  localparam Buffers = Channels * Vcs;
  localparam HeadBit = FlitWidth - VcWidth - 1;
  localparam TailBit = HeadBit - 1;
  localparam HeaderLsb = (HeadFlit != 0) ? 0 : Width + RouteWidth;  // {kind, tag, source, destination}
  localparam Kept = (HeadFlit != 0) ? 0 : TagWidth + NodeWidth;
  localparam BeatWidth = 2 + Kept + Width;             // {head, tail, tag, source, payload}, the header not with HeadFlit

  wire [Buffers-1:0]           valid;
  wire [Buffers-1:0]           head;
  wire [Buffers-1:0]           tail;
  wire [Buffers-1:0]           select;  // one-hot, or zero
  wire [Buffers*BeatWidth-1:0] beats;

  genvar c;
  genvar v;
  generate
    for (c = 0; c < Channels; c = c + 1) begin : gen_channel
      wire [FlitWidth-1:0] flit = ej_flit_i[c*FlitWidth+:FlitWidth];
      wire                 unused_flit = &{1'b0, flit};
      wire [BeatWidth-1:0] beat;
      if (HeadFlit != 0) begin : gen_beat
        assign beat = flit[HeadBit:0];
      end else begin : gen_beat
        assign beat = {flit[HeadBit:TailBit], flit[HeaderLsb+NodeWidth+:TagWidth+NodeWidth], flit[Width-1:0]};
      end
      for (v = 0; v < Vcs; v = v + 1) begin : gen_vc
        localparam K = c * Vcs + v;
        localparam [VcWidth-1:0] Vc = v;
        assign head[K] = valid[K] & beats[(K+1)*BeatWidth-1];
        assign tail[K] = beats[(K+1)*BeatWidth-2];

        stream_buffer #(
          .Width(BeatWidth),
          .Depth(Depth)
        ) i_buffer (
          .clk_i  (clk_i),
          .rst_i  (rst_i),
          .valid_i(ej_valid_i[c] & ((Vcs == 1) | (flit[HeadBit+1+:VcWidth] == Vc))),
          .ready_o(ej_ready_o[K]),
          .data_i (beat),
          .valid_o(valid[K]),
          .ready_i(taken & select[K]),
          .data_o (beats[K*BeatWidth+:BeatWidth])
        );
      end

`ifndef SYNTHESIS
      rule #(
        .Name("stream_receiver/for-this-node")
      ) i_for_this_node (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .broken_i(ej_valid_i[c] & flit[HeadBit] & (flit[HeaderLsb+:NodeWidth] != node_i))
      );
`endif
    end
  endgenerate
`ifdef SYNTHESIS
  wire unused_node = &{1'b0, node_i};
`endif

  wire [BeatWidth-1:0] chosen;
  wire                 offer;    // chosen means something
  wire                 begins = chosen[BeatWidth-1];
  wire                 taken;
  assign last_o = chosen[BeatWidth-2];
  assign data_o = chosen[Width-1:0];

  generate
    if (HeadFlit != 0) begin : gen_header
      // The header is taken as soon as its message has claimed the stream, and kept for its beats.
      reg [TagWidth+NodeWidth-1:0] header_q;
      always @(posedge clk_i) if (offer & begins) header_q <= chosen[NodeWidth+:TagWidth+NodeWidth];
      assign {tag_o, source_o} = header_q;
      assign valid_o = offer & !begins;
      assign taken = ready_i | begins;
    end else begin : gen_header
      assign {tag_o, source_o} = chosen[Width+:TagWidth+NodeWidth];
      assign valid_o = offer;
      assign taken = ready_i;
    end
  endgenerate

  // A head claims the stream until its tail has gone.
  generate
    if (Buffers == 1) begin : gen_claim
      wire unused = &{1'b0, head, tail};
      assign select = 1'b1;
      assign offer = valid;
      assign chosen = beats;
    end else begin : gen_claim
      wire [Buffers-1:0] unused_held;
      wire [Buffers-1:0] unused_leave;
      output_vc #(
        .Inputs(Buffers)
      ) i_claim (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .tick_i   (1'b1),
        .request_i(head),
        .movable_i(valid),
        .tail_i   (tail),
        .go_i     (taken),
        .owner_o  (select),
        .want_o   (offer),
        .held_o   (unused_held),
        .leave_o  (unused_leave)
      );

      reg  [BeatWidth-1:0] mux;
      integer              k;
      always @* begin
        mux = {BeatWidth{1'b0}};
        for (k = 0; k < Buffers; k = k + 1) mux = mux | (beats[k*BeatWidth+:BeatWidth] & {BeatWidth{select[k]}});
      end
      assign chosen = mux;
    end
  endgenerate

`ifndef SYNTHESIS
  reg body_q;  // the head of the frame has gone
  always @(posedge clk_i) begin
    if (rst_i) body_q <= 1'b0;
    else if (offer & taken) body_q <= !last_o;
  end
  rule #(
    .Name("stream_receiver/frames-are-whole")
  ) i_frames_are_whole (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(offer & (begins == body_q))
  );
`endif
endmodule
