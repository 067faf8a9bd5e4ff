// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// What frames contain, and random numbers. A frame is a function of its sender, its receiver and its number among the frames
// of this pair (8 bits of it): the first beat has the number in its lowest bits, all others are mixed from these values.
module frame_contents #(
  parameter Nodes    = 4,
  parameter TagWidth = 8,
  parameter Width    = 32,
  parameter Beats    = 8   // of the longest frame
);
  localparam Words = (Width + 31) / 32;

  function [31:0] mixed(input [31:0] value);
    begin
      mixed = value * 32'd2654435761;
      mixed = mixed ^ (mixed >> 15);
      mixed = mixed * 32'd2246822519;
      mixed = mixed ^ (mixed >> 13);
    end
  endfunction

  // The random number behind this one (Marsaglia's xorshift), which is not 0.
  function [31:0] drawn(input [31:0] value);
    begin
      drawn = value ^ (value << 13);
      drawn = drawn ^ (drawn >> 17);
      drawn = drawn ^ (drawn << 5);
    end
  endfunction

  function [31:0] key(input integer sender, input integer receiver, input integer serial);
    key = mixed((sender * Nodes + receiver) * 256 + serial % 256 + 1);
  endfunction

  // Beats of the frame.
  function integer length(input integer sender, input integer receiver, input integer serial);
    length = 1 + (key(sender, receiver, serial) >> 8) % Beats;
  endfunction

  function [TagWidth-1:0] tag(input integer sender, input integer receiver, input integer serial);
    reg [31:0] value;
    integer    b;
    begin
      value = key(sender, receiver, serial);
      for (b = 0; b < TagWidth; b = b + 1) tag[b] = value[b%32];
    end
  endfunction

  // A beat; place is 0 for the first one.
  function [Width-1:0] data(input integer sender, input integer receiver, input integer serial, input integer place);
    reg [31:0]         value;
    reg [Words*32-1:0] words;
    integer            w;
    begin
      value = key(sender, receiver, serial) + place;
      for (w = 0; w < Words; w = w + 1) begin
        value = mixed(value + 1);
        words[w*32+:32] = value;
      end
      if (place == 0) words[7:0] = serial;
      data = words[Width-1:0];
    end
  endfunction
endmodule

`default_nettype wire
