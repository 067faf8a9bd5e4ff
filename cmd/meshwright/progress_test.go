// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/progress"
)

// A line says what --progress asks for: the phase in hand, how far the phases around it are, and how long it may still take.
func TestLinesOfProgress(t *testing.T) {
	var text bytes.Buffer
	l := &progressLog{to: &text, every: time.Hour}
	ctx := progress.With(t.Context(), l)
	require.True(t, progress.Told(ctx))
	require.False(t, progress.Told(t.Context()))
	l.say()
	outer := progress.Begin(ctx, "sweep rates", 40)
	outer.Set(10, 40)
	outer.Describe("3 points/s")
	l.mu.Lock()
	l.phases[0].began = time.Now().Add(-100 * time.Second)
	l.mu.Unlock()
	l.say()
	inner := progress.Begin(ctx, "merge", 0)
	l.say()
	inner.End()
	outer.End()
	l.say()
	require.Equal(t, "meshwright: sweep rates, 10 of 40, 3 points/s, 5m0s left\nmeshwright: 10 of 40, merge\n", text.String())
}
