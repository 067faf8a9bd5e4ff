// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The part of message_table that reads a line of a schedule: its first five fields as numbers. # begins a comment. Blanks and
// quotes around a field do not count, and neither does what stands behind the fifth field: a route and blocks, which are for
// others.
module schedule_line;
  localparam Largest = 2147483647;

  integer          number;        // of the line in the file, from 1
  integer          fields;        // of the line; 0: it is empty, or a comment
  integer          value  [0:4];  // by field
  reg [4:0]        digits;        // by field: it has a digit
  reg [4:0]        other;         // by field: it has a character that is no digit
  reg [4:0]        beyond;         // by field: it is beyond Largest
  reg [8*64-1:0]   names;         // the characters of the first five fields, for a header
  reg              closed;        // a blank stands behind the digits of the field
  integer          character;     // -1: the file has ended
  reg              comment;

  // Reads the next line of a file.
  task read(input integer file);
    begin
      number = number + 1;
      fields = 0;
      digits = 5'd0;
      other = 5'd0;
      beyond = 5'd0;
      names = {8*64{1'b0}};
      closed = 1'b0;
      comment = 1'b0;
      character = $fgetc(file);
      while (character != -1 && character != 10) begin
        comment = comment || character == "#";
        if (!comment) take;
        character = $fgetc(file);
      end
    end
  endtask

  task take;
    if (character == " " || character == 9 || character == 13 || character == 34) begin
      closed = fields > 0 && fields <= 5 && (digits[fields-1] || other[fields-1]);
    end else begin
      if (fields == 0) begin_field;
      if (character == ",") begin_field;
      else if (fields <= 5) take_digit(fields - 1);
      if (fields <= 5) names = {names[8*63-1:0], character[7:0]};
    end
  endtask

  task begin_field;
    begin
      if (fields < 5) value[fields] = 0;
      fields = fields + 1;
      closed = 1'b0;
    end
  endtask

  task take_digit(input integer field);
    if (character < "0" || character > "9" || closed) other[field] = 1'b1;
    else begin
      digits[field] = 1'b1;
      if (beyond[field] || value[field] > (Largest - (character - "0")) / 10) beyond[field] = 1'b1;
      else value[field] = 10 * value[field] + character - "0";
    end
  endtask
endmodule
