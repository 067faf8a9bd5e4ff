// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/internal/progress"
)

const progressFlag = "progress"

// addProgress adds --progress, which every verb has.
func addProgress(root *cobra.Command) {
	groupGeneral.declare(root.PersistentFlags(), func(flags *pflag.FlagSet) {
		flags.Duration(progressFlag, 0, "write a line to standard error every so often, a `time` such as 1m, that says how far the work is (default: none; a terminal shows it anyway)")
	})
}

// sayProgress lets a verb write how far it is, if that was asked for and no terminal shows it.
func sayProgress(cmd *cobra.Command) error {
	flag := cmd.Flags().Lookup(progressFlag)
	if flag == nil || !flag.Changed {
		return nil
	}
	every, err := time.ParseDuration(flag.Value.String())
	if err != nil || every <= 0 {
		return input.At("--"+progressFlag, 0, "expected a time such as 1m", "%s", input.Clip(flag.Value.String()))
	}
	if !progress.Told(cmd.Context()) {
		cmd.SetContext(progress.With(cmd.Context(), &progressLog{to: cmd.ErrOrStderr(), every: every}))
	}
	return nil
}

// progressLog writes a line now and then that says what is done, and how much of it. It implements progress.Listener.
type progressLog struct {
	to    io.Writer
	every time.Duration

	mu     sync.Mutex
	phases []shownPhase
	begun  bool // the writing
}

// Began implements progress.Listener.
func (l *progressLog) Began(p *progress.Phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phases = append(l.phases, shownPhase{Phase: p, began: time.Now()})
	if !l.begun {
		l.begun = true
		go l.write()
	}
}

// Ended implements progress.Listener. Phases that follow one another share the time between two lines.
func (l *progressLog) Ended(p *progress.Phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phases = dropped(l.phases, p)
}

// write writes the lines as long as the process lives. Between phases there is nothing to say.
func (l *progressLog) write() {
	for range time.Tick(l.every) {
		l.say()
	}
}

func (l *progressLog) say() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.phases) == 0 {
		return
	}
	fmt.Fprintln(l.to, "meshwright: "+description(l.phases)+l.phases[len(l.phases)-1].left())
}
