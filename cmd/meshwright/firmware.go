// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/firmware/image"
	"meshwright/firmware/isa"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
)

func newAsm() *cobra.Command {
	var output string
	var listing bool
	cmd := &cobra.Command{
		Use:   "asm FILE.s",
		Short: "Assemble a PE program into a hex image, one word a line",
		Example: `  meshwright asm program.s
  meshwright asm program.s --output program.mem
  meshwright asm program.s --listing`,
		Args: arguments(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := readBeside(args[0], output)
			if err != nil {
				return err
			}
			p, err := isa.Assemble(input.Name(args[0]), bytes.NewReader(source))
			if err != nil {
				return err
			}
			if len(p.Code) == 0 {
				return input.At(args[0], 0, "expected a program such as: halt", "no instructions")
			}
			write := func(w io.Writer) error { return image.Write(w, p.Code) }
			if listing {
				write = func(w io.Writer) error { return isa.Listing(w, p) }
			}
			return writeTo(cmd.OutOrStdout(), output, write)
		},
	}
	addOutput(cmd, &output)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(&listing, "listing", false, "write addresses, words and source lines instead")
	})
	return cmd
}

func newDisasm() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "disasm IMAGE",
		Short: "Turn a hex image back into assembler text",
		Example: `  meshwright disasm program.mem
  meshwright disasm program.mem --output again.s`,
		Args: arguments(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := readBeside(args[0], output)
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
	addOutput(cmd, &output)
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

// readBeside reads a file that the output, "" when there is none, must not be.
func readBeside(path, output string) ([]byte, error) {
	var paths input.Paths
	paths.Read("the input", path)
	if output != "" && output != toStdout {
		if err := paths.Write("--output", output); err != nil {
			return nil, err
		}
	}
	return input.ReadFile(path)
}
