// SPDX-License-Identifier: Apache-2.0

package study

import (
	"slices"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// maxBytes bounds a block.
const maxBytes = 1 << 30

const sizesForm = "expected sizes such as 8,100,4k, or 8..1M by doubling"

// ParseSizes reads sizes in bytes: "8,100,4k", "8..1M" (8, 16, 32 and so on up
// to 1M), or both. k and M are 2^10 and 2^20. They are returned rising.
func ParseSizes(text string) ([]int, error) {
	var sizes []int
	for field := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(field), "..")
		from, err := parseSize(first)
		if err != nil {
			return nil, err
		}
		to := from
		if isRange {
			if to, err = parseSize(last); err != nil {
				return nil, err
			}
		}
		if to < from {
			return nil, input.Errorf(sizesForm, "%q ends below its beginning", field)
		}
		for size := from; size <= to; size *= 2 {
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
}

func parseSize(text string) (int, error) {
	digits, unit := text, 1
	switch {
	case strings.HasSuffix(text, "k"):
		digits, unit = text[:len(text)-1], 1<<10
	case strings.HasSuffix(text, "M"):
		digits, unit = text[:len(text)-1], 1<<20
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > maxBytes/unit {
		return 0, input.Errorf(sizesForm, "%q is not a size of 1 byte to 1024M", text)
	}
	return n * unit, nil
}

// FormatSize is a size as ParseSizes reads it.
func FormatSize(bytes int) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return strconv.Itoa(bytes>>20) + "M"
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return strconv.Itoa(bytes>>10) + "k"
	}
	return strconv.Itoa(bytes)
}
