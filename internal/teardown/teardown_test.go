// SPDX-License-Identifier: Apache-2.0

package teardown_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/teardown"
)

func TestRunUndoesTheLastStepFirst(t *testing.T) {
	var s teardown.Stack
	var undone []string
	note := func(text string) func() { return func() { undone = append(undone, text) } }
	s.Add(note("folder"))
	forget := s.Add(note("file"))
	s.Add(note("child"))
	forget()
	forget()
	s.Run()
	require.Equal(t, []string{"child", "folder"}, undone)
}

// A step that is held is done whole, nested ones included, or not begun.
func TestRunWaitsForHolds(t *testing.T) {
	var s teardown.Stack
	undone := make(chan struct{})
	outer := s.Hold()
	inner := s.Hold()
	s.Add(func() { close(undone) })
	go s.Run()
	inner()
	s.Hold()()
	select {
	case <-undone:
		t.Fatal("the outer hold is not released")
	default:
	}
	outer()
	<-undone
}

func TestNothingBeginsAfterRun(t *testing.T) {
	var s teardown.Stack
	s.Run()
	began := make(chan struct{}, 3)
	for _, begin := range []func(){func() { s.Hold() }, func() { s.Add(func() {}) }, s.Run} {
		go func() { begin(); began <- struct{}{} }()
	}
	require.Empty(t, began)
}

// Undoing one step can end another, which then forgets itself.
func TestStepsAreForgottenDuringRun(t *testing.T) {
	var s teardown.Stack
	var forget []func()
	undone := 0
	for range 3 {
		forget = append(forget, s.Add(func() {
			undone++
			for _, f := range forget {
				f()
			}
		}))
	}
	s.Run()
	require.Equal(t, 3, undone)
}
