// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A flit that takes several cycles is whole only Late target cycles after its ejection began. An ejection channel begins
// with the next one then or later, so one register for each channel is enough.
module pe_arrivals #(
  parameter Channels  = 1,
  parameter FlitWidth = 40,
  parameter Late      = 0   // 0: wires
) (
  input  wire                          clk_i,
  input  wire                          rst_i,
  input  wire                          tick_i,
  input  wire [Channels-1:0]           valid_i,
  input  wire [Channels*FlitWidth-1:0] flit_i,
  output wire [Channels-1:0]           valid_o,
  output wire [Channels*FlitWidth-1:0] flit_o
);
  genvar c;
  generate
    for (c = 0; c < Channels; c = c + 1) begin : gen_channel
      if (Late == 0) begin : gen_wire
        wire unused = &{1'b0, clk_i, rst_i, tick_i};
        assign valid_o[c] = valid_i[c];
        assign flit_o[c*FlitWidth+:FlitWidth] = flit_i[c*FlitWidth+:FlitWidth];
      end else begin : gen_late
        reg  [Late-1:0]      age_q;   // one-hot: target cycles since the ejection began
        reg  [FlitWidth-1:0] flit_q;
        wire [Late:0]        age = {age_q, valid_i[c]};
        assign valid_o[c] = age[Late];
        assign flit_o[c*FlitWidth+:FlitWidth] = flit_q;
        always @(posedge clk_i) begin
          if (rst_i) age_q <= {Late{1'b0}};
          else if (tick_i) age_q <= age[Late-1:0];
        end
        always @(posedge clk_i) if (tick_i & valid_i[c]) flit_q <= flit_i[c*FlitWidth+:FlitWidth];
`ifndef SYNTHESIS
        wire hidden;  // a flit begins while another one is in flight
        if (Late == 1) begin : gen_next
          assign hidden = 1'b0;
        end else begin : gen_next
          assign hidden = valid_i[c] & |age_q[Late-2:0];
        end
        rule #(
          .Name("pe_arrivals/one-flit-at-a-time")
        ) i_one_flit_at_a_time (
          .clk_i   (clk_i),
          .rst_i   (rst_i),
          .broken_i(tick_i & hidden)
        );
`endif
      end
    end
  endgenerate
endmodule
