// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Crowded is a run in which a link's buffer held more than the largest packet.
// It never has to: with packets passed on first come first served, a scatter
// (Tsai, theorem 6) and a gather that is well timed (theorem 20) need no more.
type Crowded struct {
	Node          router.NodeID
	Port          router.Port
	Flits, Packet int // most that were held; the largest packet
}

// Error names the buffer.
func (c *Crowded) Error() string {
	return fmt.Sprintf("%s in the buffer of node %d, port %d: more than the largest packet, which has %s",
		input.Count(c.Flits, "flit"), c.Node, c.Port, input.Count(c.Packet, "flit"))
}

// crowded asserts Tsai's theorems 6 and 20, which are about single ports, on a run.
func crowded(p *plan.Plan, m *fabric.Meter) error {
	if p.MayCrowd || !p.Machine.PacketSwitched() || p.Machine.Ports != machine.SinglePort || m.MaxBufferFlits <= p.Machine.LargestPacket() {
		return nil
	}
	return &Crowded{m.Fullest, m.FullestPort, m.MaxBufferFlits, p.Machine.LargestPacket()}
}
