// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/schedule"
)

func ExampleCheckSchedule() {
	path, _ := topology.Parse("path:3")
	wormhole, _ := machine.Preset("wormhole")
	table, _ := schedule.Parse("chain.csv", strings.NewReader("message,source,destination,flits,dispatch,route,blocks\n1,0,1,4,0,,0\n2,1,2,4,3,,0\n"))
	c, err := collective.CheckSchedule(context.Background(), table, path, wormhole, collective.Meant{Collective: "broadcast", Root: 0, Length: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("collisions", c.Worms.Collisions, "cycles", c.Cycles, "lower bound", c.LowerBound)
	for _, v := range c.Flow.First {
		fmt.Println(c.Flow.Text(v))
	}
	// Output:
	// collisions 0 cycles 8 lower bound 6
	// chain.csv:3: message 2: node 1 sends block 0 in cycle 3, but gets it only in cycle 4
}

func TestCheckSchedule(t *testing.T) {
	const chain = "1,0,1,4,0,,0\n2,1,2,4,4,,0\n"
	broadcast := collective.Meant{Collective: "bcast", Length: 4}
	for _, row := range []struct {
		name, machine, text string
		settings            []string
		meant               collective.Meant
		ok                  bool
		cycles, bound       int
		ratio               float64
		err                 string
	}{
		{name: "a broadcast, with buffers that are not looked at", machine: "wormhole", text: chain, settings: []string{"buffer=8"}, meant: broadcast, ok: true, cycles: 9, bound: 6, ratio: 1.5},
		{name: "not meant to be anything", machine: "wormhole", text: chain, ok: true, cycles: 9, bound: 5, ratio: 1.8},
		{name: "a collision", machine: "wormhole", text: "1,0,2,4,0,,0\n2,0,1,4,1,,0\n", meant: broadcast, cycles: 6, bound: 6},
		{name: "too early", machine: "bufferless", text: strings.Replace(chain, "4,4,", "4,3,", 1), settings: []string{"ports=all"}, meant: broadcast, cycles: 8, bound: 6},
		{name: "packets", machine: "store-forward", text: strings.Replace(chain, "4,4,", "4,20,", 1), settings: []string{"setup=3/2"}, meant: broadcast, ok: true, cycles: 31, bound: 18, ratio: 31. / 18},
		{name: "a slip", machine: "wormhole", text: chain, meant: collective.Meant{Collective: "brodcast", Length: 4}, err: `unknown collective "brodcast" (did you mean broadcast?)`},
		{name: "no length", machine: "wormhole", text: chain, meant: collective.Meant{Collective: "gossip"}, err: "blocks of 0 flits (expected 1 to 1073741824)"},
		{name: "no such root", machine: "wormhole", text: chain, meant: collective.Meant{Collective: "reduce", Root: 3, Length: 4}, err: "root 3 is not a node (expected 0 to 2)"},
		{name: "no blocks", machine: "wormhole", text: "1,0,1,4,0\n", meant: broadcast, err: "s.csv: nothing says what the messages carry (expected a column blocks: the nodes whose blocks a message carries, such as 0-3+7)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path, err := topology.Parse("path:3")
			require.NoError(t, err)
			m, err := machine.Preset(row.machine)
			require.NoError(t, err)
			for _, setting := range row.settings {
				key, value, _ := strings.Cut(setting, "=")
				require.NoError(t, m.Set(key, value))
			}
			s, err := schedule.Parse("s.csv", strings.NewReader(row.text))
			require.NoError(t, err)
			c, err := collective.CheckSchedule(t.Context(), s, path, m, row.meant)
			if row.err != "" {
				require.EqualError(t, err, row.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.ok, c.OK)
			require.Equal(t, row.cycles, int(c.Cycles))
			require.Equal(t, row.bound, int(c.LowerBound))
			require.InDelta(t, row.ratio, c.Ratio, 1e-12)
			require.Equal(t, row.meant.Collective == "", c.Flow == nil)
			require.Equal(t, m.PacketSwitched(), c.Worms == nil)
			if row.ok && c.Flow != nil { // a run says the same
				r, err := schedule.Execute(t.Context(), s, path, m)
				require.NoError(t, err)
				f, err := collective.FollowRun(t.Context(), s, r, row.meant)
				require.NoError(t, err)
				require.True(t, f.OK)
				require.Equal(t, c.Flow.Bound, f.Bound)
			}
		})
	}
}

// The blocks of a run are those of its schedule.
func TestFollowRunRefuses(t *testing.T) {
	path, err := topology.Parse("path:3")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	s, err := schedule.Parse("s.csv", strings.NewReader("1,0,1,4,0,,0\n2,1,2,4,4,,0\n"))
	require.NoError(t, err)
	r, err := schedule.Execute(t.Context(), s, path, m)
	require.NoError(t, err)
	meant := collective.Meant{Collective: "broadcast", Length: 4}
	_, err = collective.FollowRun(t.Context(), s, nil, meant)
	require.EqualError(t, err, "no run (expected one that schedule.Execute has made)")
	_, err = collective.FollowRun(t.Context(), &schedule.Schedule{Rows: s.Rows[:1]}, r, meant)
	require.EqualError(t, err, "2 times of a run for 1 message (expected the run of this schedule)")
}
