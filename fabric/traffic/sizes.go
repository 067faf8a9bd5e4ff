// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// Sizes is a mix of packet sizes. The zero value is no packet at all.
type Sizes struct {
	flits []int
	until []float64 // share of the packets that are of this size or one before it
	mean  float64
}

// maxFlits bounds a packet.
const maxFlits = 1 << 20

const sizesForm = "expected FLITS, or FLITS@WEIGHT,FLITS@WEIGHT.."

// ParseSizes reads a size, "8", or sizes with their weights, "1@0.6,8@0.4". Its errors are *input.Error.
func ParseSizes(text string) (Sizes, error) {
	var s Sizes
	var weights []float64
	total := 0.0
	for _, part := range strings.Split(text, ",") {
		size, weight, given := strings.Cut(part, "@")
		flits, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil || flits < 1 || flits > maxFlits {
			return Sizes{}, input.Errorf(sizesForm+", flits from 1 to "+strconv.Itoa(maxFlits), "a packet of %q flits", input.Clip(size))
		}
		w := 1.0
		if given {
			if w, err = strconv.ParseFloat(weight, 64); err != nil || !(w > 0) || math.IsInf(w, 0) {
				return Sizes{}, input.Errorf(sizesForm+", weights above 0", "weight %q", input.Clip(weight))
			}
		}
		if slices.Contains(s.flits, flits) {
			return Sizes{}, input.Errorf("expected each size once", "packets of %d flits twice", flits)
		}
		s.flits, weights = append(s.flits, flits), append(weights, w)
		total += w
	}
	sum := 0.0
	for i, w := range weights {
		s.mean += w / total * float64(s.flits[i])
		sum += w / total
		s.until = append(s.until, sum)
	}
	return s, nil
}

// Largest returns the flits of the largest packet, 0 of no packet.
func (s *Sizes) Largest() int {
	if len(s.flits) == 0 {
		return 0
	}
	return slices.Max(s.flits)
}

// draw returns the size of a packet.
func (s *Sizes) draw(rng *rand.Rand) int {
	if len(s.flits) == 1 {
		return s.flits[0]
	}
	at := rng.Float64()
	for i, until := range s.until {
		if at < until {
			return s.flits[i]
		}
	}
	return s.flits[len(s.flits)-1]
}
