// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Two messages on a machine without buffers: the second one is due a cycle too
// early, so that its only flit finds the link taken and is lost.
func ExampleExecute() {
	s, _ := Parse("s.csv", strings.NewReader("1,0,3,4,0\n2,1,3,1,4\n"))
	path, _ := topology.Parse("path:4")
	m, _ := machine.Preset("bufferless")
	for range 2 {
		r, err := Execute(context.Background(), s, path, m)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d cycles, %d collisions, delivered: %t, failure: %v\n", r.Cycles, r.CollisionCount, r.Delivered, r.Failure)
		s.Rows[1].Dispatch++
	}
	// Output:
	// 7 cycles, 1 collisions, delivered: false, failure: message 2 did not arrive
	// 8 cycles, 0 collisions, delivered: true, failure: <nil>
}

func execute(t *testing.T, spec, preset, text string, settings ...string) *Result {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	s, err := Parse("s.csv", strings.NewReader(text))
	require.NoError(t, err)
	r, err := Execute(t.Context(), s, topo, m)
	require.NoError(t, err)
	return r
}

func TestExecuteDeliversEveryWord(t *testing.T) {
	r := execute(t, "path:4", "bufferless", "1,0,3,4,0\n2,1,3,2,5\n")
	require.True(t, r.Delivered)
	require.NoError(t, r.Failure)
	require.EqualValues(t, 9, r.Cycles)
	require.Equal(t, []int{2, 6, 0, 0}, []int{r.Messages, r.Flits, r.CollisionCount, r.Late})
}

func TestExecuteFollowsRoutes(t *testing.T) {
	r := execute(t, "ring:5", "bufferless", "1,0,1,2,0,0>4>3>2>1\n")
	require.True(t, r.Delivered)
	require.EqualValues(t, 6, r.Cycles)
}

func TestExecuteNamesWhatWasLost(t *testing.T) {
	r := execute(t, "path:4", "bufferless", "1,0,3,4,0\n2,1,3,2,3\n")
	require.False(t, r.Delivered)
	require.EqualError(t, r.Failure, "message 2 did not arrive")
	require.EqualValues(t, 3, r.Collisions[0].Cycle)
	require.Equal(t, []int32{2, 1}, []int32{r.Collisions[0].Lost, r.Collisions[0].Holder})
}

func TestExecuteCountsLateMessages(t *testing.T) {
	r := execute(t, "path:4", "wormhole", "1,0,3,4,0\n2,0,3,2,3\n")
	require.True(t, r.Delivered)
	require.Equal(t, 1, r.Late)
	r = execute(t, "path:4", "wormhole", "1,0,3,4,0\n2,0,3,2,4\n")
	require.Zero(t, r.Late)
}

func TestExecuteFindsDeadlock(t *testing.T) {
	var rows strings.Builder
	for n := range 6 {
		fmt.Fprintf(&rows, "%d,%d,%d,20,0\n", n+1, n, (n+3)%6)
	}
	r := execute(t, "ring:6", "wormhole", rows.String(), "vcs", "1")
	var deadlock *router.Deadlock
	require.ErrorAs(t, r.Failure, &deadlock)
	require.True(t, execute(t, "ring:6", "wormhole", rows.String()).Delivered)
}

func TestExecuteRefusesWhatNoMemoryHolds(t *testing.T) {
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	s := &Schedule{File: "s.csv", Rows: []Row{{Message: 4, Destination: 1, Flits: 1<<28 + 1, Line: 3}}}
	require.NoError(t, s.Validate(topo))
	_, err = Execute(t.Context(), s, topo, machine.Machine{})
	require.EqualError(t, err, "s.csv:3: message 4: flits 268435457 (expected at most 268435456 in a run)")
}

// The audit must be able to fail.
func TestAuditFindsWhatIsWrong(t *testing.T) {
	s, err := Parse("s.csv", strings.NewReader("7,0,1,2,0\n8,1,0,1,0\n"))
	require.NoError(t, err)
	player := &Player{schedule: s, rowOf: []int32{0, 1}, mask: 0xff, elements: 1}
	right := appendContent(nil, &s.Rows[0], 1, 0xff)
	for _, row := range []struct {
		name string
		m    fabric.Message
		want string
	}{
		{"right", fabric.Message{Source: 0, Destination: 1, Words: right}, ""},
		{"elsewhere", fabric.Message{Source: 0, Destination: 2, Words: right}, "message 7 arrived at node 2"},
		{"shorter", fabric.Message{Source: 0, Destination: 1, Words: right[:1]}, "message 7 arrived with 1 word"},
		{"a wrong word", fabric.Message{Source: 0, Destination: 1, Words: []uint32{right[0], right[1] ^ 1}}, "message 7 has a wrong word 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := &auditor{player: player, arrived: make([]bool, 2)}
			err := a.take(fabric.Received{Message: row.m})
			if row.want != "" {
				require.EqualError(t, err, row.want)
				return
			}
			require.Nil(t, err)
			require.EqualError(t, a.verdict(s, nil), "message 8 did not arrive")
			require.EqualError(t, a.take(fabric.Received{Message: row.m}), "message 7 arrived twice")
		})
	}
}

func TestContentTellsFlitsApart(t *testing.T) {
	seen := map[uint32]bool{}
	for message := range int32(300) {
		for i := range 30 {
			seen[content(message, i)] = true
		}
	}
	require.Len(t, seen, 300*30)
}
