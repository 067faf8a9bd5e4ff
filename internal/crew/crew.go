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
	calls  uint64  // of Do and DoInTurn
	call   atomic.Uint64
	job    job
	late   bool // the caller has waited long in the present call
	solo   int  // calls that the caller did alone after it waited long, fewer with each call in which it did not
	alone  int  // calls that it still does alone

	mutex    sync.Mutex
	wake     *sync.Cond
	sleeping atomic.Int32
	closed   bool
}

// job is the work of a call.
type job struct {
	pieces      int
	first, then func(i int)
	ready       func(i int) bool
}

// share is the pieces that one worker does, so that the same pieces stay in its caches call after call.
type share struct {
	// left is the number of the call, times 1<<48, the end of the turns, times 1<<32, the end of those
	// that wait for no others, times 1<<16, and the first turn that nobody has taken. Whoever takes a turn counts up,
	// so that nobody can take one of a call that is over.
	left atomic.Uint64
	_    [56]byte     // a cache line for each
	done atomic.Int64 // turns that this worker has done, of all shares
	_    [56]byte
}

// maxTurns bounds the turns of a share.
const maxTurns = 1<<16 - 1

// Spins before a worker sleeps, before it does the pieces of others, and before it lets other goroutines run.
const (
	spins      = 150000
	patience   = 50000
	yieldEvery = 500
	napAfter   = 200000
	nap        = 20 * time.Microsecond
)

// The system may run something else in the place of a worker, for longer than many calls last. So a caller that has
// waited for tired spins does the next calls alone: the more of them, the more often it waits so long.
const (
	tired     = 100000
	mostAlone = 4096
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
	c.run(job{pieces: pieces, first: work}, 1)
}

// DoInTurn calls first for 0 to pieces-1, at most 32767, and then for them, each as soon as ready returns true. That
// must come to pass when first has returned for all pieces; ready is called from several workers. A worker begins with
// the pieces next to those of the worker before it and ends its second turn with them, so that it hardly ever waits if a
// piece needs its neighbours only.
func (c *Crew) DoInTurn(pieces int, first func(i int), ready func(i int) bool, then func(i int)) {
	c.run(job{pieces: pieces, first: first, ready: ready, then: then}, 2)
}

// run does a job of so many turns a piece.
func (c *Crew) run(j job, turns int) {
	c.job = j
	if c.alone > 0 {
		c.alone--
		c.doAlone()
		return
	}
	c.calls++
	for k := range c.shares { // before any turn is there to be done
		c.shares[k].done.Store(0)
	}
	for k := range c.shares {
		first, end := c.bounds(k)
		own := uint64(end - first)
		c.shares[k].left.Store(c.calls<<48 | own*uint64(turns)<<32 | own<<16)
	}
	c.call.Store(c.calls)
	slept := c.sleeping.Load() > 0
	if slept {
		c.mutex.Lock()
		c.wake.Broadcast()
		c.mutex.Unlock()
	}
	for c.takeOne(0, 0, false) {
	}
	for n := 1; c.doneTurns() < int64(j.pieces*turns); n++ {
		c.wait(0, n, false)
	}
	if !slept { // to wake takes long, too, and says nothing of the calls to come
		c.reckon()
	}
	c.late = false
}

// doAlone lets the caller do the whole job.
func (c *Crew) doAlone() {
	for i := range c.job.pieces {
		c.job.first(i)
	}
	if c.job.then == nil {
		return
	}
	for i := range c.job.pieces {
		c.job.then(i)
	}
}

// reckon decides whether the next calls are done alone.
func (c *Crew) reckon() {
	if !c.late {
		c.solo -= (c.solo + 15) / 16
		return
	}
	c.solo = min(mostAlone, 2*c.solo+1)
	c.alone = c.solo
}

// bounds returns the pieces of a share.
func (c *Crew) bounds(k int) (first, end int) {
	return c.job.pieces * k / len(c.shares), c.job.pieces * (k + 1) / len(c.shares)
}

// doneTurns returns how many turns of the present call are done.
func (c *Crew) doneTurns() int64 {
	sum := int64(0)
	for k := range c.shares {
		sum += c.shares[k].done.Load()
	}
	return sum
}

// wait lets time go by, for the n-th time in a row. After a while the worker does what others do not come to; if alone, only
// turns that wait for no others.
func (c *Crew) wait(worker, n int, alone bool) {
	if n >= patience {
		c.help(worker, alone)
	}
	if n%yieldEvery == 0 {
		runtime.Gosched()
	}
	if n == tired && worker == 0 {
		c.late = true
	}
	if n > napAfter { // the system runs something else in a worker's place
		time.Sleep(nap)
	}
}

// help does the turns of workers that do not come to them.
func (c *Crew) help(worker int, alone bool) {
	for of := range c.shares {
		for c.takeOne(worker, of, alone) {
		}
	}
}

// takeOne lets a worker do a turn of a share that nobody has taken; false: there is none.
func (c *Crew) takeOne(worker, of int, alone bool) bool {
	turn, ok := c.shares[of].take(alone)
	if !ok {
		return false
	}
	first, end := c.bounds(of)
	if own := end - first; turn < own {
		c.job.first(first + turn)
	} else {
		i := end - 1 - (turn - own)
		for n := 1; !c.job.ready(i); n++ {
			c.wait(worker, n, true)
		}
		c.job.then(i)
	}
	c.shares[worker].done.Add(1)
	return true
}

// take takes the next turn of a share; if alone, only one that waits for no others.
func (s *share) take(alone bool) (turn int, ok bool) {
	for {
		now := s.left.Load()
		next, end := now&maxTurns, now>>32&maxTurns
		if alone {
			end = now >> 16 & maxTurns
		}
		if next >= end {
			return 0, false
		}
		if s.left.CompareAndSwap(now, now+1) {
			return int(next), true
		}
	}
}

// serve is a worker.
func (c *Crew) serve(worker int) {
	for idle := 0; ; idle++ {
		seen := c.call.Load()
		switch {
		case c.takeOne(worker, worker, false):
			idle = 0
		case idle >= spins:
			if c.sleep(seen) {
				return
			}
			idle = 0
		case idle == patience:
			c.help(worker, false)
		case idle%yieldEvery == yieldEvery-1:
			runtime.Gosched()
		}
	}
}

// sleep waits for a call after the one that was seen; it reports whether the crew is closed.
func (c *Crew) sleep(seen uint64) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.sleeping.Add(1)
	defer c.sleeping.Add(-1)
	for !c.closed && c.call.Load() == seen {
		c.wake.Wait()
	}
	return c.closed
}

// Close ends the workers, after the last call of Do or DoInTurn.
func (c *Crew) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed = true
	c.wake.Broadcast()
}
