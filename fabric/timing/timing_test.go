// SPDX-License-Identifier: Apache-2.0

package timing_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// The startup of the next message may fit into the time of the last flit.
func TestChannelsRestWhenTheStartupIsLong(t *testing.T) {
	for _, row := range []struct {
		name                  string
		startup, flit         int
		rest, hold, drain     router.Cycle // hold and drain: of three flits
		dispatch, next, after router.Cycle // first flit of three messages handed over as early as can be
	}{
		{"no startup", 0, 1, 0, 3, 3, 0, 3, 6},
		{"startup 1 below flit", 2, 3, 0, 9, 9, 2, 11, 20},
		{"startup far below flit", 0, 4, 0, 12, 15, 0, 12, 24},
		{"startup is flit", 3, 3, 1, 10, 9, 3, 13, 23},
		{"startup 1 above flit", 4, 3, 2, 11, 9, 4, 15, 26},
		{"startup far above flit", 50, 1, 50, 53, 3, 50, 103, 156},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := machine.Machine{Switching: machine.Wormhole, Startup: row.startup, Flit: row.flit, Hop: 1}
			model := timing.Of(&m)
			require.Equal(t, row.rest, model.Rest())
			require.Equal(t, row.hold, model.Hold(3))
			require.Equal(t, row.drain, model.Drain(3))
			var c timing.Channel
			for i, want := range []router.Cycle{row.dispatch, row.next, row.after} {
				handed, last := model.Hand(&c, 0, 3)
				require.Equal(t, want, last-2*model.Flit, "message %d", i)
				require.Equal(t, last+1, c.Free)
				require.Equal(t, last+model.Flit, c.Ready)
				require.GreaterOrEqual(t, last-2*model.Flit, handed+model.Startup)
			}
			require.Equal(t, row.next-row.dispatch, model.Hold(3), "what holds the channel")
		})
	}
}

func TestTimesOfAMessage(t *testing.T) {
	for _, row := range []struct {
		switching       machine.Switching
		links, flits    int
		transfer, whole router.Cycle
	}{
		{machine.Wormhole, 1, 1, 2 + 3, 5 + 2 + 3 - 1},
		{machine.Wormhole, 4, 1, 8 + 3, 5 + 8 + 3 - 1},
		{machine.Bufferless, 4, 10, 8 + 30, 5 + 8 + 30 - 1},
		{machine.StoreForward, 1, 10, 30, 35},
		{machine.StoreForward, 4, 10, 120, 125},
		{machine.CutThrough, 4, 10, 12 + 27, 44},
	} {
		t.Run(fmt.Sprint(row), func(t *testing.T) {
			m := machine.Machine{Switching: row.switching, Startup: 5, Flit: 3, Hop: 2}
			model := timing.Of(&m)
			require.Equal(t, row.transfer, model.Transfer(row.links, row.flits))
			require.Equal(t, row.whole, model.UntilWhole(row.links, row.flits))
			require.Equal(t, router.Cycle(3*row.flits), model.Work(row.flits))
		})
	}
}

// Messages of which each waits for the one before take the sum of their times.
func TestChainsAddUp(t *testing.T) {
	m := machine.Machine{Switching: machine.Wormhole, Startup: 7, Flit: 2, Hop: 3}
	model := timing.Of(&m)
	require.Equal(t, model.UntilWhole(1, 4)+model.UntilWhole(3, 1)+model.UntilWhole(2, 9), model.Chain(3, 14, 6))
	require.Zero(t, model.Chain(0, 0, 0))
}

// Messages over several channels of a single port follow one another, and none is
// handed over long before it can leave.
func TestASinglePortIsShared(t *testing.T) {
	m := machine.Machine{Switching: machine.Wormhole, Startup: 10, Flit: 2, Hop: 1, Ports: machine.SinglePort, Channels: machine.Links}
	nic := timing.NewInterface(&m, 3)
	for channel, want := range [][2]router.Cycle{{0, 10 + 2*3}, {8, 18 + 2*3}, {16, 26 + 2*3}} {
		handed, last := nic.Hand(channel, 0, 4)
		require.Equal(t, want, [2]router.Cycle{handed, last})
	}
	require.Equal(t, router.Cycle(26+2*4), nic.Ready())
	m.Ports = machine.AllPort
	nic = timing.NewInterface(&m, 2)
	for channel := range 2 {
		handed, last := nic.Hand(channel, 0, 4)
		require.Equal(t, [2]router.Cycle{0, 10 + 2*3}, [2]router.Cycle{handed, last}, "ports do not wait for one another")
	}
}

func TestIndependentLinks(t *testing.T) {
	for _, row := range []struct {
		channels int
		ports    machine.Regime
		want     bool
	}{
		{machine.Links, machine.AllPort, true},
		{machine.Links, "", true}, // the default
		{machine.Links, machine.SinglePort, false},
		{1, machine.AllPort, false},
		{1, machine.SinglePort, false},
	} {
		m := machine.Machine{Channels: row.channels, Ports: row.ports}
		require.Equal(t, row.want, timing.IndependentLinks(&m), row)
	}
	require.False(t, timing.IndependentLinks(nil))
}

func TestChannelsOfALinkPort(t *testing.T) {
	one, links := machine.Machine{Channels: 1}, machine.Machine{Channels: machine.Links}
	require.Equal(t, []int{1, 4}, []int{timing.Channels(&one, 4), timing.Channels(&links, 4)})
	require.Equal(t, []int{0, 3}, []int{timing.ChannelOf(&one, 3), timing.ChannelOf(&links, 3)})
}
