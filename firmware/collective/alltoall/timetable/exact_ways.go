// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// possible is a shortest route of a message, and its images, which leave at the same time.
type possible struct {
	message int
	images  []image
}

// image is a route from a node to another.
type image struct {
	source, destination router.NodeID
	links               []int32
}

// listWays lists all shortest routes of all messages, but for those that are images of others. It reports false where a map is none of the network, or takes a
// node to one whose messages have another length.
func (q *question) listWays() bool {
	for _, m := range q.maps {
		for n, to := range m {
			if q.lengths[n] != q.lengths[to] {
				return false
			}
		}
	}
	distance := distances(q.space)
	for from := range router.NodeID(q.t.Nodes()) {
		for to := range router.NodeID(q.t.Nodes()) {
			if from == to || q.lengths[from] == 0 {
				continue
			}
			maps := q.maps[:1]
			if q.maps.apart(from, to) {
				maps = q.maps
			}
			if maps.isImage(from, to) {
				continue
			}
			w := waysOf{q, maps, from, to, distance}
			if !w.walk(from, nil) {
				return false
			}
			q.messages++
		}
	}
	return true
}

// waysOf lists the shortest routes of a message with its images.
type waysOf struct {
	*question
	maps     symmetry
	from, to router.NodeID
	distance [][]uint16
}

// walk lists the routes that begin with links, which lead to a node. It reports false where a link has no image.
func (w *waysOf) walk(at router.NodeID, links []int32) bool {
	if at == w.to {
		way := possible{message: w.messages}
		for _, m := range w.maps {
			i, ok := w.imageOf(m, w.from, w.to, links)
			if !ok {
				return false
			}
			way.images = append(way.images, i)
		}
		w.ways = append(w.ways, way)
		return true
	}
	for i := w.space.base[at]; i < w.space.base[at+1]; i++ {
		next := w.space.links[i].To
		if w.distance[next][w.to]+1 == w.distance[at][w.to] && !w.walk(next, append(links, i)) {
			return false
		}
	}
	return true
}

// imageOf maps a route. It reports false where a link has no image.
func (q *question) imageOf(m []router.NodeID, from, to router.NodeID, links []int32) (image, bool) {
	i := image{source: m[from], destination: m[to]}
	for _, link := range links {
		l := &q.space.links[link]
		k := int(link)
		if m[l.From] != l.From || m[l.To] != l.To {
			k = slices.IndexFunc(q.space.links, func(o topology.Link) bool { return o.From == m[l.From] && o.To == m[l.To] })
		}
		if k < 0 {
			return i, false
		}
		i.links = append(i.links, int32(k))
	}
	return i, true
}
