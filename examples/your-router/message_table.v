// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of router_bench that reads the messages of a schedule, and says what their flits contain. +schedule=FILE is the file:
// message,source,destination,flits,dispatch, and what follows in a row is left out. A message is known by its row, counted from 0.
module message_table #(
  parameter Nodes = 4,
  parameter Width = 32  // at least 32, the bits of the header
);
  localparam Words = (Width + 31) / 32;
  localparam Most  = 65536;  // messages
  localparam None  = -1;
  localparam Head  = "message,source,destination,flits,dispatch";

  // By row.
  integer name        [0:Most-1];
  integer source      [0:Most-1];
  integer destination [0:Most-1];
  integer length      [0:Most-1];
  integer dispatch    [0:Most-1];
  integer following   [0:Most-1];  // the next row of the same source
  integer messages;
  integer flits;
  integer first       [0:Nodes-1];  // by node: its first row, or None

  // The data of a flit: k is 1 for the first flit behind the head.
  function [Width-1:0] payload(input integer row, input integer k);
    integer i;
    reg [31:0] word;
    reg [32*Words-1:0] words;
    begin
      for (i = 0; i < Words; i = i + 1) begin
        word = (row * 32'h9e3779b1) ^ ((k * Words + i) * 32'h85ebca6b);
        word = (word ^ (word >> 15)) * 32'h2c1b3c6d;
        words[32*i +: 32] = word ^ (word >> 13);
      end
      payload = words[Width-1:0];
    end
  endfunction

  function [Width-1:0] header(input integer row);
    begin
      header = {Width{1'b0}};
      header[31:0] = {row[15:0], source[row][7:0], destination[row][7:0]};
    end
  endfunction

  reg [8*1024-1:0] path;
  reg [8*4096-1:0] line;
  integer          file, got, n;
  reg              ended;  // the file has been read to its end
  reg              headed;  // its first line is the header
  integer          tails [0:Nodes-1];  // by node: its last row so far
  task read;
    begin
      if (!$value$plusargs("schedule=%s", path)) path = "schedule.csv";
      file = $fopen(path, "r");
      if (file == 0) begin
        $display("FAIL schedule=%0s cannot be read (a name without / in front belongs to the Makefile's folder)", path);
        $stop;
      end
      messages = 0;
      flits = 0;
      ended = 1'b0;
      for (n = 0; n < Nodes; n = n + 1) begin
        first[n] = None;
        tails[n] = None;
      end
      got = 0;
      headed = 1'b0;
      if (file != 0) begin
        got = $fgets(line, file);
        headed = line == {Head, "\n"} || line == {Head, 16'h0d0a} || line == {Head, ",route\n"} || line == {Head, ",route", 16'h0d0a};
        got = headed ? 5 : 1;
      end
      while (got == 5) begin
        got = $fscanf(file, "%d,%d,%d,%d,%d", name[messages], source[messages], destination[messages],
                       length[messages], dispatch[messages]);
        if (got == 5) begin
          if (messages == Most - 1 || source[messages] < 0 || source[messages] >= Nodes || destination[messages] < 0 || destination[messages] >= Nodes
              || length[messages] < 0) got = 1;
          else begin
            if (tails[source[messages]] == None) first[source[messages]] = messages;
            else following[tails[source[messages]]] = messages;
            tails[source[messages]] = messages;
            following[messages] = None;
            flits = flits + length[messages];
            messages = messages + 1;
            if ($fgets(line, file) == 0) line = 0;  // the rest of the row: a route, which is for other routers
          end
        end
      end
      if (file != 0 && got <= 0) ended = $feof(file) != 0;
      if (messages == 0 || !ended) begin
        $display("FAIL schedule=%0s line=%0d expected message,source,destination,flits,dispatch, nodes below %0d and at most %0d messages",
                 path, headed ? messages + 2 : 1, Nodes, Most - 1);
        $stop;
      end
    end
  endtask
endmodule
