// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/router"
)

// isTerminal reports whether w is a screen that someone looks at.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// stages says on a terminal what is being done, and nothing in a pipe.
func stages(w io.Writer) func(string) {
	if !isTerminal(w) {
		return nil
	}
	return func(line string) { fmt.Fprintln(w, line) }
}

// pulse is a component that shows on a terminal how far a run is.
type pulse struct {
	bar   *progressbar.ProgressBar
	steps int
	last  time.Time
}

// pulseEvery is how often the line on the terminal changes.
const pulseEvery = 200 * time.Millisecond

// watch attaches a pulse when standard error is a terminal; done wipes its line.
func watch(cmd *cobra.Command) (attach func(*fabric.Network) error, done func()) {
	w := cmd.ErrOrStderr()
	if !isTerminal(w) {
		return func(*fabric.Network) error { return nil }, func() {}
	}
	p := &pulse{last: time.Now(), bar: progressbar.NewOptions(-1, progressbar.OptionSetWriter(w),
		progressbar.OptionSpinnerType(14), progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(true))}
	return func(n *fabric.Network) error { n.Attach(p); return nil }, func() { _ = p.bar.Finish() }
}

// Evaluate implements fabric.Component.
func (p *pulse) Evaluate(fabric.Signals) {}

// Update looks at the time now and then, so that it costs next to nothing.
func (p *pulse) Update(s fabric.Signals) {
	if p.steps++; p.steps&255 != 0 || time.Since(p.last) < pulseEvery {
		return
	}
	p.last = time.Now()
	p.bar.Describe(fmt.Sprintf("cycle %d, %d flits delivered", s.Now(), s.Network().Delivered()))
	_ = p.bar.Add(1)
}

// Wakes implements fabric.Sleeper.
func (p *pulse) Wakes() router.Cycle { return fabric.Never }
