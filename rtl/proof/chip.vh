// SPDX-License-Identifier: Apache-2.0

  // What chips are: their place in the network, any, and the routes from there.
  (* anyconst *) wire [Dims*NodeWidth-1:0] position;
  (* anyconst *) wire [TableWidth-1:0]     entries;

  // The route to a node: a link, or Ports for the PE. None is 255.
  function [7:0] way_to(input [NodeWidth-1:0] dst);
    integer n;
    integer d;
    integer stride;
    reg [7:0] entry;
    begin
      way_to = 8'd255;
      for (n = 0; n < 1 << NodeWidth; n = n + 1) begin
        if (dst == n) begin
          entry = entries[n*EntryWidth%TableWidth+:EntryWidth];
          if (Kind == 1) way_to = (entry[EntryWidth-1:0] == {EntryWidth{1'b1}}) ? Ports : (entry < Ports) ? entry : 8'd255;
          else begin
            way_to = Ports;
            stride = 1;
            for (d = 0; d < Dims; d = d + 1) begin
              if (way_to == Ports & n / stride % Sizes[d*32+:32] > position[d*NodeWidth+:NodeWidth]) way_to = 2 * d;
              if (way_to == Ports & n / stride % Sizes[d*32+:32] < position[d*NodeWidth+:NodeWidth]) way_to = 2 * d + 1;
              stride = stride * Sizes[d*32+:32];
            end
            if (n >= stride) way_to = 8'd255;
          end
        end
      end
    end
  endfunction

  function [7:0] count_of(input [31:0] bits);
    integer b;
    begin
      count_of = 8'd0;
      for (b = 0; b < 32; b = b + 1) count_of = count_of + bits[b];
    end
  endfunction

  reg     absurd;  // position that no chip has
  integer dim;
  always @* begin
    absurd = 1'b0;
    for (dim = 0; dim < Dims; dim = dim + 1) if (position[dim*NodeWidth+:NodeWidth] >= Sizes[dim*32+:32]) absurd = 1'b1;
  end
