// SPDX-License-Identifier: Apache-2.0

package progress_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/progress"
)

// heard writes down what it is told.
type heard []string

func (h *heard) Began(p *progress.Phase) { *h = append(*h, "began "+p.Name) }
func (h *heard) Ended(p *progress.Phase) { *h = append(*h, "ended "+p.Name) }

func TestListenersHearOfPhases(t *testing.T) {
	var all heard
	ctx := progress.With(t.Context(), &all)
	outer := progress.Begin(ctx, "plan", 0)
	inner := progress.Begin(ctx, "search", 3)
	inner.Describe("8 cycles")
	inner.Set(2, 4)
	done, total, note := inner.State()
	require.Equal(t, []any{2, 4, "8 cycles"}, []any{done, total, note})
	inner.End()
	outer.End()
	require.Equal(t, heard{"began plan", "began search", "ended search", "ended plan"}, all)
}

// Steps are counted, if late by those since the last look at the clock.
func TestStepsAreCounted(t *testing.T) {
	const all = 1_000_000
	p := progress.Begin(t.Context(), "count", all)
	defer p.End()
	last := 0
	for i := range all {
		err := p.Step()
		done, _, _ := p.State()
		if err != nil || done > i+1 || done < last { // require takes long
			require.Failf(t, "wrong count", "step %d: %d steps, before %d: %v", i, done, last, err)
		}
		last = done
	}
	require.Positive(t, last)
	for range 3 * all {
		if err := p.Step(); err != nil {
			t.Fatal(err)
		}
	}
	done, _, _ := p.State()
	require.Greater(t, done, 3*all)
}

func TestStepsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := progress.Begin(ctx, "wait", 0)
	defer p.End()
	require.NoError(t, p.Step())
	cancel()
	for {
		if err := p.Step(); err != nil {
			require.ErrorIs(t, err, context.Canceled)
			return
		}
	}
}

func BenchmarkStep(b *testing.B) {
	p := progress.Begin(b.Context(), "count", 0)
	for b.Loop() {
		if err := p.Step(); err != nil {
			b.Fatal(err)
		}
	}
}
