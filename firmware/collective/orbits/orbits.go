// SPDX-License-Identifier: Apache-2.0

// Package orbits knows what messages use that symmetries of a network bring to one another, and that all go at the same time. The calendars (package booking) of what they use are brought to one another, too: one for each class stands for
// all, so that booking one message books all.
package orbits

import (
	"meshwright/fabric/booking"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// Uses is what a message uses, and all messages to which symmetries bring it.
type Uses struct {
	Links int
	Most  int   // pieces of a message, see Limit; with more, two of the messages meet
	uses  []use // of a message without words
}

// use is that of calendars by their numbers, see booking.Use.
type use struct {
	calendar, enters int32
	at, long         router.Cycle
}

// Add adds what a message without words uses: so many messages do that symmetries bring to one another, together each calendar of a class as often.
func (w *Uses) Add(uses []booking.Use, c *Classes, messages int) {
	for _, x := range uses {
		calendar, enters := c.Number(x.Calendar), c.Number(entered(&x))
		for range messages / int(c.sizes[calendar]) {
			w.uses = append(w.uses, use{calendar, enters, x.At, x.Long})
		}
	}
}

// Limit finds out how many pieces of so many words a message has, up to a number.
func (w *Uses) Limit(model timing.Model, words, most int) {
	for room := w.room(); w.Most < most && model.Work((w.Most+1)*words)-model.Work(0) <= room; {
		w.Most++
	}
}

// room returns by how many cycles longer the messages of a route may be without meeting one another; negative if they meet in any case.
func (w *Uses) room() router.Cycle {
	room := router.Cycle(1) << 40
	for i := range w.uses {
		for j := range w.uses {
			a, b := &w.uses[i], &w.uses[j]
			if i == j || a.calendar != b.enters {
				continue
			}
			if a.at <= b.at { // a ends first, or they meet
				room = min(room, b.at-a.at-a.long)
			} else {
				room = min(room, a.at-b.at-b.long)
			}
		}
	}
	return room
}

// AppendUses adds to a list what a message of so many words uses, of the calendars of all classes.
func (w *Uses) AppendUses(list []booking.Use, calendars []booking.Calendar, model timing.Model, words int) []booking.Use {
	longer := model.Work(words) - model.Work(0)
	for i := range w.uses {
		u := &w.uses[i]
		x := booking.Use{Calendar: &calendars[u.calendar], At: u.at, Long: u.long + longer}
		if u.enters != u.calendar {
			x.Enters = &calendars[u.enters]
		}
		list = append(list, x)
	}
	return list
}

// entered is the calendar in which a use is entered.
func entered(u *booking.Use) *booking.Calendar {
	if u.Enters != nil {
		return u.Enters
	}
	return u.Calendar
}
