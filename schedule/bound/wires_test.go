// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// sender hands one message over.
type sender struct {
	length int
	sent   bool
}

func (s *sender) Evaluate(to fabric.Signals) {
	if !s.sent {
		_, err := to.Send(fabric.Message{Source: 0, Destination: 1, Length: s.length})
		s.sent = err == nil
	}
}
func (s *sender) Update(fabric.Signals) {}
func (s *sender) Finished() bool        { return s.sent }

// One message over one link takes as long as the bound says, whatever the buffers.
func TestWiresAreMetByOneMessage(t *testing.T) {
	stalled := 0
	for _, hop := range []int{1, 4, 9} {
		for flit := 1; flit <= 3; flit++ {
			for buffer := 1; buffer <= 5; buffer++ {
				for _, length := range []int{1, buffer, buffer + 1, 17} {
					topo, err := topology.Parse("path:2")
					require.NoError(t, err)
					m, _ := machine.Preset("wormhole")
					m.Hop, m.Flit, m.Buffer, m.Startup, m.VCs = hop, flit, buffer, 3, 1
					network, err := fabric.New(topo, m)
					require.NoError(t, err)
					network.KeepLog()
					network.Attach(&sender{length: length})
					require.NoError(t, network.Run(context.Background(), 1<<12))
					name := fmt.Sprintf("hop %d, flit %d, buffer %d, %d flits", hop, flit, buffer, length)
					took := network.Log()[0].Arrival
					require.Equal(t, took, Broadcast(topo, m, 0, length).Cycles, name)
					require.Equal(t, took, Gather(topo, m, 0, []int{0, length}).Cycles, name)
					if wiresOf(topo, m).stall > 0 {
						stalled++
					}
				}
			}
		}
	}
	require.Greater(t, stalled, 50)
}

// Where all virtual channels together have room enough, nothing stalls.
func TestWiresOfSeveralVirtualChannels(t *testing.T) {
	for _, row := range []struct {
		spec        string
		buffer, vcs int
		stall       router.Cycle
	}{
		{"path:4", 4, 0, 1}, {"ring:4", 4, 0, 0}, {"ring:4", 2, 0, 1}, {"path:4", 1, 3, 2}, {"path:4", 5, 1, 0},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, _ := machine.Preset("wormhole")
		m.Hop, m.Buffer, m.VCs = 4, row.buffer, row.vcs
		require.Equal(t, row.stall, wiresOf(topo, m).stall, "%+v", row)
	}
}

// No division of flits into messages keeps a channel busy for less. A stall before the last flit of a message passes with the rest behind it.
func TestPausesOfAllDivisions(t *testing.T) {
	paused, met := 0, 0
	for startup := range 7 {
		for hop := 1; hop <= 7; hop += 3 {
			for flit := 1; flit <= 3; flit++ {
				for buffer := 1; buffer <= 4; buffer++ {
					m, _ := machine.Preset("wormhole")
					m.Startup, m.Hop, m.Flit, m.Buffer = startup, hop, flit, buffer
					model := timing.Stalling(&m)
					rested := []router.Cycle{0} // by flits, with the rest behind the last message
					for n := 1; n <= 20; n++ {
						best, more := router.Cycle(1<<20), router.Cycle(1<<20)
						for x := 1; x <= n; x++ {
							whole, rest := rested[n-x]+model.Flits(1, x), model.Rest()
							if x > 1 && x%buffer == 1%buffer {
								rest -= min(rest, model.Stall())
							}
							best, more = min(best, whole), min(more, whole+rest)
						}
						rested = append(rested, more)
						found := pausesOf(m).time(router.Cycle(n))
						require.LessOrEqual(t, found, best, "startup %d, hop %d, flit %d, buffer %d, %d flits", startup, hop, flit, buffer, n)
						if found == best {
							met++
						}
					}
					if pausesOf(m).stall > 0 {
						paused++
					}
				}
			}
		}
	}
	require.Greater(t, paused, 30)
	require.Greater(t, met, 1000)
}

// The most messages of a channel with stalls are found as if all numbers were tried.
func TestMostMessagesWithStalls(t *testing.T) {
	for _, startup := range []int{1, 2, 5} {
		for buffer := 1; buffer <= 4; buffer++ {
			m, _ := machine.Preset("wormhole")
			m.Startup, m.Hop, m.Buffer = startup, 6, buffer
			c := &capacity{Model: timingOf(m), pauses: pausesOf(m), flits: 11, senders: []holder{{0, 1}}}
			for cycles := router.Cycle(1); cycles < 150; cycles++ {
				most := router.Cycle(-1)
				room := c.time(c.senders, cycles, c.Rest())
				for messages := router.Cycle(0); messages <= 150; messages++ {
					burst := max(1, c.pauses.burst)
					stalls := max(0, (11+burst-1)/burst-messages)
					if 11*c.Flit+messages*c.Rest()+stalls*c.pauses.stall <= room {
						most = messages
					}
				}
				require.Equal(t, most, c.messages(cycles), "startup %d, buffer %d, %d cycles", startup, buffer, cycles)
			}
		}
	}
}

// With one channel, a startup and buffers that are too small, a channel of 208 flits pauses 41 times. (A scatter takes 264 cycles.)
func TestChannelsThatStallByHand(t *testing.T) {
	topo, err := topology.Parse("complete:14")
	require.NoError(t, err)
	m, _ := machine.Preset("wormhole")
	m.Ports, m.Channels, m.Startup, m.Hop, m.Buffer = machine.SinglePort, 1, 1, 4, 4
	lengths := slices.Repeat([]int{16}, 14)
	for name, bound := range map[string]Proven{"scatter": Scatter(topo, m, 0, lengths), "gossip": Gossip(topo, m, lengths), "exchange": Exchange(topo, m, lengths)} {
		require.Equal(t, Argument{1 + 208 + 41 + 4, ByDistance}, bound.Arguments()[0], name)
	}
}

// All links of a network stall together, and the bound knows it. (Schedules take 240, 121 and 63 cycles.)
func TestLinksOfAnExchangeStall(t *testing.T) {
	for _, row := range []struct {
		buffer     int
		cut, links router.Cycle
	}{{1, 215, 209}, {2, 110, 106}, {4, 57, 56}} {
		topo, err := topology.Parse("debruijn:3")
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Ports, m.Channels, m.Hop, m.Buffer = machine.AllPort, machine.Links, 4, row.buffer
		b := Exchange(topo, m, slices.Repeat([]int{8}, 8))
		require.Equal(t, []Argument{{row.cut, ByCut}, {row.links, ByLinks}}, b.Arguments()[:2], "buffer %d", row.buffer)
	}
}

// A scatter of 46 flits takes 143 cycles: the stalls before the last flits of two messages pass with the rests behind them.
func TestStallsPassWithRests(t *testing.T) {
	m, _ := machine.Preset("wormhole")
	m.Startup, m.Hop, m.Flit, m.Buffer = 3, 5, 2, 2
	require.LessOrEqual(t, 3+pausesOf(m).time(46)+5, router.Cycle(143))
}
