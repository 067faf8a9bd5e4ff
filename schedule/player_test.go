// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

func ExamplePlayer() {
	s, _ := Parse("s.csv", strings.NewReader("7,0,3,2,4\n8,2,3,1,7\n"))
	path, _ := topology.Parse("path:4")
	m, _ := machine.Preset("bufferless")
	net, _ := fabric.New(path, m)
	player, _ := NewPlayer(net, s)
	net.Attach(player)
	net.Run(context.Background(), 1000)
	collisions, count := player.Collisions()
	c := collisions[0]
	fmt.Printf("%d collision: %s, cycle %d, node %d, message %d lost to %d\n", count, c.Conflict, c.Cycle, c.Node, c.Lost, c.Holder)
	// Output: 1 collision: link, cycle 7, node 2, message 8 lost to 7
}

// playOn runs rows and returns the network, with its log, and the player.
func playOn(t *testing.T, spec, preset string, settings string, rows string) (*fabric.Network, *Player) {
	t.Helper()
	top, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for _, s := range strings.Fields(settings) {
		key, value, _ := strings.Cut(s, "=")
		require.NoError(t, m.Set(key, value))
	}
	s, err := Parse("s.csv", strings.NewReader(strings.ReplaceAll(rows, " ", "\n")))
	require.NoError(t, err)
	require.NoError(t, s.Validate(top))
	net, err := fabric.New(top, m)
	require.NoError(t, err)
	net.KeepLog()
	p, err := NewPlayer(net, s)
	require.NoError(t, err)
	net.Attach(p)
	require.NoError(t, net.Run(context.Background(), 1<<20))
	return net, p
}

// The cycles in which messages enter, by number, "-" for those not sent.
func TestPlayerDispatches(t *testing.T) {
	for _, row := range []struct{ name, spec, preset, settings, rows, want string }{
		{"on time", "path:4", "bufferless", "", "1,0,3,2,5 2,3,0,1,0", "2@0 1@5"},
		{"on time after a startup", "path:4", "bufferless", "startup=9", "1,0,3,2,10 2,0,3,1,21", "1@10 2@21"},
		{"tail to head", "path:4", "bufferless", "flit=3", "1,0,3,2,0 2,0,1,1,6", "1@0 2@6"},
		{"file order of equals", "path:4", "wormhole", "", "5,0,3,2,1 4,0,3,1,1 3,0,3,1,0", "3@0 5@1 4@3"},
		{"as soon as the channel is free", "path:4", "wormhole", "", "1,0,3,5,0 2,0,1,1,2 3,0,2,1,3", "1@0 2@5 3@6"},
		{"channels wait apart", "path:4", "wormhole", "", "1,1,3,5,0 2,1,0,1,2 3,1,2,1,3", "1@0 2@2 3@5"},
		{"late startup", "path:4", "wormhole", "startup=4", "1,0,3,5,2 2,0,3,1,3", "1@4 2@13"},
		{"by routes", "mesh:2x2", "wormhole", "routing=source", "1,0,3,2,0,0>2>3 2,0,3,2,1,0>1>3 3,0,3,1,1", "1@0 2@1 3@3"},
		{"cycles skipped", "path:3", "wormhole", "", "1,0,2,1,100000 2,0,2,1,900000", "1@100000 2@900000"},
	} {
		t.Run(row.name, func(t *testing.T) {
			net, p := playOn(t, row.spec, row.preset, row.settings, row.rows)
			var got []string
			for _, sent := range net.Log() {
				number, ok := p.Message(sent.Serial)
				require.True(t, ok)
				require.Equal(t, uint32(number), sent.Tag)
				require.Positive(t, sent.Arrival)
				got = append(got, fmt.Sprintf("%d@%d", number, sent.Dispatch))
			}
			require.Equal(t, row.want, strings.Join(got, " "))
			_, count := p.Collisions()
			require.Zero(t, count)
			require.True(t, p.Finished())
			require.Equal(t, fabric.Never, p.Wakes())
		})
	}
}

func TestPlayerRecordsMessagesThatCannotEnter(t *testing.T) {
	for _, row := range []struct {
		name, settings, rows string
		want                 []router.Collision
	}{
		{"channel busy", "", "1,0,3,2,5 2,0,1,1,6 3,0,1,1,7", []router.Collision{{Cycle: 6, Conflict: InjectionConflict, Port: router.NoPort, Lost: 2, Holder: 1}}},
		{"flit in the register", "flit=3", "1,0,3,2,0 2,0,1,1,5", []router.Collision{{Cycle: 5, Conflict: InjectionConflict, Port: router.NoPort, Lost: 2, Holder: 1}}},
		{"startup after the tail", "startup=4", "1,0,3,2,4 2,0,1,1,9", []router.Collision{{Cycle: 9, Conflict: InjectionConflict, Port: router.NoPort, Lost: 2, Holder: 1}}},
		{"startup before cycle 0", "startup=4", "1,0,3,2,3 2,0,1,1,4", []router.Collision{{Cycle: 3, Conflict: InjectionConflict, Port: router.NoPort, Lost: 1, Holder: -1}}},
		{"with others in order", "", "1,0,3,2,0 2,3,1,1,1 3,0,1,1,1", []router.Collision{
			{Cycle: 1, Conflict: InjectionConflict, Port: router.NoPort, Lost: 3, Holder: 1},
			{Cycle: 1, Node: 2, Conflict: router.ReceiveConflict, Port: router.NoPort, Lost: 2, Holder: 1},
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, p := playOn(t, "path:4", "bufferless", row.settings, row.rows)
			collisions, count := p.Collisions()
			require.Equal(t, len(row.want), count)
			require.Equal(t, row.want, collisions)
		})
	}
}

func TestPlayerNeedsSourceRoutingForRoutes(t *testing.T) {
	path, err := topology.Parse("path:4")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	net, err := fabric.New(path, m)
	require.NoError(t, err)
	s, err := Parse("s.csv", strings.NewReader("1,0,1,1,0,0>1\n"))
	require.NoError(t, err)
	_, err = NewPlayer(net, s)
	require.EqualError(t, err, "rows have routes, the network has routing dor (expected routing source)")
	s.Rows[0].Route = nil
	s.Rows[0].Destination = 9
	_, err = NewPlayer(net, s)
	require.EqualError(t, err, "s.csv:1: message 1: destination 9 (expected a node from 0 to 3)")
	_, err = NewPlayer(nil, s)
	require.EqualError(t, err, "no network (expected one that fabric.New has made)")
	_, err = NewPlayer(net, nil)
	require.EqualError(t, err, "no schedule (expected a schedule)")
}

// In a wormhole network every message arrives, in the order of its channel.
func TestPlayerSendsEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		var rows []string
		for i := range 60 {
			a := r.IntN(9)
			rows = append(rows, fmt.Sprintf("%d,%d,%d,%d,%d", i, a, (a+1+r.IntN(8))%9, 1+r.IntN(5), r.IntN(40)))
		}
		settings := []string{"", "nic.channels=1", "startup=3 ports=single", "flit=2 nic.duplex=half nic.channels=1"}[r.IntN(4)]
		net, p := playOn(t, "mesh:3x3", "wormhole", settings, strings.Join(rows, " "))
		require.Len(t, net.Log(), 60)
		last := map[[2]int32]router.Cycle{}
		for _, sent := range net.Log() {
			number, _ := p.Message(sent.Serial)
			due := p.schedule.Rows[number].Dispatch
			require.GreaterOrEqual(t, sent.Dispatch, due)
			channel := [2]int32{int32(sent.Source), p.channelOf(&p.schedule.Rows[number])}
			require.GreaterOrEqual(t, due, last[channel])
			last[channel] = due
		}
	}
}
