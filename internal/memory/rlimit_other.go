// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package memory

import "math"

// resourceLimit knows no limits where /proc does not tell what is taken of them.
func resourceLimit(rlimit) uint64 { return math.MaxUint64 }
