// SPDX-License-Identifier: Apache-2.0

// Package crew runs many short pieces of work in parallel, a few microseconds each: its
// workers wait awake for the next pieces, and sleep when none come for a while.
package crew

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Crew is some workers. Its methods are called from one goroutine.
type Crew struct {
	// state is the number of the call of Do, times 1<<countBits, plus the pieces that nobody
	// has taken. A worker takes a piece by counting down, so that it cannot take one of a
	// call that is over.
	state atomic.Uint64
	done  atomic.Int64
	work  func(i int)

	mutex    sync.Mutex
	wake     *sync.Cond
	sleeping atomic.Int32
	closed   bool
}

const countBits = 16

// maxPieces bounds the pieces of a call of Do.
const maxPieces = 1<<countBits - 1

// Spins before a worker sleeps, and before it lets other goroutines run.
const (
	spins      = 20000
	yieldEvery = 500
	napAfter   = 200000
	nap        = 20 * time.Microsecond
)

// New returns a crew of so many workers, at least 1: the caller of Do is one of them. Close ends it.
func New(workers int) *Crew {
	c := &Crew{}
	c.wake = sync.NewCond(&c.mutex)
	for range workers - 1 {
		go c.serve()
	}
	return c
}

// Do calls work for 0 to pieces-1, on all workers, and returns when all calls have returned. What the
// caller did before is visible to the workers, and what they did is visible to the caller.
func (c *Crew) Do(pieces int, work func(i int)) {
	c.work = work
	c.done.Store(0)
	c.state.Store((c.state.Load()>>countBits+1)<<countBits | uint64(pieces))
	if c.sleeping.Load() > 0 {
		c.mutex.Lock()
		c.wake.Broadcast()
		c.mutex.Unlock()
	}
	for c.takeOne() {
	}
	for n := 1; c.done.Load() < int64(pieces); n++ {
		if n%yieldEvery == 0 {
			runtime.Gosched()
		}
		if n > napAfter { // the system runs something else in a worker's place
			time.Sleep(nap)
		}
	}
}

// takeOne does a piece that nobody has taken; false: there is none.
func (c *Crew) takeOne() bool {
	for {
		state := c.state.Load()
		left := state & maxPieces
		if left == 0 {
			return false
		}
		if c.state.CompareAndSwap(state, state-1) {
			c.work(int(left) - 1)
			c.done.Add(1)
			return true
		}
	}
}

// serve is a worker.
func (c *Crew) serve() {
	for idle := 0; ; idle++ {
		switch {
		case c.takeOne():
			idle = 0
		case idle >= spins:
			if c.sleep() {
				return
			}
			idle = 0
		case idle%yieldEvery == yieldEvery-1:
			runtime.Gosched()
		}
	}
}

// sleep waits for the next call of Do; it reports whether the crew is closed.
func (c *Crew) sleep() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.sleeping.Add(1)
	defer c.sleeping.Add(-1)
	for !c.closed && c.state.Load()&maxPieces == 0 {
		c.wake.Wait()
	}
	return c.closed
}

// Close ends the workers, after the last call of Do.
func (c *Crew) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed = true
	c.sleeping.Add(1) // so that none of them goes on waiting
	c.wake.Broadcast()
}
