// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of router_bench that reads the messages of a schedule, and says what their flits contain. +schedule=FILE is the file:
// schedule_line reads its lines. A message is known by its row, counted from 0; the header, comments and empty lines do not count.
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

  schedule_line i_line ();

  reg [8*1024-1:0] path;
  integer          file, n;
  reg              begun;   // a line that is neither empty nor a comment has been read
  reg              failed;
  integer          tails [0:Nodes-1];  // by node: its last row so far
  task read;
    begin
      if (!$value$plusargs("schedule=%s", path)) path = "schedule.csv";
      file = $fopen(path, "r");
      messages = 0;
      flits = 0;
      begun = 1'b0;
      failed = 1'b0;
      for (n = 0; n < Nodes; n = n + 1) begin
        first[n] = None;
        tails[n] = None;
      end
      i_line.number = 0;
      i_line.character = 0;
      if (file == 0) begin
        $display("FAIL schedule=%0s cannot be read (a name without / in front belongs to the Makefile's folder)", path);
        failed = 1'b1;
      end
      while (!failed && i_line.character != -1) begin
        i_line.read(file);
        if (i_line.fields > 0) read_row;
        begun = begun || i_line.fields > 0;
      end
      if (!failed && messages == 0) begin
        $display("FAIL schedule=%0s no messages: expected rows of %0s", path, Head);
        failed = 1'b1;
      end
      if (failed) $stop;
    end
  endtask

  // The names of columns may stand in the first row.
  task read_row;
    if (!begun && i_line.other[0]) begin
      if (i_line.names != Head) begin
        refuse;
        $display("expected a header that begins with %0s", Head);
      end
    end else begin
      check_row;
      if (!failed) keep_row;
    end
  endtask

  task refuse;
    begin
      $write("FAIL schedule=%0s line=%0d ", path, i_line.number);
      failed = 1'b1;
    end
  endtask

  task check_row;
    begin
      if (i_line.fields < 5) begin
        refuse;
        $display("columns=%0d expected at least 5: %0s", i_line.fields, Head);
      end
      for (n = 0; n < 5 && !failed; n = n + 1) check_number(n);
      if (!failed) check_node("source", i_line.value[1]);
      if (!failed) check_node("destination", i_line.value[2]);
      if (!failed && messages == Most - 1) begin
        refuse;
        $display("expected at most %0d messages", Most - 1);
      end
    end
  endtask

  task check_number(input integer column);
    if (!i_line.digits[column] || i_line.other[column] || i_line.beyond[column]) begin
      refuse;
      case (column)
        0: $write("message");
        1: $write("source");
        2: $write("destination");
        3: $write("flits");
        default: $write("dispatch");
      endcase
      $display(": expected a number from 0 to %0d", i_line.Largest);
    end
  endtask

  task check_node(input [11*8-1:0] column, input integer node);
    if (node >= Nodes) begin
      refuse;
      $display("%0s=%0d expected a node below %0d, the nodes of the mesh", column, node, Nodes);
    end
  endtask

  task keep_row;
    begin
      name[messages] = i_line.value[0];
      source[messages] = i_line.value[1];
      destination[messages] = i_line.value[2];
      length[messages] = i_line.value[3];
      dispatch[messages] = i_line.value[4];
      if (tails[source[messages]] == None) first[source[messages]] = messages;
      else following[tails[source[messages]]] = messages;
      tails[source[messages]] = messages;
      following[messages] = None;
      flits = flits + length[messages];
      messages = messages + 1;
    end
  endtask
endmodule
