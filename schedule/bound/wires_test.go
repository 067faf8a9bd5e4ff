// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
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
