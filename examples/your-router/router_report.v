// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of router_bench that says what is wrong. The first line counts: it ends the simulation.
module router_report #(
  parameter Columns = 2,
  parameter Width   = 32
);
  localparam None = -1;
  reg failed;

  // Begins a line of failure: the cycle, the node, and the message of a row.
  task blame(input integer node, input integer row);
    begin
      $write("FAIL cycle=%0d node=%0d", router_bench.cycle, node);
      if (row != None) $write(" message=%0d source=%0d", router_bench.i_table.name[row], router_bench.i_table.source[row]);
    end
  endtask

  task fail(input [23*8-1:0] what, input integer node, input integer row);
    begin
      if (!failed) begin
        blame(node, row);
        $display(" %0s", what);
      end
      failed = 1'b1;
      $stop;
    end
  endtask

  // A flit arrived with other bits: flit 0 is the head.
  task fail_bits(input [14*8-1:0] what, input integer node, input integer row, input integer flit,
                 input [Width-1:0] want, input [Width-1:0] got);
    begin
      if (!failed) begin
        blame(node, row);
        $display(" flit=%0d expected=%h got=%h %0s", flit, want, got, what);
      end
      failed = 1'b1;
      $stop;
    end
  endtask

  // The tail is flit number flits, the head included.
  task fail_length(input integer node, input integer row, input integer flits);
    begin
      if (!failed) begin
        blame(node, row);
        $display(" flits=%0d expected=%0d wrong length", flits, router_bench.i_table.length[row] + 1);
      end
      failed = 1'b1;
      $stop;
    end
  endtask

  task fail_destination(input integer node, input integer row);
    begin
      if (!failed) begin
        blame(node, row);
        $display(" destination=%0d wrong destination", router_bench.i_table.destination[row]);
      end
      failed = 1'b1;
      $stop;
    end
  endtask

  // The links on a shortest way.
  function integer distance(input integer from, input integer to);
    distance = apart(from % Columns, to % Columns) + apart(from / Columns, to / Columns);
  endfunction

  function integer apart(input integer a, input integer b);
    apart = a < b ? b - a : a - b;
  endfunction

  // Flits that took a detour crossed more links.
  integer needed, n;
  task judge_detours(input integer crossed);
    begin
      needed = 0;
      for (n = 0; n < router_bench.i_table.messages; n = n + 1)
        needed = needed + (router_bench.i_table.length[n] + 1)
                          * distance(router_bench.i_table.source[n], router_bench.i_table.destination[n]);
      if (crossed > needed) begin
        $display("FAIL crossings=%0d expected=%0d links crossed by all flits: some took a detour", crossed, needed);
        $stop;
      end
    end
  endtask
endmodule
