// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
)

// Lack is something that an algorithm needs and a machine does not have.
type Lack struct {
	What  string   // is wrong, as said behind the algorithm's name
	Wants []string // keys of the machine with the values that would do; none: it has it
}

// Lacking refuses a machine that lacks something; nil if it lacks nothing. The error says what is wrong first, and expects all that is missing, or what would
// do instead, "" if nothing.
func Lacking(algorithm, instead string, lacks ...Lack) error {
	what, wants := "", []string(nil)
	for _, l := range lacks {
		if len(l.Wants) > 0 && what == "" {
			what = l.What
		}
		wants = append(wants, l.Wants...)
	}
	if len(wants) == 0 {
		return nil
	}
	want := "expected " + input.And(wants)
	if instead != "" {
		want += ", or " + instead
	}
	return input.Errorf(want, "%s %s", algorithm, what)
}

// OwnLinks is what a machine lacks on which every link of a PE works by itself.
func (t *Task) OwnLinks() Lack {
	l := Lack{What: "needs a machine on which every link works by itself"}
	if !t.IndependentLinks() {
		l.Wants = []string{"ports all", "nic.channels links"}
	}
	return l
}

// RequireSteps wants a machine whose messages of neighbours do not delay one another: the links of a PE work by themselves, both ways, and at the full rate.
func (t *Task) RequireSteps(algorithm string) error {
	m := &t.Machine
	both, rate := Lack{What: "with nic.duplex half"}, Lack{}
	if m.Duplex == machine.Half {
		both.Wants = []string{"nic.duplex full"}
	}
	if m.Switching == machine.Wormhole && !m.FullRate() {
		rate = Lack{"with " + m.SlowRate(), m.FullRateKeys()}
	}
	return Lacking(algorithm, "", t.OwnLinks(), both, rate)
}

// UnitTimes are what a machine without buffers lacks on which all times of flits are one cycle, and that of a message is its flits.
func (t *Task) UnitTimes() []Lack {
	m := &t.Machine
	const on = "on a bufferless machine with "
	var header, times Lack
	if m.HeaderFlits() > 0 {
		header = Lack{on + fmt.Sprintf("header %s", m.Header), []string{"header wires"}}
	}
	if m.Startup != 0 || m.Hop != 1 || m.Flit != 1 || m.Duplex != machine.Full {
		times = Lack{on + fmt.Sprintf("startup %d, hop %d, flit %d, nic.duplex %s", m.Startup, m.Hop, m.Flit, m.Duplex), []string{"startup 0", "hop 1", "flit 1", "nic.duplex full"}}
	}
	return []Lack{header, times}
}
