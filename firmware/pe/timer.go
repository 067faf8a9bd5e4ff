// SPDX-License-Identifier: Apache-2.0

package pe

import "meshwright/router"

// timer is a PE that waits for a cycle.
type timer struct {
	at router.Cycle
	pe int32
}

// Before is the order of a heap of timers: the earliest first.
func (t timer) Before(u timer) bool { return t.at < u.at }
