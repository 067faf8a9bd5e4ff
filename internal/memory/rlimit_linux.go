// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math"
	"syscall"
)

// resourceLimit returns a limit in bytes, math.MaxUint64 when there is none.
func resourceLimit(kind rlimit) uint64 {
	resource := map[rlimit]int{addressSpace: syscall.RLIMIT_AS, dataSegment: syscall.RLIMIT_DATA}[kind]
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(resource, &limit); err != nil {
		return math.MaxUint64
	}
	return limit.Cur
}
