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
	shares []share // by worker; the caller of Do is worker 0
	calls  uint64  // of Do
	call   atomic.Uint64
	done   atomic.Int64
	work   func(i int)

	mutex    sync.Mutex
	wake     *sync.Cond
	sleeping atomic.Int32
	closed   bool
}

// share is the pieces that one worker does, so that the same pieces stay in its caches call after call.
type share struct {
	// left is the number of the call of Do, times 1<<32, the end of the pieces, times 1<<16, and the
	// first one that nobody has taken. Whoever takes a piece counts up, so that nobody can take
	// one of a call that is over.
	left atomic.Uint64
	_    [56]byte // a cache line for each
}

// maxPieces bounds the pieces of a call of Do.
const maxPieces = 1<<16 - 1

// Spins before a worker sleeps, before it does the pieces of others, and before it lets other goroutines run.
const (
	spins      = 20000
	patience   = 3000
	yieldEvery = 500
	napAfter   = 200000
	nap        = 20 * time.Microsecond
)

// New returns a crew of so many workers, at least 1: the caller of Do is one of them. Close ends it.
func New(workers int) *Crew {
	c := &Crew{shares: make([]share, max(1, workers))}
	c.wake = sync.NewCond(&c.mutex)
	for worker := 1; worker < len(c.shares); worker++ {
		go c.serve(worker)
	}
	return c
}

// Do calls work for 0 to pieces-1, at most 65535, on all workers, and returns when all calls have
// returned. What the caller did before is visible to the workers, and what they did is visible to the
// caller.
func (c *Crew) Do(pieces int, work func(i int)) {
	c.work = work
	c.done.Store(0)
	c.calls++
	call := c.calls & (1<<32 - 1)
	for k := range c.shares {
		first, end := pieces*k/len(c.shares), pieces*(k+1)/len(c.shares)
		c.shares[k].left.Store(call<<32 | uint64(end)<<16 | uint64(first))
	}
	c.call.Store(c.calls)
	if c.sleeping.Load() > 0 {
		c.mutex.Lock()
		c.wake.Broadcast()
		c.mutex.Unlock()
	}
	for c.takeOne(0) {
	}
	for n := 1; c.done.Load() < int64(pieces); n++ {
		if n >= patience {
			c.help()
		}
		if n%yieldEvery == 0 {
			runtime.Gosched()
		}
		if n > napAfter { // the system runs something else in a worker's place
			time.Sleep(nap)
		}
	}
}

// takeOne does a piece of a worker's share that nobody has taken; false: there is none.
func (c *Crew) takeOne(worker int) bool {
	left := &c.shares[worker].left
	for {
		now := left.Load()
		first, end := now&maxPieces, now>>16&maxPieces
		if first >= end {
			return false
		}
		if left.CompareAndSwap(now, now+1) {
			c.work(int(first))
			c.done.Add(1)
			return true
		}
	}
}

// help does the pieces of workers that do not come to them.
func (c *Crew) help() {
	for worker := range c.shares {
		for c.takeOne(worker) {
		}
	}
}

// serve is a worker.
func (c *Crew) serve(worker int) {
	for idle := 0; ; idle++ {
		switch {
		case c.takeOne(worker):
			idle = 0
		case idle >= spins:
			if c.sleep() {
				return
			}
			idle = 0
		case idle == patience:
			c.help()
		case idle%yieldEvery == yieldEvery-1:
			runtime.Gosched()
		}
	}
}

// sleep waits for the next call of Do; it reports whether the crew is closed.
func (c *Crew) sleep() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	seen := c.call.Load()
	c.sleeping.Add(1)
	defer c.sleeping.Add(-1)
	for !c.closed && c.call.Load() == seen {
		c.wake.Wait()
	}
	return c.closed
}

// Close ends the workers, after the last call of Do.
func (c *Crew) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed = true
	c.wake.Broadcast()
}
