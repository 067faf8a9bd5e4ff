// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

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
		Use:        "asm FILE.s",
		SuggestFor: []string{"compile", "assembler"},
		Short:      "Assemble a PE program into a hex image, one word a line",
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
			p, err := loader.ReadImage(args[0])
			if err != nil {
				return err
			}
			text, err := isa.Disassemble(p.Code)
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
