// SPDX-License-Identifier: Apache-2.0
// Shows the streams and the network to viewers of waveforms; "make WAVE=FILE" compiles it around the bench.
// Ten steps of the bench are a cycle, and a nanosecond of the file.
`timescale 100ps/100ps
`default_nettype none

module frame_waves;
  frames frames ();
  wire [31:0] cycle = frames.i_bench.cycle;
  // verilator tracing_off
  reg [8*256-1:0] name;
  // verilator tracing_on
  initial if ($value$plusargs("wave=%s", name)) begin
    $dumpfile(name);
    $dumpvars(0, cycle);
    $dumpvars(1, frames);
    $dumpvars(0, frames.i_top);
  end
endmodule

`default_nettype wire
