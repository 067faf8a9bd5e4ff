// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/internal/memory"
)

// exitTooLarge: the job needs more memory than there is.
const exitTooLarge = 4

// addMemory adds --memory, which every verb has.
func addMemory(root *cobra.Command) {
	groupGeneral.declare(root.PersistentFlags(), func(flags *pflag.FlagSet) {
		flags.String("memory", "", "memory limit, a `size` such as 8GB or 512MB; a job that needs more is refused (default: four fifths of what RAM, control groups and ulimit leave)")
	})
}

// prepare checks the arguments of a verb, limits its memory, and lets it say how far it is.
func prepare(cmd *cobra.Command, args []string) error {
	if err := notEmpty(cmd, args); err != nil {
		return err
	}
	if err := stdinOnce(cmd, args); err != nil {
		return err
	}
	if err := sayProgress(cmd); err != nil {
		return err
	}
	return limitMemory(cmd)
}

// limitMemory puts the limit into the verb's context, tells the garbage
// collector, and ends the verb when it goes beyond it although nobody foresaw it.
func limitMemory(cmd *cobra.Command) error {
	limit := memory.There()
	if flag := cmd.Flags().Lookup("memory"); flag != nil && flag.Changed {
		var err error
		if limit, err = memory.Parse(flag.Value.String()); err != nil {
			return input.At("--memory", 0, "expected a size such as 8GB or 512MB", "%q", input.Clip(flag.Value.String()))
		}
	}
	debug.SetMemoryLimit(int64(limit))
	ctx, cancel := context.WithCancelCause(memory.With(cmd.Context(), limit))
	said := &sync.Once{}
	cmd.SetContext(context.WithValue(ctx, refusal{}, said))
	end := ending{cmd: cmd, limit: limit, cancel: cancel, quit: leave, said: said}
	memory.Watch(ctx, limit, end.once)
	return nil
}

// patience is how long a verb that takes too much has to heed its context.
const patience = 2 * time.Second

// ending ends a verb that takes more than the limit: by its context, and when
// that does not help, or there is no time for it, by leaving.
type ending struct {
	cmd    *cobra.Command
	limit  memory.Bytes
	cancel context.CancelCauseFunc
	quit   func(int)
	first  sync.Once
	said   *sync.Once // the refusal; the verb may come to its own at the same time
}

// refusal is the context's key of the sync.Once by which a verb is refused in one line.
type refusal struct{}

// sayTooLarge says once that a verb needs too much memory.
func sayTooLarge(cmd *cobra.Command, stderr io.Writer, large *memory.TooLarge) {
	said := &sync.Once{}
	if cmd != nil && cmd.Context() != nil {
		if shared, ok := cmd.Context().Value(refusal{}).(*sync.Once); ok {
			said = shared
		}
	}
	said.Do(func() { complain(stderr, large) })
}

// once cancels the context and waits until the verb has ended; the process
// ends with that.
func (e *ending) once(taken memory.Bytes) {
	e.first.Do(func() {
		large := &memory.TooLarge{What: strings.TrimPrefix(e.cmd.CommandPath(), e.cmd.Root().Name()+" "), Needed: taken, Available: e.limit, Taken: true}
		e.cancel(large)
		for start := time.Now(); time.Since(start) < patience && memory.Taken() < e.limit+e.limit/8; {
			time.Sleep(patience / 200)
		}
		e.said.Do(func() { complain(e.cmd.ErrOrStderr(), large) })
		e.quit(exitTooLarge)
	})
}

// tooLarge is the refusal that ended a verb, nil when none did: its error, or
// what cancelled its context.
func tooLarge(cmd *cobra.Command, err error) *memory.TooLarge {
	var large *memory.TooLarge
	if errors.As(err, &large) || cmd != nil && cmd.Context() != nil && errors.As(context.Cause(cmd.Context()), &large) {
		return large
	}
	return nil
}
