// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// The bounds of seeds.
const (
	lastSeed      = 1<<31 - 1
	mostPlacement = 1000
)

// ParseSeeds reads A-B, or one seed. The error is an *input.Error.
func ParseSeeds(text string) ([]int, error) {
	low, high, ranged := strings.Cut(text, "-")
	if !ranged {
		high = low
	}
	first, err := strconv.Atoi(low)
	last, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || first < 0 || last < first || last > lastSeed || last-first >= mostPlacement {
		return nil, input.Errorf(fmt.Sprintf("expected a range such as 1-3 of at most %d seeds, or one seed", mostPlacement), "%q", input.Clip(text))
	}
	var seeds []int
	for s := first; s <= last; s++ {
		seeds = append(seeds, s)
	}
	return seeds, nil
}
