// SPDX-License-Identifier: Apache-2.0

package orbits_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/orbits"
	"meshwright/router"
)

// All nodes of a ring send to the right, over so many links: a message may be as long as the links behind its first one let it.
func TestMessagesDoNotMeetThoseOfOtherNodes(t *testing.T) {
	ring, err := topology.Parse("ring:8")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Hop, m.Buffer = 5, 16
	for _, row := range []struct{ links, most int }{{1, 100}, {2, 5}, {3, 5}} { // the next link is used a hop later, when the own message must be past it
		book, c := booking.NewStalling(ring, m, false), orbits.NewClasses()
		uses := func(u router.NodeID) []booking.Use {
			return book.Uses(u, make([]router.Port, row.links), 0)
		}
		require.False(t, c.Knows(uses(0)))
		for u := range router.NodeID(8) {
			c.Join(uses(0), uses(u))
		}
		require.True(t, c.Knows(uses(3)))
		calendars := make([]booking.Calendar, c.Count())
		w := orbits.Uses{Links: row.links}
		w.Add(uses(0), c, 8)
		w.Limit(timing.Stalling(&m), 1, 100)
		require.Equal(t, row.most, w.Most, "%d links", row.links)
		require.Len(t, w.AppendUses(nil, calendars, timing.Stalling(&m), 3), len(uses(0)))
	}
}
