// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"context"
	"slices"
)

// Overseer is asked between the cycles of Run. It may look at the network, attach and detach monitors, hold the run, and end it
// with an error.
type Overseer interface {
	Between(ctx context.Context, n *Network) error
}

// Oversee puts a run under an overseer; nil takes it away. Without one, Run pays a comparison for each cycle.
func (n *Network) Oversee(o Overseer) { n.overseer = o }

// Detach takes a monitor off the clock, between cycles. A component that sends, or that others depend on, must stay.
func (n *Network) Detach(c Component) {
	at := slices.IndexFunc(n.parts, func(p Component) bool { return p == c })
	if at < 0 {
		return
	}
	n.parts = slices.Delete(n.parts, at, at+1)
	n.fly.forbidden, n.watched = false, false
	for _, p := range n.parts {
		if _, ok := p.(Messenger); !ok {
			n.fly.forbidden = true
		}
		if _, ok := p.(Sender); !ok {
			n.watched = true
		}
	}
}

// Sent returns the number of messages that have been sent.
func (n *Network) Sent() int { return int(n.nic.serial) }
