// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Judges a file before the bench reads it: simulators go on without a file that is missing, and with zeros or unknown words
// behind the end of one that is short. The file has Lines lines, each a number of Width bits in as many digits as these
// need. With Ends the last number has a cycle, its highest 32 bits, that is all ones. A file that is anything else ends the
// simulation with FAIL and the file's name, at time 0. The parts of the bench read their files later, so that all simulators say the same.
module vector_file #(
  parameter File  = "",
  parameter Lines = 1,
  parameter Width = 64,
  parameter Ends  = 0
);
  localparam Digits = (Width + 3) / 4;
  localparam Bytes = Lines * (Digits + 1);
  localparam CycleAt = (Ends != 0) ? Width - 32 : 0;

  integer         file;
  integer         size;
  integer         read;
  reg [Width-1:0] last;

  initial begin
    file = $fopen(File, "r");
    if (file == 0) begin
      $display("FAIL %0s: the file cannot be read; the bench runs in the folder of bench.v", File);
      $stop;
    end else begin
      read = $fseek(file, 0, 2);
      size = $ftell(file);
      if (size != Bytes) refuse_size;
      else begin
        read = $fseek(file, size - Digits - 1, 0);
        read = $fscanf(file, "%h", last);
        if (read != 1 || (Ends != 0 && last >> CycleAt !== {Width{1'b1}} >> CycleAt)) begin
          $display("FAIL %0s: the last line is not the end of such a file", File);
          $stop;
        end
        scan;
      end
      $fclose(file);
    end
  end

  // An editor or a version control may have put a carriage return before every line feed.
  task refuse_size;
    begin
      $write("FAIL %0s: the file has %0d bytes, expected %0d: %0d lines of %0d digits", File, size, Bytes, Lines, Digits);
      if (size == Bytes + Lines && $fseek(file, Digits, 0) == 0 && $fgetc(file) == 13) $write("; Windows line ends (expected LF)");
      $display;
      $stop;
    end
  endtask

  reg [8*(Digits+1)-1:0] text;
  integer                number;
  task scan;
    begin
      read = $fseek(file, 0, 0);
      for (number = 1; number <= Lines; number = number + 1) begin
        read = $fgets(text, file);
        if (text[7:0] != "\n" || !hexadecimal(text[8*(Digits+1)-1:8])) begin
          $display("FAIL %0s line=%0d: expected %0d hexadecimal digits", File, number, Digits);
          $stop;
        end
      end
    end
  endtask

  // All characters at once, by their bits: ASCII has 0 to 9 in 30 to 39, a to f in 41 to 46 and in 61 to 66. $readmemh would
  // also take x and z, for unknown digits.
  localparam [8*Digits-1:0] Lowest = {Digits{8'h01}};
  function hexadecimal(input [8*Digits-1:0] c);
    reg [8*Digits-1:0] digit;
    reg [8*Digits-1:0] letter;
    begin
      digit = ~(c >> 6) & (c >> 5) & (c >> 4) & ~((c >> 3) & (c >> 2 | c >> 1));
      letter = (c >> 6) & ~(c >> 4) & ~(c >> 3) & (c >> 2 | c >> 1 | c) & ~(c >> 2 & c >> 1 & c);
      hexadecimal = (~(c >> 7) & (digit | letter) & Lowest) == Lowest;
    end
  endfunction
endmodule

`default_nettype wire
