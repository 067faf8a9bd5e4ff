// SPDX-License-Identifier: Apache-2.0

  localparam Exits = Ports + Channels;
  (* anyconst *) wire [BodyWidth-1:0]      watched;  // any flit
  (* anyconst *) wire [Dims*NodeWidth-1:0] position;
  wire [NodeWidth-1:0] x = here_i[0+:NodeWidth];
  wire [NodeWidth-1:0] y = here_i[NodeWidth+:NodeWidth];
  wire [NodeWidth-1:0] node = y * Sizes[31:0] + x;

  wire [Inputs-1:0] present;        // inputs with a flit
  wire [Inputs-1:0] present_alike;  // with the watched one
  wire [Ports-1:0]  stale;          // link register that does not hold what came
  wire [Inputs-1:0] stray;          // flit that no neighbour and no PE sends here
  wire [Exits-1:0]  leaves = {ej_valid_o, valid_o};
  wire [Exits-1:0]  leaves_alike;
  wire [Exits-1:0]  astray;         // flit that leaves by a wrong output

  genvar k;
  generate
    for (k = 0; k < Inputs; k = k + 1) begin : gen_present
      assign present[k] = gen_input[k].valid;
    end
    for (k = 0; k < Inputs; k = k + 1) begin : gen_here
      wire [NodeWidth-1:0] dst;
      wire [BodyWidth-1:0] held;
      if (k < Ports) begin : gen_register
        reg                 came_q;
        reg [BodyWidth-1:0] flit_q;
        always @(posedge clk_i) begin
          if (rst_i) came_q <= 1'b0;
          else if (tick_i) came_q <= valid_i[k];
          if (tick_i) flit_q <= flit_i[k*FlitWidth+:BodyWidth];
        end
        assign held = flit_q;
        assign stale[k] = gen_input[k].valid != came_q | came_q & arrivals[k*BodyWidth+:BodyWidth] != flit_q;
        // It comes straight on in its dimension, so that x is done before y.
        assign dst = flit_i[k*FlitWidth+DstLsb+:NodeWidth];
        assign stray[k] = valid_i[k] & (dst >= Sizes[31:0] * Sizes[63:32] | k >= 2 & dst % Sizes[31:0] != x);
        always @* begin
          if (!$initstate) assert (k < 2 | !came_q | flit_q[DstLsb+:NodeWidth] % Sizes[31:0] == x);
        end
      end else begin : gen_injected
        assign held = inj_flit_i[(k-Ports)*FlitWidth+:BodyWidth];
        assign dst = held[DstLsb+:NodeWidth];
        assign stray[k] = inj_valid_i[k-Ports] & (dst >= Sizes[31:0] * Sizes[63:32] | dst == node);
      end
      assign present_alike[k] = present[k] & held == watched;
    end
    for (k = 0; k < Exits; k = k + 1) begin : gen_exit
      wire [BodyWidth-1:0] body;
      wire [NodeWidth-1:0] dst = body[DstLsb+:NodeWidth];
      wire [NodeWidth-1:0] to_x = dst % Sizes[31:0];
      wire [NodeWidth-1:0] to_y = dst / Sizes[31:0];
      wire [2:0]           way = (to_x > x) ? 3'd0 : (to_x < x) ? 3'd1 : (to_y > y) ? 3'd2 : (to_y < y) ? 3'd3 : 3'd4;
      if (k < Ports) begin : gen_link
        assign body = flit_o[k*FlitWidth+:BodyWidth];
        assign astray[k] = leaves[k] & way != k;
      end else begin : gen_pe
        assign body = ej_flit_o[(k-Ports)*FlitWidth+:BodyWidth];
        assign astray[k] = leaves[k] & way != 3'd4;
      end
      assign leaves_alike[k] = leaves[k] & body == watched;
    end
  endgenerate

  function [7:0] count_of(input [31:0] bits);
    integer b;
    begin
      count_of = 8'd0;
      for (b = 0; b < 32; b = b + 1) count_of = count_of + bits[b];
    end
  endfunction

  wire refused = |(offer_i & ~take_o);
  always @* begin
    if ($initstate) assume (rst_i);
    assume (here_i == position & x < Sizes[31:0] & y < Sizes[63:32]);
    if (!$initstate) begin
      `EXPECT (!(|stray));
      //: a link register holds the flit that came, for one tick
      assert (!(|stale));
      //: the collision flag is high exactly when fewer flits leave than are here, or an offered flit is not taken
      assert (collision_o == (count_of(present) != count_of(leaves) | refused));
      //: no flit is lost or changed without a collision
      assert (collision_o | count_of(present_alike) == count_of(leaves_alike));
      //: no flit is duplicated or made up
      assert (count_of(leaves_alike) <= count_of(present_alike));
      //: every flit leaves by the output of its route, x first, and reaches the PE at its destination
      assert (!(|astray));
      //: with a single port, one flit leaves over the links and one is taken, at most
      assert (SinglePort == 0 | count_of(valid_o) <= 8'd1 & count_of(take_o) <= 8'd1);
      //: with half duplex, no flit of the PE leaves while one goes to the PE
      assert (HalfDuplex == 0 | !(|ej_valid_o & |injected));
    end
  end
