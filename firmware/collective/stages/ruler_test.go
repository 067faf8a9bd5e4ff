// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// For regular rulers the closed forms of start and round equal the measured values.
func TestRegularRulers(t *testing.T) {
	for _, ring := range []bool{false, true} {
		for spacing := 1; spacing <= 12; spacing++ {
			for segments := 2; segments <= 6; segments++ {
				l := Line{spacing * segments, ring && spacing*segments > 2}
				r := newRuler(l, spacing)
				require.Equal(t, r.measureStart(), r.start(), "%+v", r)
				for narrow := 1; narrow < spacing; narrow++ {
					if spacing%narrow == 0 {
						require.Equal(t, r.measureRound(spacing, narrow), r.round(spacing, narrow), "%+v to %d", r, narrow)
					}
				}
			}
		}
	}
}

// Every class stands in every segment, in order, once or twice.
func TestClassesOfRulers(t *testing.T) {
	for size := 1; size <= 40; size++ {
		for spacing := 1; spacing <= size; spacing++ {
			classes := newRuler(Line{Size: size}, spacing).classes()
			require.Equal(t, 0, classes[0])
			require.Equal(t, spacing-1, classes[size-1])
			for x := 1; x < size; x++ {
				step := classes[x] - classes[x-1]
				require.True(t, step == 0 || step == 1 || classes[x] == 0 && classes[x-1] == spacing-1, "%d of %d: %v", spacing, size, classes)
			}
		}
	}
}
