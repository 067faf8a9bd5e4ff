// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"math"

	"meshwright/internal/memory"
)

// portMemory is what a simulator takes, when it takes most, for each port of the chips of a network, the PEs' ports included.
var portMemory = map[Simulator]memory.Bytes{Icarus: 1500 * memory.KB, Verilator: 2500 * memory.KB}

// Fits refuses a network that is too large for a simulator: a *memory.TooLarge that names the largest mesh which is not. The
// network has so many ports, those of the PEs included.
func Fits(ctx context.Context, s Simulator, network string, ports int) error {
	return memory.NeedEach(ctx, fmt.Sprintf("%s for %s", s, network), ports, portMemory[s], largestMesh)
}

// largestMesh has at most so many ports, five a chip; "" when not even the smallest has.
func largestMesh(ports int) string {
	side := int(math.Sqrt(float64(ports) / 5))
	if side < 2 {
		return ""
	}
	return fmt.Sprintf("a network no larger than mesh:%dx%d", side, side)
}
