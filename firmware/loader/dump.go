// SPDX-License-Identifier: Apache-2.0

package loader

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"meshwright/firmware/image"
)

// WriteTable writes memories as CSV, a row for each word of so many elements, at least 1: node,address,value,
// the value in hexadecimal.
func WriteTable(w io.Writer, memory [][]uint32, elements int) error {
	elements = max(1, elements)
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error
	out.WriteString("node,address,value\n")
	for n, words := range memory {
		for address := range len(words) / elements {
			fmt.Fprintf(out, "%d,%d,%s\n", n, address, image.Hex(words[address*elements:][:elements]))
		}
	}
	return out.Flush()
}

// WriteFolder writes memories, of words of so many elements, as images 0.mem, 1.mem … into a folder that
// exists; ReadImages reads them back. PEs without memory have no image.
func WriteFolder(dir string, memory [][]uint32, elements int) error {
	for n, words := range memory {
		if len(words) == 0 {
			continue
		}
		if err := writeImage(filepath.Join(dir, strconv.Itoa(n)+imageExtension), words, elements); err != nil {
			return err
		}
	}
	return nil
}

func writeImage(path string, words []uint32, elements int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(image.Write(f, words, elements), f.Close())
}
