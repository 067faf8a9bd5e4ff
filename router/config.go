// SPDX-License-Identifier: Apache-2.0

package router

// Config describes the chips of a bank and how they are joined. It is fixed during a run.
type Config struct {
	PortBase   []int32 // link ports of chip n: PortBase[n] to PortBase[n+1]
	Peer       []int32 // the port at the other end of each port's link, -1 where unconnected
	CrossesRim []bool  // ports whose outgoing link closes a ring; nil where there is no dateline or one virtual channel
	Routing    Routing // chooses output ports
	VCs        int     // virtual channels per link port
	Classes    int     // a head takes any free virtual channel of a link whose number modulo Classes is that of its own; 0: it keeps its number
	Buffer     int     // flits per link port and virtual channel
	PerLink    bool    // one NIC channel per link port instead of one per chip
	SinglePort bool    // one flit sent and one received per chip and cycle
	HalfDuplex bool    // a PE does not send and receive in the same cycle
	Hop        int     // cycles a flit needs from chip to chip
	Flit       int     // cycles a flit occupies a link, and an ejection channel
	Hops       []uint8 // by link port, of its outgoing link; nil: Hop. Only worms
	Flits      []uint8 // by link port, no less than Flit; nil: Flit. Only worms
	Claims     bool    // a claim takes a cycle: the flits of a worm cross from the next one on
	Bufferless bool    // a flit that cannot move on is a collision
	Faulty     bool    // links may lose worms, see Lose
	Gaps       bool    // a flit of a worm may be placed later than in the first cycle in which its register is empty, see Refill

	// Packet switching: one virtual channel, full duplex, hop 1; a single port and
	// one NIC channel, or all ports and a NIC channel per link port.
	Packet     int   // flits of the largest packet; 0: flits are switched, not packets
	CutThrough bool  // a packet goes on when its head has come, not only when its tail has
	Setup      Cycle // cycles on every link before a packet's first flit
}
