// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Judges a file before the bench reads it: simulators go on without a file that is missing, and with zeros or unknown words
// behind the end of one that is short. The file has Lines lines, each a number of Width bits in as many digits as these
// need. With Ends the last number has a cycle, its highest 32 bits, that is all ones. A file that is anything else ends the
// simulation with FAIL and the file's name, at time 0.
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
      if (size != Bytes) begin
        $display("FAIL %0s: the file has %0d bytes, expected %0d: %0d lines of %0d digits", File, size, Bytes, Lines, Digits);
        $stop;
      end else begin
        read = $fseek(file, size - Digits - 1, 0);
        read = $fscanf(file, "%h", last);
        if (read != 1 || (Ends != 0 && last >> CycleAt !== {Width{1'b1}} >> CycleAt)) begin
          $display("FAIL %0s: the last line is not the end of such a file", File);
          $stop;
        end
      end
      $fclose(file);
    end
  end
endmodule

`default_nettype wire
