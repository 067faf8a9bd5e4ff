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

// WriteTable writes memories as CSV, a row for each word: node,address,value,
// the value in hexadecimal.
func WriteTable(w io.Writer, memory [][]uint32) error {
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error
	out.WriteString("node,address,value\n")
	for n, words := range memory {
		for address, word := range words {
			fmt.Fprintf(out, "%d,%d,%08x\n", n, address, word)
		}
	}
	return out.Flush()
}

// WriteFolder writes memories as images 0.mem, 1.mem … into a folder that
// exists; ReadImages reads them back. PEs without memory have no image.
func WriteFolder(dir string, memory [][]uint32) error {
	for n, words := range memory {
		if len(words) == 0 {
			continue
		}
		if err := writeImage(filepath.Join(dir, strconv.Itoa(n)+imageExtension), words); err != nil {
			return err
		}
	}
	return nil
}

func writeImage(path string, words []uint32) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(image.Write(f, words), f.Close())
}
