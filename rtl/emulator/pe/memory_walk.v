// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Names every word of all data memories once, node by node, and gives the word that is there and the word that must
// be there.
module memory_walk #(
  parameter Word         = 32,
  parameter Nodes        = 4,
  parameter Words        = 256,             // of each PE
  parameter AddressWidth = 8,
  parameter NodeWidth    = 2,
  parameter NumberWidth  = 10,              // of the number of a word
  parameter File         = ""
) (
  input  wire                    clk_i,
  input  wire                    rst_i,
  input  wire                    begin_i,
  input  wire                    next_i,       // leave the word that is there
  output wire                    valid_o,      // the word is there
  output wire                    last_o,
  output wire [NodeWidth-1:0]    node_o,
  output wire [AddressWidth-1:0] address_o,
  output wire [Word-1:0]         word_o,
  output wire [Word-1:0]         expected_o,
  input  wire [Nodes*Word-1:0]   words_i       // of all PEs, at address_o one clock cycle ago
);
  localparam BeforeNodes = Nodes - 1;
  localparam BeforeWords = Words - 1;
  localparam [NodeWidth-1:0] LastNode = BeforeNodes[NodeWidth-1:0];
  localparam [AddressWidth-1:0] LastAddress = BeforeWords[AddressWidth-1:0];
  reg                     active_q;
  reg                     valid_q;
  reg [NodeWidth-1:0]     node_q;
  reg [AddressWidth-1:0]  address_q;
  reg [NumberWidth-1:0] number_q;
  wire last_address = address_q == LastAddress;
  wire step = valid_q & next_i;
  assign valid_o   = valid_q;
  assign last_o    = last_address & (node_q == LastNode);
  assign node_o    = node_q;
  assign address_o = address_q;

  generate
    if (Nodes == 1) begin : gen_one
      assign word_o = words_i;
    end else begin : gen_several
      assign word_o = words_i[node_q*Word+:Word];
    end
  endgenerate

  pe_rom #(
    .Word        (Word),
    .Words       (Nodes * Words),
    .AddressWidth(NumberWidth),
    .File        (File)
  ) i_expected (
    .clk_i    (clk_i),
    .address_i(number_q),
    .word_o   (expected_o)
  );

  always @(posedge clk_i) begin
    if (rst_i) active_q <= 1'b0;
    else if (begin_i) active_q <= 1'b1;
    else if (step & last_o) active_q <= 1'b0;
  end
  always @(posedge clk_i) valid_q <= active_q & !step & !rst_i & !begin_i;
  always @(posedge clk_i) begin
    if (begin_i) begin
      node_q    <= {NodeWidth{1'b0}};
      address_q <= {AddressWidth{1'b0}};
      number_q  <= {NumberWidth{1'b0}};
    end else if (step) begin
      node_q    <= last_address ? node_q + 1'b1 : node_q;
      address_q <= last_address ? {AddressWidth{1'b0}} : address_q + 1'b1;
      number_q  <= number_q + 1'b1;
    end
  end
endmodule
