// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"math"

	"meshwright/internal/memory"
)

// Size is what the memory of a simulator depends on.
type Size struct {
	Ports    int  // of all chips, those to the PEs included
	PEs      int  // processors that run programs, of an emulator
	Coverage bool // Verilator counts lines, branches and toggles
}

// need is what a simulator takes, when it takes most: for anything at all, for each port, and for each PE that runs a program.
type need struct{ any, port, pe memory.Bytes }

// needs were measured with wormhole chips; docs/memory.md says which.
var needs = map[Simulator]need{
	Icarus:    {0, 1500 * memory.KB, 2 * memory.MB},
	Verilator: {170 * memory.MB, 2500 * memory.KB, 3 * memory.MB},
}

// needsCoverage is what the build with Verilator takes when it counts lines, branches and toggles.
var needsCoverage = need{any: 900 * memory.MB, port: 20 * memory.MB}

// Fits refuses a network that is too large for a simulator: a *memory.TooLarge that names the largest mesh which is not.
func Fits(ctx context.Context, s Simulator, network string, size Size) error {
	n := needs[s]
	if size.Coverage {
		n = needsCoverage
	}
	bytes := float64(n.any) + float64(n.port)*float64(size.Ports) + float64(n.pe)*float64(size.PEs)
	chip := 5 * n.port
	if size.PEs > 0 {
		chip += n.pe
	}
	return memory.NeedEach(ctx, fmt.Sprintf("%s for %s", s, network), int(math.Ceil(bytes/float64(memory.KB))), memory.KB, func(kilobytes int) string {
		return largestMesh((memory.Bytes(kilobytes)*memory.KB - n.any) / chip)
	})
}

// largestMesh has at most so many chips; "" when not even the smallest has.
func largestMesh(chips memory.Bytes) string {
	side := int(math.Sqrt(float64(max(0, chips))))
	if side < 2 {
		return ""
	}
	return fmt.Sprintf("a network no larger than mesh:%dx%d", side, side)
}
