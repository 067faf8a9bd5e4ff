// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := openInput(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			p, err := isa.Assemble(args[0], f)
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return writeImage(w, p.Code) }
			if listing {
				write = func(w io.Writer) error { return isa.Listing(w, p) }
			}
			return writeTo(cmd.OutOrStdout(), output, write)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	cmd.Flags().BoolVar(&listing, "listing", false, "write addresses, words and source lines instead")
	return cmd
}

func newDisasm() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "disasm IMAGE",
		Short: "Turn a hex image back into assembler text",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := readImage(args[0])
			if err != nil {
				return err
			}
			text, err := isa.Disassemble(code)
			if err != nil {
				return input.At(args[0], 0, "", "%v", err)
			}
			return writeTo(cmd.OutOrStdout(), output, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	return cmd
}

// writeTo writes to a file, whole or not at all, or to w when none is named.
func writeTo(w io.Writer, path string, write func(io.Writer) error) error {
	if path == "" {
		return write(w)
	}
	return atomicfile.Write(path, write)
}

func writeImage(w io.Writer, code []uint32) error {
	for _, word := range code {
		if _, err := fmt.Fprintf(w, "%08x\n", word); err != nil {
			return err
		}
	}
	return nil
}

func readImage(path string) ([]uint32, error) {
	f, err := openInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var code []uint32
	lines := bufio.NewScanner(f)
	for line := 1; lines.Scan(); line++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		word, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return nil, input.At(path, line, "expected 8 hex digits", "%q is not a word", text)
		}
		code = append(code, uint32(word))
	}
	if err := lines.Err(); err != nil {
		return nil, input.At(path, 0, "expected a hex image", "%v", err)
	}
	return code, nil
}

// openInput opens a file that the user named.
func openInput(path string) (*os.File, error) {
	f, err := os.Open(path)
	var cause *fs.PathError
	if errors.As(err, &cause) {
		return nil, input.At(path, 0, "", "%v", cause.Err)
	}
	return f, err
}
