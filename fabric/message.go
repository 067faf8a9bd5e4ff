// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"errors"
	"fmt"
	"math"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// ErrBusy is the error of a Send whose channel has a message already; send
// again when Signals.Freed names the channel.
var ErrBusy = errors.New("the injection channel is busy")

// BadMessage is the error of a Send that the network cannot carry out: a node
// that does not exist, a route that does not lead to the destination. It ends
// the run, as TooLong does: Run returns it, too.
type BadMessage struct {
	Message Message
	What    string
	Cycle   router.Cycle
}

// Error names both ends of the message, the cycle and the fault.
func (b *BadMessage) Error() string {
	return fmt.Sprintf("message from %d to %d in cycle %d: %s", b.Message.Source, b.Message.Destination, b.Cycle, b.What)
}

// flitsOf returns the number of flits of data of a message: its words, or Length without words.
func (n *Network) flitsOf(m *Message) int {
	if m.Words != nil {
		return (len(m.Words) + n.nic.elements - 1) / n.nic.elements
	}
	return m.Length
}

// refuse returns the error that ends the run when a component sends a message, or nil if the
// network takes the message.
func (n *Network) refuse(m *Message) error {
	if n.plain(m) {
		return nil
	}
	if what := n.wrong(m); what != "" {
		refused := *m
		refused.Words = nil // they are the sender's
		return &BadMessage{Message: refused, What: what, Cycle: n.bank.Now()}
	}
	if largest := n.Machine.Packet; largest > 0 && n.flitsOf(m) > largest {
		return &TooLong{Node: m.Source, Flits: n.flitsOf(m), Largest: largest, Cycle: n.bank.Now()}
	}
	if n.Machine.Header == machine.HeadFlit {
		return n.fitsHeader(m)
	}
	return nil
}

// plain reports whether a message is one of those that most are, of which nothing can be wrong. It is a short cut.
func (n *Network) plain(m *Message) bool {
	nodes := uint(n.Topology.Nodes())
	return uint(m.Source) < nodes && uint(m.Destination) < nodes && m.Source != m.Destination && m.Kind == router.Data &&
		m.Words == nil && m.Length >= 1 && m.Length <= math.MaxInt32 && m.Route == nil && !m.Ordered &&
		n.Machine.Packet == 0 && n.Machine.Header != machine.HeadFlit
}

// wrong describes the fault of a message; "" for a valid message.
func (n *Network) wrong(m *Message) string {
	t := n.Topology
	switch flits := n.flitsOf(m); {
	case !t.Has(m.Source):
		return fmt.Sprintf("the source is not one of the %d nodes", t.Nodes())
	case !t.Has(m.Destination):
		return fmt.Sprintf("the destination is not one of the %d nodes", t.Nodes())
	case m.Source == m.Destination:
		return "a node sends to itself"
	case flits < 1:
		return fmt.Sprintf("%d flits, and a message has at least one", flits)
	case flits > math.MaxInt32:
		return fmt.Sprintf("%d flits, and a message has at most %d", flits, math.MaxInt32)
	case m.Kind > router.Certificate:
		return fmt.Sprintf("unknown kind %d", m.Kind)
	case m.Route != nil:
		return n.wrongRoute(m)
	case m.Ordered && n.Machine.Routing.Reorders():
		return fmt.Sprintf("it is not to be overtaken, and routing %s lets messages overtake one another", n.Machine.Routing)
	case m.Ordered && n.Machine.Reorders(t):
		return fmt.Sprintf("it is not to be overtaken, and %s %s lets messages overtake one another", machine.ChoiceKey, n.Machine.Choice)
	}
	return ""
}

// fitsHeader refuses a message whose header a flit cannot hold: its tag or its route is too large for the width. The
// error is an *input.Error, since the machine is at fault.
func (n *Network) fitsHeader(m *Message) error {
	hops := len(m.Route)
	if m.Route == nil && n.Machine.Routing == machine.Source {
		hops = n.distance(m.Source, m.Destination, new(router.Worm)) // PEs of several workers may send at the same time
	}
	return n.Machine.FitsHeader(n.Topology, m.Tag, hops)
}

// wrongRoute describes the fault of a message's own route; "" for a valid route.
func (n *Network) wrongRoute(m *Message) string {
	if n.Machine.Routing != machine.Source {
		return fmt.Sprintf("a route of its own, and the machine has routing %s", n.Machine.Routing)
	}
	at := m.Source
	for hop, p := range m.Route {
		next := n.Topology.Neighbor(at, p)
		if next == router.None {
			return fmt.Sprintf("hop %d of its route leaves node %d by port %d, which has no link", hop, at, p)
		}
		at = next
	}
	if at != m.Destination {
		return fmt.Sprintf("its route ends at node %d", at)
	}
	return ""
}
