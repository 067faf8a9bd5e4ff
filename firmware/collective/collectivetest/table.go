// SPDX-License-Identifier: Apache-2.0

package collectivetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/nexthop"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// OwnTable is a random table in which neighbours send over the link between them.
func OwnTable(t testing.TB, at *topology.Topology, random *rand.Rand) *nexthop.Table {
	var text strings.Builder
	links := at.Links()
	for to := range router.NodeID(at.Nodes()) {
		arrives := map[router.NodeID]bool{to: true}
		enter := func(l topology.Link) {
			if arrives[l.To] && !arrives[l.From] {
				arrives[l.From] = true
				fmt.Fprintf(&text, "%d,%d,%d\n", l.From, to, l.To)
			}
		}
		for _, l := range links {
			if l.To == to {
				enter(l)
			}
		}
		for len(arrives) < at.Nodes() {
			enter(links[random.IntN(len(links))])
		}
	}
	table, err := nexthop.Parse("own.csv", []byte(text.String()))
	require.NoError(t, err)
	return table
}
