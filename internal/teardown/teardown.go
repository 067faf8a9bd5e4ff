// SPDX-License-Identifier: Apache-2.0

// Package teardown knows what a process must undo when it ends in the middle:
// temporary files to remove, children to end.
package teardown

import (
	"slices"
	"sync"
)

// Process is the stack of this process. It is the one variable that changes
// after the start, because a process ends only once, whoever began the work.
var Process Stack

// Stack has the steps that must be undone. Its zero value is empty.
type Stack struct {
	mu    sync.Mutex
	undo  []*func()
	holds int
	free  *sync.Cond // holds is 0 again
	ended bool
}

// Add registers a function that undoes a step which is about to begin or has just begun.
// The returned function removes it again. After Run, Add never returns.
func (s *Stack) Add(undo func()) (forget func()) {
	s.mu.Lock()
	s.stopWhenEnded()
	defer s.mu.Unlock()
	s.undo = append(s.undo, &undo)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := slices.Index(s.undo, &undo); i >= 0 {
			s.undo = slices.Delete(s.undo, i, i+1)
		}
	}
}

// Hold delays Run until release: a step between the two is done whole or not
// begun. Holds may nest. After Run, Hold never returns.
func (s *Stack) Hold() (release func()) {
	s.mu.Lock()
	s.stopWhenEnded()
	defer s.mu.Unlock()
	s.holds++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.holds--; s.holds == 0 && s.free != nil {
			s.free.Broadcast()
		}
	}
}

// Run waits for all holds and undoes everything, the last step first. The
// process is to exit then: whoever adds or holds from now on waits for that.
func (s *Stack) Run() {
	s.mu.Lock()
	s.stopWhenEnded()
	s.free = sync.NewCond(&s.mu)
	for s.holds > 0 {
		s.free.Wait()
	}
	s.ended = true
	undo := slices.Clone(s.undo) // steps that end by themselves are still forgotten meanwhile
	s.mu.Unlock()
	for _, u := range slices.Backward(undo) {
		(*u)()
	}
}

// stopWhenEnded is called with the lock; it stops the caller for good after Run.
func (s *Stack) stopWhenEnded() {
	if s.ended {
		s.mu.Unlock()
		select {}
	}
}
