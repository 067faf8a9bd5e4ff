// SPDX-License-Identifier: Apache-2.0

package wave

import (
	"io"
	"slices"

	"meshwright/rtl"
)

// Read lets tests read a tree of a file back.
func Read(r io.Reader, tree string, probes []rtl.Probe) ([]rtl.Change, error) {
	in, err := newReader(r, tree, probes)
	if err != nil {
		return nil, err
	}
	return slices.Collect(in.changes()), in.failure()
}
