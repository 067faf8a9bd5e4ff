// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"sort"
	"sync"

	"meshwright/internal/parallel"
	"meshwright/internal/progress"
)

// effort is what long work needs besides its data: when to end, and whom to tell how far it is.
type effort struct {
	ctx   context.Context
	phase *progress.Phase
}

// count is all with a collector for each worker. These count together for a collector that only counts.
func (e effort) count(begin []int32, c *collector, worker func(to *collector) func(group int) bool) bool {
	whole := &sharedTally{to: c}
	var lock sync.Mutex
	var parts []*collector
	done := e.all(begin, func() func(int) bool {
		part := whole.part()
		lock.Lock()
		parts = append(parts, part)
		lock.Unlock()
		return worker(part)
	})
	for _, part := range parts {
		part.flush()
	}
	return done
}

var errNotFree = errors.New("not free")

// all reports whether free says yes to all groups, on all cores. The members of group i have the
// indices begin[i] to begin[i+1]-1; groups with few members are looked at in a row.
func (e effort) all(begin []int32, worker func() func(group int) bool) bool {
	const members = 1 << 16 // worth a piece of work, about
	groups := len(begin) - 1
	pieces := min(groups, int(begin[groups])/members+1)
	// cut returns the first group of a piece.
	cut := func(piece int) int {
		if piece == pieces {
			return groups
		}
		low := int32(int64(begin[groups]) * int64(piece) / int64(pieces))
		return sort.Search(groups, func(i int) bool { return begin[i] >= low })
	}
	err := parallel.Each(e.ctx, e.phase, parallel.Workers(), pieces, func() func(int) error {
		free := worker()
		return func(piece int) error {
			for group := cut(piece); group < cut(piece+1); group++ {
				if begin[group] < begin[group+1] && !free(group) {
					return errNotFree
				}
			}
			return nil
		}
	})
	return !errors.Is(err, errNotFree)
}
