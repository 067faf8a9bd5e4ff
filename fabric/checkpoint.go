// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"context"
	"errors"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/internal/snapshot"
	"meshwright/internal/teardown"
	"meshwright/router"
)

// A checkpoint is the state of a network and of all its components between two
// cycles. Package snapshot walks the structs: wiring, configuration and scratch
// space have the tag snapshot, and all other fields are state. The wiring is
// rebuilt from the job, so a checkpoint belongs to the job that wrote it: its header
// has the digest of the network before the first cycle.

// Fact is something that a user knows about a job, such as its topology.
type Fact struct{ Name, Value string }

// Checkpoints saves a run in a file, from which another process goes on.
type Checkpoints struct {
	net    *Network
	header snapshot.Header
	path   string
	every  router.Cycle // ticks; Never: only when the context ends
	next   router.Cycle // the first tick in which the next one is due
	err    error        // of a file that could not be written

	// Interrupted is called when the state of a run that its context has ended is in the file, before a signal may end the process; nil: nothing is.
	Interrupted func()
}

// Unsaved is the error of a run that ended because a checkpoint could not be written.
type Unsaved struct{ Err error }

// Error is the cause's.
func (u *Unsaved) Error() string { return u.Err.Error() }

// Unwrap returns the cause.
func (u *Unsaved) Unwrap() error { return u.Err }

// NewCheckpoints prepares a network for Keep and Restore. Call it when all components
// are attached, before the first cycle. The version is the program's, and the facts are
// what an error names, besides topology and machine, when a checkpoint is of another job. The error,
// when a component has a state that cannot be kept, is an *input.Error.
func NewCheckpoints(n *Network, version string, facts ...Fact) (*Checkpoints, error) {
	facts = append(facts, Fact{Name: "--topology", Value: n.Topology.String()})
	for _, k := range machine.Keys() {
		facts = append(facts, Fact{Name: "--" + k.Name, Value: k.Get(&n.Machine)})
	}
	if list := n.Machine.Faults; list != nil {
		facts = append(facts, Fact{Name: "--faults", Value: list.String()})
	}
	c := &Checkpoints{net: n, header: snapshot.Header{Version: version}}
	for _, fact := range facts {
		c.header.Facts = append(c.header.Facts, snapshot.Fact(fact))
	}
	var err error
	c.header.Start, err = snapshot.Of(n)
	return c, err
}

// Restore puts the network into the state that a file has. After an error, an
// *input.Error, the network is of no use.
func (c *Checkpoints) Restore(path string) error {
	return snapshot.ReadFile(path, &c.header, c.net)
}

// Keep makes Run save the state every so many cycles, 0 for never, and when its context ends. Each
// checkpoint replaces the file as a whole.
func (c *Checkpoints) Keep(path string, every router.Cycle) {
	c.path, c.every = path, Never
	if ticks := router.Cycle(c.net.Machine.Ticks()); every > 0 && every < Never/ticks {
		c.every = every * ticks
	}
	c.schedule()
	c.net.saves = c
}

// schedule sets the time of the next checkpoint: a multiple of the interval.
func (c *Checkpoints) schedule() {
	c.next = Never
	if k := c.net.Now() / c.every; k < Never/c.every {
		c.next = (k + 1) * c.every
	}
}

// save writes a checkpoint. A signal to end waits for it.
func (c *Checkpoints) save() error {
	defer teardown.Process.Hold()()
	return c.write()
}

func (c *Checkpoints) write() error {
	c.schedule()
	if c.net.fly.on {
		c.net.ground(false)
	}
	if err := snapshot.WriteFile(c.path, &c.header, c.net); err != nil {
		c.err = &Unsaved{err}
	}
	return c.err
}

// saveDue writes a checkpoint if it is time for one.
func (n *Network) saveDue() error {
	if c := n.saves; c != nil && n.bank.Now() >= c.next {
		return c.save()
	}
	return nil
}

// saveLast writes the checkpoint of a run that ends early, and returns why it does.
func (n *Network) saveLast(cause error) error {
	c := n.saves
	if c == nil {
		return cause
	}
	defer teardown.Process.Hold()()
	if err := c.write(); err != nil {
		return err
	}
	if c.Interrupted != nil {
		c.Interrupted()
	}
	return cause
}

// Stopped returns why a run ended from outside: the context's error, an *Unsaved, or the *input.Error of
// a machine that cannot carry a message's header; nil when the run ended by itself.
func (n *Network) Stopped(ctx context.Context) error {
	if n.saves != nil && n.saves.err != nil {
		return n.saves.err
	}
	if bad := (*input.Error)(nil); errors.As(n.fault, &bad) {
		return bad
	}
	return ctx.Err()
}
