// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/internal/memory"
)

// complain prints an error; of a list the first ten, each on a line of its own,
// and how many more there are. Whatever stands in it appears as visible text of
// moderate length.
func complain(stderr io.Writer, err error) {
	list := input.Unlist(err)
	for i := range list {
		list[i] = located(list[i])
	}
	for _, line := range list.Lines() {
		fmt.Fprintln(stderr, "meshwright: "+escape.Message(line))
	}
	var fault *input.Error
	if len(list) == 1 && errors.As(list[0], &fault) {
		for _, line := range fault.Pointer() {
			fmt.Fprintln(stderr, "  "+escape.Message(strings.ReplaceAll(line, "\t", " ")))
		}
	}
}

// located says errors of files, mostly of those to write, in the form of all
// others, and what to do about a lack of memory.
func located(err error) error {
	var large *memory.TooLarge
	if errors.As(err, &large) {
		return fmt.Errorf("%w (expected %s, or a larger --memory)", err, cmp.Or(large.Instead, "a smaller job"))
	}
	var file *fs.PathError
	if errors.As(err, &file) && err.Error() == file.Error() {
		return input.At(file.Path, 0, "", "%v", file.Err)
	}
	return err
}
