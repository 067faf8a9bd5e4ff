// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"meshwright/internal/escape"
	"meshwright/internal/progress"
)

// screen is a terminal whose last line shows what is done now, how much of it,
// and how long the rest may take. What else is written there wipes that line
// first. It implements progress.Listener.
type screen struct {
	terminal *os.File

	mu     sync.Mutex
	phases []shownPhase
	since  time.Time     // the first phase began
	stop   chan struct{} // ends the drawing
	final  bool          // results are written: no line before another phase begins
}

// shownPhase is a phase with its line.
type shownPhase struct {
	*progress.Phase
	bar   *progressbar.ProgressBar
	began time.Time
	done  int           // steps, when the line was drawn last
	took  time.Duration // by those steps
}

// The line appears when something takes longer, and changes that often.
const (
	drawAfter = 300 * time.Millisecond
	drawEvery = 200 * time.Millisecond
)

// foretold is the part of a phase of which the rest's time is told, if that part took a second: before, it is a guess.
const foretold = 20

// mostDescribed bounds what a line says of a phase, in characters.
const mostDescribed = 56

// newScreen returns nil when nobody looks at w.
func newScreen(w *os.File) *screen {
	if !isatty.IsTerminal(w.Fd()) {
		return nil
	}
	return &screen{terminal: w}
}

// Began implements progress.Listener.
func (s *screen) Began(p *progress.Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, total, _ := p.State()
	s.wipe()
	s.phases = append(s.phases, shownPhase{Phase: p, bar: s.bar(total), began: time.Now()})
	if len(s.phases) > 1 {
		return
	}
	s.final = false
	if s.since.IsZero() {
		s.since = time.Now()
	}
	s.stop = make(chan struct{})
	go s.draw(s.stop)
}

func (s *screen) bar(total int) *progressbar.ProgressBar {
	if total == 0 {
		total = -1 // not known
	}
	bar := progressbar.NewOptions(total, progressbar.OptionSetWriter(s.terminal), progressbar.OptionSetWidth(20), progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(false))
	bar.StartWithoutRender()
	return bar
}

// Ended implements progress.Listener.
func (s *screen) Ended(p *progress.Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	s.phases = dropped(s.phases, p)
	if len(s.phases) == 0 && s.stop != nil {
		close(s.stop)
		s.stop = nil
	}
}

// dropped takes a phase out of a list.
func dropped(phases []shownPhase, ended *progress.Phase) []shownPhase {
	if i := slices.IndexFunc(phases, func(p shownPhase) bool { return p.Phase == ended }); i >= 0 {
		return slices.Delete(phases, i, i+1)
	}
	return phases
}

// draw shows the last phase until it is stopped.
func (s *screen) draw(stop <-chan struct{}) {
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			s.show()
		}
	}
}

func (s *screen) show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.final || len(s.phases) == 0 || time.Since(s.since) < drawAfter {
		return
	}
	now := &s.phases[len(s.phases)-1]
	done, total, _ := now.State()
	counted := total > 0 && done < total
	if counted && now.bar.GetMax() != total {
		now.bar.ChangeMax(total)
	}
	left := now.left()
	now.bar.Describe(clip(description(s.phases), mostDescribed-len(left)) + left)
	if counted {
		_ = now.bar.Set(done)
	}
}

// left says how long a phase still takes; "" while that is not known.
func (p *shownPhase) left() string {
	done, total, _ := p.State()
	elapsed := time.Since(p.began)
	if done != p.done {
		p.done, p.took = done, elapsed
	}
	if rest := restOf(done, total, p.took, elapsed); done < total && rest >= time.Second {
		return ", " + rest.Round(time.Second).String() + " left"
	}
	return ""
}

// restOf is how long a phase still takes if every other step takes as long as those done, which took some of the time elapsed. It is
// 0 where that is a guess, and where the steps in hand take longer: then nothing is known of the rest.
func restOf(done, total int, took, elapsed time.Duration) time.Duration {
	if done == 0 || done*foretold < total || elapsed < time.Second {
		return 0
	}
	whole := time.Duration(float64(took) * float64(total) / float64(done))
	return max(0, whole-elapsed)
}

// description names the innermost phase. Of the phases around it, it gives only the progress.
func description(phases []shownPhase) string {
	text, last := "", len(phases)-1
	for i, p := range phases {
		done, total, note := p.State()
		var parts []string
		if i == last {
			parts = append(parts, escape.Line(p.Name))
		}
		if total > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d", min(done, total), total))
		} else if i == last && done > 0 {
			parts = append(parts, fmt.Sprint(done))
		}
		if i == last && note != "" {
			parts = append(parts, note)
		}
		if i < last && len(parts) > 0 {
			parts = append(parts, "")
		}
		text += strings.Join(parts, ", ")
	}
	return text
}

// clip shortens a line.
func clip(text string, most int) string {
	characters := []rune(text)
	if len(characters) <= most {
		return text
	}
	return string(characters[:most-1]) + "…"
}

// wipe removes the line. The lock is held.
func (s *screen) wipe() {
	if len(s.phases) > 0 {
		_ = s.phases[len(s.phases)-1].bar.Clear()
	}
}

// Write writes to the terminal above the line.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	return s.terminal.Write(text)
}

// results is standard output on a terminal that shows a line, too: the line
// goes when there are results, and comes back when something else begins.
type results struct {
	*os.File
	screen *screen
}

// Write implements io.Writer.
func (r results) Write(text []byte) (int, error) {
	r.screen.mu.Lock()
	defer r.screen.mu.Unlock()
	if !r.screen.final {
		r.screen.wipe()
		r.screen.final = true
	}
	return r.File.Write(text)
}

// streams returns the writers of a verb, and the listener of its phases.
func streams(stdout, stderr *os.File) (out, errors io.Writer, listener progress.Listener) {
	s := newScreen(stderr)
	if s == nil {
		return stdout, stderr, nil
	}
	if !isatty.IsTerminal(stdout.Fd()) {
		return stdout, s, s
	}
	return results{stdout, s}, s, s
}
