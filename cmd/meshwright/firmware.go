// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/firmware/image"
	"meshwright/firmware/isa"
	"meshwright/firmware/loader"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
)

func newAsm() *cobra.Command {
	var output string
	var listing bool
	cmd := &cobra.Command{
		Use:   "asm FILE.s",
		Short: "Assemble a PE program into a hex image, one word a line",
		Long: `Assembles a PE program into a hex image: one word of 32 bits a line, in hexadecimal. run
takes the program or the image (meshwright run program.s, or --firmware). The command
meshwright list instructions shows the instruction set, docs/firmware.md describes it.`,
		Example: `  meshwright asm program.s
  meshwright asm program.s --out program.mem
  meshwright asm program.s --listing`,
		Args: arguments(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkBeside(output, append(loader.Includes(args[0]), args[0])...); err != nil {
				return err
			}
			p, err := loader.Assemble(args[0])
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return image.Write(w, p.Code, 1) }
			if listing {
				write = func(w io.Writer) error { return isa.Listing(w, p) }
			}
			return writeTo(cmd.OutOrStdout(), output, write)
		},
	}
	addOut(cmd, &output)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(&listing, "listing", false, "write a listing with addresses, words and source lines instead")
	})
	return cmd
}

func newDisasm() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "disasm IMAGE",
		Short: "Turn a hex image back into assembler text",
		Example: `  meshwright disasm program.mem
  meshwright disasm program.mem --out again.s`,
		Args: arguments(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkBeside(output, args[0]); err != nil {
				return err
			}
			words, err := input.ReadFile(args[0])
			if err != nil {
				return err
			}
			code, err := parseImage(args[0], words)
			if err != nil {
				return err
			}
			text, err := isa.Disassemble(code)
			if err != nil {
				return err
			}
			return writeTo(cmd.OutOrStdout(), output, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		},
	}
	addOut(cmd, &output)
	return cmd
}

// writeTo writes to a file, whole or not at all, or to w when none is named.
func writeTo(w io.Writer, path string, write func(io.Writer) error) error {
	if path == "" || path == toStdout {
		return write(w)
	}
	return atomicfile.Write(path, write)
}

// parseImage reads a word a line. It reports every line that is not an
// instruction.
func parseImage(path string, text []byte) ([]uint32, error) {
	var code []uint32
	var faults input.List
	line := 0
	for row := range strings.Lines(string(text)) {
		line++
		if row = strings.TrimSpace(row); row == "" {
			continue
		}
		word, err := parseWord(row)
		if err != nil {
			faults = append(faults, input.Locate(err, path, line))
		}
		code = append(code, word)
	}
	if len(code) == 0 {
		return nil, input.At(path, 0, "expected 8 hex digits a line", "no words")
	}
	return code, faults.Err()
}

func parseWord(text string) (uint32, error) {
	word, err := strconv.ParseUint(text, 16, 32)
	if err != nil || len(text) != 8 {
		return 0, input.Errorf("expected 8 hex digits", "%q is not a word", text)
	}
	var fault *isa.Fault
	if _, err := isa.Decode(uint32(word)); errors.As(err, &fault) {
		return 0, input.Errorf(fault.Want, "word %s: %s", text, fault.What)
	}
	return uint32(word), nil
}

// checkBeside judges the output, "" when there is none: it is none of the files that
// are read.
func checkBeside(output string, read ...string) error {
	if output == "" || output == toStdout {
		return nil
	}
	var paths input.Paths
	for _, path := range read {
		paths.Read("the input", path)
	}
	return paths.Write(outFlag, output)
}
