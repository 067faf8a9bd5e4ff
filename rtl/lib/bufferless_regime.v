// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Which flits of a bufferless chip may move besides what its outputs allow.
//
//   half duplex   an ejected flit and an injected one exclude each other for the time of a flit; ejection comes first
//   single port   one flit leaves over the links, the lowest input's, and one comes in, of the lowest offer
module bufferless_regime #(
  parameter Ports      = 4,
  parameter Channels   = 1,
  parameter Flit       = 1,
  parameter SinglePort = 0,
  parameter HalfDuplex = 0
) (
  input  wire                      clk_i,
  input  wire                      rst_i,
  input  wire                      tick_i,
  input  wire [Ports+Channels-1:0] depart_i,   // inputs with a flit for a link; injection channels are the highest
  input  wire [Ports-1:0]          sent_i,     // links with a flit
  input  wire                      inject_i,   // an injected flit leaves
  input  wire                      eject_i,    // a flit goes to the PE
  output wire [Ports+Channels-1:0] block_o,    // inputs whose flits may not leave
  output wire                      silence_o,  // no ejection
  input  wire [Ports-1:0]          offer_i,    // flits that come over links
  output wire [Ports-1:0]          take_o
);
  localparam Inputs = Ports + Channels;
  wire hush;  // no injection
  wire [Inputs-1:0] hushed = {{Channels{hush}}, {Ports{1'b0}}};

  generate
    if (Channels != 1 && Channels != Ports) begin : gen_bad_channels
      bufferless_regime_has_one_channel_or_one_per_link_port i_stop ();
    end
    if (HalfDuplex != 0) begin : gen_half
      wire received;
      assign hush = eject_i | received;
      rest_timer #(
        .Cycles(Flit)
      ) i_received (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(eject_i),
        .rest_o (received)
      );
      rest_timer #(
        .Cycles(Flit)
      ) i_injected (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(inject_i),
        .rest_o (silence_o)
      );
    end else begin : gen_full
      wire unused = &{1'b0, inject_i, eject_i};
      assign hush = 1'b0;
      assign silence_o = 1'b0;
    end
  endgenerate

  generate
    if (SinglePort != 0) begin : gen_single
      wire [Inputs-1:0] departing = depart_i & ~hushed;
      wire              sending;
      wire              taking;
      reg  [Inputs-1:0] behind;  // another flit goes first
      integer           n;
      assign block_o = hushed | behind | {Inputs{sending}};
      assign take_o = offer_i & (~offer_i + 1'b1) & {Ports{!taking}};

      always @* begin
        behind = {Inputs{1'b0}};
        for (n = 1; n < Inputs; n = n + 1) behind[n] = behind[n-1] | departing[n-1];
      end

      rest_timer #(
        .Cycles(Flit)
      ) i_sending (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|sent_i),
        .rest_o (sending)
      );
      rest_timer #(
        .Cycles(Flit)
      ) i_taking (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .tick_i (tick_i),
        .start_i(|take_o),
        .rest_o (taking)
      );
    end else begin : gen_all
      wire unused = &{1'b0, clk_i, rst_i, tick_i, depart_i, sent_i};
      assign block_o = hushed;
      assign take_o = offer_i;
    end
  endgenerate
endmodule
