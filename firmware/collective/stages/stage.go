// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"cmp"
	"slices"
)

// Move is a message between two places of a line. It carries part Part, of Of parts, of
// the words that Count places from First on (around a ring) held before the stage.
type Move struct {
	Step         int // from 0
	From, To     int
	First, Count int
	Part, Of     int
}

// Gain is the content of a place after a stage: the words that Like held before, but along
// the axis of the line the words of Places.
type Gain struct {
	Place, Like int
	Places      Places
}

// Places is a set of places along an axis.
type Places struct {
	First, Count int // Of = 0: so many from First on, round a ring
	Class, Of    int // Of > 0: those whose class is Class, modulo Of
}

// Stage lists the moves along a line in some steps. A place without a gain keeps its
// words.
type Stage struct {
	Steps int
	Moves []Move // in rising steps
	Gains []Gain
}

// all is the whole line.
func (l Line) all() Places { return Places{Count: l.Size} }

func (s *Stage) add(m Move) {
	s.Moves = append(s.Moves, m)
	s.Steps = max(s.Steps, m.Step+1)
}

func (s *Stage) sort() {
	slices.SortStableFunc(s.Moves, func(a, b Move) int { return cmp.Compare(a.Step, b.Step) })
}

// gain enters that places hold Places from now on.
func (s *Stage) gain(like int, now Places, places ...int) {
	for _, p := range places {
		s.Gains = append(s.Gains, Gain{p, like, now})
	}
}
