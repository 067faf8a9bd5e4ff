// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// One input of a bufferless chip, a link with its register or a channel of the PE, and where its flit goes.
//
// With Ahead a head carries its course in the highest bits of its payload, as it is at the chip that it comes to. So a
// chip knows the route of a flit when it has come. The output changes the course to that at the next chip.
module bufferless_input #(
  parameter               Link       = 1,                // 0: a channel of the PE, without a register
  parameter               Port       = 0,                // of the link
  parameter               HeadFlit   = 0,
  parameter               Ahead      = 0,                // needs HeadFlit and dimension order
  parameter               Kind       = 0,                // routing: 0 dimension order, 1 table, 2 source
  parameter               Ports      = 4,
  parameter               Width      = 40,               // flit without its vc field
  parameter               Payload    = 32,
  parameter               NodeWidth  = 6,
  parameter               DstLsb     = 32,
  parameter               RouteLsb   = 32,
  parameter               RouteWidth = 0,
  parameter               PortWidth  = 3,
  parameter               EntryWidth = 4,
  parameter               Dims       = 2,
  parameter [Dims*32-1:0] Sizes      = {32'd8, 32'd8},
  parameter [Dims-1:0]    Wrapped    = {Dims{1'b0}},
  parameter               TableWidth = (Kind == 1) ? EntryWidth << NodeWidth : 1  // derived
) (
  input  wire                      clk_i,
  input  wire                      rst_i,
  input  wire                      tick_i,
  input  wire [Dims*NodeWidth-1:0] here_i,
  input  wire [TableWidth-1:0]     table_i,
  input  wire                      valid_i,
  input  wire [Width-1:0]          flit_i,
  output wire                      valid_o,   // a flit is here
  output wire [Width-1:0]          flit_o,    // as it is here
  output wire [Width-1:0]          onward_o,  // as it goes to the outputs of links: with Ahead with its course here
  output wire [Ports:0]            port_o     // one-hot under valid; the highest bit is: arrived
);
  generate
    if (HeadFlit != 0 && RouteLsb + RouteWidth + ((Ahead != 0) ? 2 * Dims : 0) > Payload) begin : gen_bad_width
      bufferless_input_has_a_header_that_is_wider_than_its_payload i_stop ();
    end
    if (Ahead != 0 && (HeadFlit == 0 || (Kind != 0 && Kind != 3))) begin : gen_bad_ahead
      bufferless_input_knows_courses_only_with_HeadFlit_and_in_dimension_order i_stop ();
    end
    if (Link != 0) begin : gen_register
      reg             held_q;
      reg [Width-1:0] flit_q;
      assign valid_o = held_q;
      assign flit_o = flit_q;

      always @(posedge clk_i) begin
        if (tick_i) flit_q <= flit_i;
        if (rst_i) held_q <= 1'b0;
        else if (tick_i) held_q <= valid_i;
      end
    end else begin : gen_channel
      wire unused = rst_i;
      assign valid_o = valid_i;
      assign flit_o = flit_i;
    end
  endgenerate

`ifndef SYNTHESIS
  rule #(
    .Name("bufferless_input/port-is-one-hot")
  ) i_port_is_one_hot (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .broken_i(tick_i & valid_o & (!(|port_o) | |(port_o & (port_o - 1'b1))))
  );
`endif

  generate
    if (Ahead == 0) begin : gen_here
      flit_route #(
        .HeadFlit  (HeadFlit),
        .Kind      (Kind),
        .Ports     (Ports),
        .Width     (Width),
        .NodeWidth (NodeWidth),
        .DstLsb    (DstLsb),
        .RouteLsb  (RouteLsb),
        .RouteWidth(RouteWidth),
        .PortWidth (PortWidth),
        .EntryWidth(EntryWidth),
        .Dims      (Dims),
        .Sizes     (Sizes),
        .Wrapped   (Wrapped),
        .FirstDim  ((Link != 0) ? Port / 2 : 0)
      ) i_route (
        .clk_i  (clk_i),
        .tick_i (tick_i),
        .here_i (here_i),
        .table_i(table_i),
        .valid_i(valid_o),
        .flit_i (flit_o),
        .flit_o (onward_o),
        .port_o (port_o)
      );
    end else begin : gen_ahead
      localparam Bits = 2 * Dims;
      localparam Lsb = Payload - Bits;
      // What a flit from the link may have left to go: straight on, and in the dimensions that come later.
      localparam [Bits-1:0] All = {Bits{1'b1}};
      localparam [Bits-1:0] One = 1;
      localparam [Bits-1:0] Later = (Kind == 3) ? ~(All << (Port / 2 * 2)) : All << (Port / 2 * 2) << 2;
      localparam [Bits-1:0] Possible = (Link != 0) ? Later | (One << (Port ^ 1)) : All;

      reg  [Bits-1:0] course_q;  // of the last head
      wire [Bits-1:0] course;    // of the flit that is here
      wire [Ports:0]  port;
      wire            head = flit_o[Width-1];
      wire            unused = &{1'b0, table_i};
      assign port_o = port & {Ports + 1{valid_o}};

      if (Link != 0) begin : gen_carried
        wire unused_here = &{1'b0, here_i, head};
        assign onward_o = flit_o;
        assign course = course_q;

        always @(posedge clk_i) begin
          if (tick_i & valid_i & flit_i[Width-1]) course_q <= flit_i[Payload-1:Lsb] & Possible;
        end
      end else begin : gen_first
        wire [Bits-1:0] found;  // of a head
        assign onward_o = {flit_o[Width-1:Payload], head ? found : flit_o[Payload-1:Lsb], flit_o[Lsb-1:0]};
        assign course = head ? found : course_q;
        course #(
          .Dims     (Dims),
          .Sizes    (Sizes),
          .Wrapped  (Wrapped),
          .NodeWidth(NodeWidth)
        ) i_course (
          .dst_i   (flit_o[DstLsb+:NodeWidth]),
          .here_i  (here_i),
          .course_o(found)
        );

        always @(posedge clk_i) begin
          if (tick_i & valid_i & head) course_q <= found;
        end
      end

      course_port #(
        .Dims      (Dims),
        .Descending(Kind == 3)
      ) i_port (
        .course_i(course),
        .port_o  (port)
      );
    end
  endgenerate
endmodule
