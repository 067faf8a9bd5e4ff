// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective/published"
)

func anywhere(*topology.Topology) bool { return true }

func onGrid(t *topology.Topology) bool { return t.IsGrid() }

func onLine(t *topology.Topology) bool { return len(t.Dims) == 1 }

func onPlane(t *topology.Topology) bool { return len(t.Dims) == 2 }

func onSpace(t *topology.Topology) bool { return len(t.Dims) >= 2 }

// onTorus says that at least two dimensions are rings, and all others have at most two nodes.
func onTorus(t *topology.Topology) bool {
	rings := 0
	for _, wrap := range t.Wrap {
		if wrap {
			rings++
		}
	}
	return rings > 1 && published.OnRings(t)
}

// onMoved says that the network can be moved onto itself, and that the routes of a step of alltoall.Shifts have no common link: hypercubes, complete graphs.
func onMoved(t *topology.Topology) bool {
	return len(t.Dims) > 0 && slices.Max(t.Dims) == 2 || t.IsComplete() && t.Nodes() > 1
}

func onPath(t *topology.Topology) bool { return onLine(t) && !t.Wrap[0] }
