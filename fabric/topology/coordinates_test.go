// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

var grids = []string{"path:1", "path:5", "ring:6", "mesh:4x3", "mesh:1x3x1", "torus:2x3", "torus:4x3x5", "mesh:2x3x4x2", "hypercube:4"}

func numbered(t *testing.T, spec string) *Topology {
	t.Helper()
	topo, err := Parse(spec)
	require.NoError(t, err)
	return topo
}

// Counting through the coordinates, the first dimension fastest, numbers the nodes.
func TestNodesAreNumberedFirstDimensionFastest(t *testing.T) {
	for _, spec := range grids {
		topo := numbered(t, spec)
		position := make([]int, len(topo.Dims))
		for n := range router.NodeID(topo.Nodes()) {
			require.Equal(t, position, topo.Coordinates(n), spec)
			require.Equal(t, n, topo.At(position), spec)
			for d, axis := range topo.Axes() {
				require.Equal(t, position[d], topo.Coordinate(n, d), spec)
				require.Equal(t, position[d], axis.Coordinate(n), spec)
				require.Equal(t, axis, topo.Axis(d))
				require.Equal(t, Axis{topo.Dims[d], axis.Stride, topo.Wrap[d]}, axis)
			}
			for d := range position {
				if position[d]++; position[d] < topo.Dims[d] {
					break
				}
				position[d] = 0
			}
		}
	}
}

func TestMovesChangeOneCoordinate(t *testing.T) {
	for _, spec := range grids {
		topo := numbered(t, spec)
		for n := range router.NodeID(topo.Nodes()) {
			for d, axis := range topo.Axes() {
				for to := range axis.Size {
					want := topo.Coordinates(n)
					want[d] = to
					require.Equal(t, want, topo.Coordinates(axis.Move(n, to)), "%s %d", spec, n)
				}
			}
		}
	}
}

// Behind the two ports of a dimension are the nodes at the next and the last coordinate.
func TestNeighboursAreAtNeighbouringCoordinates(t *testing.T) {
	for _, spec := range grids {
		topo := numbered(t, spec)
		for n := range router.NodeID(topo.Nodes()) {
			for d, axis := range topo.Axes() {
				for direction, step := range []int{+1, -1} {
					to, want := axis.Coordinate(n)+step, router.None
					switch inside := to >= 0 && to < axis.Size; {
					case inside:
						want = axis.Move(n, to)
					case axis.Wrap:
						want = axis.Move(n, (to+axis.Size)%axis.Size)
					}
					require.Equal(t, want, topo.Neighbor(n, router.Port(2*d+direction)), "%s %d", spec, n)
				}
			}
		}
	}
}

func TestWhatHasNoCoordinates(t *testing.T) {
	mesh := numbered(t, "mesh:4x3")
	require.Equal(t, []int{0, 0}, mesh.Coordinates(12))
	require.Zero(t, mesh.Coordinate(-1, 1))
	require.Zero(t, mesh.Coordinate(5, 2))
	require.Zero(t, mesh.Coordinate(5, -1))
	require.Equal(t, Axis{Size: 1, Stride: 1}, mesh.Axis(2))
	for _, position := range [][]int{nil, {0}, {0, 0, 0}, {4, 0}, {0, 3}, {-1, 0}} {
		require.Equal(t, router.None, mesh.At(position), "%v", position)
	}
	hub := numbered(t, "hub:5")
	require.False(t, hub.IsGrid())
	require.Empty(t, hub.Axes())
	require.Empty(t, hub.Coordinates(2))
	require.Zero(t, hub.Coordinate(2, 0))
	require.Equal(t, router.None, hub.At(nil))
}

// The router has a copy of the numbering: its routes go along the lowest dimension in
// which the coordinates differ, one step a hop, the shorter way.
func TestDimensionOrderCountsAsTopologyDoes(t *testing.T) {
	for _, spec := range grids {
		topo := numbered(t, spec)
		routes := router.NewDimensionOrder(topo.Dims, topo.Wrap)
		for from := range router.NodeID(topo.Nodes()) {
			for to := range router.NodeID(topo.Nodes()) {
				at := from
				for d, axis := range topo.Axes() {
					way := axis.Coordinate(to) - axis.Coordinate(from)
					if axis.Wrap {
						way = (way + axis.Size) % axis.Size
						if 2*way > axis.Size {
							way -= axis.Size
						}
					}
					port := router.Port(2 * d)
					if way < 0 {
						port, way = port+1, -way
					}
					for range way {
						require.Equal(t, port, routes.Next(at, &router.Worm{Destination: to}, 0), "%s %d>%d at %d", spec, from, to, at)
						at = topo.Neighbor(at, port)
					}
				}
				require.Equal(t, to, at)
				require.Equal(t, router.Port(router.Here), routes.Next(at, &router.Worm{Destination: to}, 0))
			}
		}
	}
}
