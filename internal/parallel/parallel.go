// SPDX-License-Identifier: Apache-2.0

// Package parallel does independent pieces of work on all cores. What a piece does must depend
// on its number alone, so that the result is the same with any number of workers.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"meshwright/internal/progress"
)

// Workers returns how many workers the machine has work for.
func Workers() int { return runtime.GOMAXPROCS(0) }

// Each does the pieces 0 to count-1. Every worker gets a function of its own from worker, which does
// one piece after another. The phase counts the pieces. Each returns when no worker works any more, with
// the error of the lowest piece that has failed, or else that of the context: then some pieces
// are not done. A piece that fails ends the others, too.
func Each(ctx context.Context, phase *progress.Phase, workers, count int, worker func() func(piece int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next   atomic.Int64
		all    sync.WaitGroup
		done   = make(chan struct{})
		failed = failure{piece: count}
	)
	for range max(1, min(workers, count)) {
		all.Go(func() {
			do := worker()
			for ctx.Err() == nil {
				piece := int(next.Add(1)) - 1
				if piece >= count {
					return
				}
				if err := do(piece); err != nil {
					failed.note(piece, err)
					cancel(err)
					return
				}
				done <- struct{}{}
			}
		})
	}
	go func() {
		all.Wait()
		close(done)
	}()
	ended := 0
	for range done {
		ended++
		phase.Set(ended, count)
	}
	if failed.err != nil {
		return failed.err
	}
	return context.Cause(ctx)
}

// failure is the error of the lowest piece that has failed.
type failure struct {
	lock  sync.Mutex
	piece int
	err   error
}

func (f *failure) note(piece int, err error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if piece < f.piece {
		f.piece, f.err = piece, err
	}
}
