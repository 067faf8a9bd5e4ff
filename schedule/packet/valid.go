// SPDX-License-Identifier: Apache-2.0

package packet

import "meshwright/internal/input"

// valid refuses a tree that NewTree has not made.
func (t *Tree) valid() error {
	if t == nil || len(t.parent) == 0 {
		return input.Errorf("expected one that NewTree has made", "no tree")
	}
	return nil
}
