// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// ReadPlaces reads the places of points, one a line, rising. Its errors are *input.Error.
func ReadPlaces(path string) ([]int, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	places := []int{}
	line, last := 0, -1
	for row := range strings.Lines(string(text)) {
		line++
		if row = strings.TrimSpace(row); row == "" {
			continue
		}
		place, err := strconv.Atoi(row)
		if err != nil || place <= last {
			return nil, input.At(path, line, "expected the places of points, from 0 and rising, one a line", "%q", input.Clip(row))
		}
		places, last = append(places, place), place
	}
	return places, nil
}

// WritePlaces writes what ReadPlaces reads.
func WritePlaces(w io.Writer, places []int) error {
	b := bufio.NewWriter(w)
	for _, place := range places {
		fmt.Fprintln(b, place)
	}
	return b.Flush()
}
