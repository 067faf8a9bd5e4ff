// SPDX-License-Identifier: Apache-2.0

package sampled

import (
	"math/bits"
	"slices"

	"meshwright/firmware/collective/worth"
	"meshwright/router"
)

// offer is a receiver that a node could help.
type offer struct {
	to    int32
	score float64
	words int // about
}

// draw draws receivers that a node could help: as many in its neighbourhood as anywhere, or all that lack something if they are few.
func (s *spread) draw(u int32) {
	s.offers = s.offers[:0]
	if len(s.open) <= 2*s.draws {
		for _, v := range s.open {
			s.offer(u, v)
		}
		return
	}
	near := s.network.near[int(u)*s.each:][:s.each]
	for range s.draws {
		s.offer(u, near[s.random.IntN(len(near))])
		s.offer(u, s.open[s.random.IntN(len(s.open))])
	}
}

// offer enters a receiver, if the node could help it. What helps most is most worth for its time; among equals it helps the node that lacks most.
func (s *spread) offer(u, v int32) {
	s.work += 2
	if u == v || s.lacking[v] == 0 || slices.ContainsFunc(s.offers, func(o offer) bool { return o.to == v }) {
		return
	}
	words, score := 0, 0.
	if s.worth != nil {
		score, _, words = s.best(u, v)
	} else if words = s.useful(u, v); words > 0 {
		score = 1.
		if s.pull > 0 && s.closest[v] > 0 {
			score += float64(s.pull) * s.nearer(v)
		}
		score *= float64(words) / float64(s.time(u, v, words))
	}
	if words == 0 || s.waits(v, words, score) {
		return
	}
	score *= 1 + 1e-3*float64(s.lacking[v])/float64(len(s.words)+1)
	s.offers = append(s.offers, offer{v, score, words})
}

// waits reports whether a message should wait for more words: it is worth too little for its time, and does not bring all that the receiver lacks.
func (s *spread) waits(v int32, words int, score float64) bool {
	return s.patience > 0 && s.hasty < s.now && words < s.most && words < int(s.lacking[v])*s.usual && score*float64(s.model.Flit) < s.patience
}

// best returns what the best message is worth, the level of its pieces, and its words.
func (s *spread) best(u, v int32) (gain float64, level, words int) {
	s.work += len(s.held[u]) / 2
	return s.worth.Best(worth.Offer{
		To: v, Held: s.held[u], Promised: s.promised[v], Words: s.usual, Most: s.most,
		Time: func(words int) router.Cycle { return s.time(u, v, words) },
	})
}

// useful counts the words that a node can send and another lacks, up to the most of a message.
func (s *spread) useful(u, v int32) (words int) {
	held, promised := s.held[u], s.promised[v]
	s.work += len(held) / 4
	for i, h := range held {
		if f := h &^ promised[i]; f != 0 {
			if words += bits.OnesCount64(f) * s.usual; words >= s.most {
				return s.most
			}
		}
	}
	return words
}

// looked is at how many nodes nearer looks.
const looked = 32

// nearer estimates by how many links the nodes that have nothing come nearer to a node with something, on the average of all nodes, if one more gets something.
func (s *spread) nearer(v int32) float64 {
	row, links := s.distance[int(v)*s.nodes:][:s.nodes], 0
	s.work += looked
	for range looked {
		w := s.random.IntN(s.nodes)
		links += max(0, int(s.closest[w])-int(row[w]))
	}
	return float64(links) / looked
}

// time is the time that counts for a message.
func (s *spread) time(u, v int32, words int) router.Cycle {
	links := int(s.distance[int(u)*s.nodes+int(v)])
	time := s.model.UntilWhole(links, words) + 1
	if s.local {
		time += router.Cycle(links-1) * s.model.Work(words)
	}
	return time
}

// choose chooses the pieces of a message. If not all may go, those go first that are worth most, and then those that few nodes have.
func (s *spread) choose(u, v int32) (list []int32) {
	level, words := 0, 0
	if s.worth != nil {
		_, level, _ = s.best(u, v)
	}
	for i, h := range s.held[u] {
		f := h &^ s.promised[v][i]
		if s.worth != nil {
			f &= s.worth.Beyond(level, v)[i]
		}
		for ; f != 0; f &= f - 1 {
			list = append(list, int32(i<<6+bits.TrailingZeros64(f)))
		}
	}
	if s.size(list) <= s.most {
		return list
	}
	s.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortStableFunc(list, func(a, b int32) int {
		if s.worth != nil {
			if nearer := s.worth.Nearest(v, b) - s.worth.Nearest(v, a); nearer != 0 {
				return nearer
			}
		}
		return int(s.copies[a] - s.copies[b])
	})
	for i, p := range list {
		if words += int(s.words[p]); i > 0 && words > s.most {
			list = list[:i]
			break
		}
	}
	slices.Sort(list)
	return list
}
