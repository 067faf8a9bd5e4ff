// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The bench for Verilator with --coverage: what the run reached is in build/coverage.dat at the end.
module coverage;
  bench i_bench ();
  final $c("Verilated::threadContextp()->coveragep()->write(\"build/coverage.dat\");");
endmodule

`default_nettype wire
