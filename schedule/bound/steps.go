// SPDX-License-Identifier: Apache-2.0

package bound

import "meshwright/fabric/topology/star"

// Steps are two lower bounds of a collective on a machine that counts in steps: store-and-forward,
// all ports at work. In a step each directed link carries one message of unit length; a node sends
// what it had at the start of the step. (Fragopoulou and Akl count so.)
type Steps struct {
	Time          int // steps
	Transmissions int // messages over links, in all steps
}

// Profile counts the nodes of a network by their distance from a node. All nodes have the same
// profile and the same number of links, as in star graphs and hypercubes.
type Profile struct {
	Links int   // of every node
	At    []int // At[k] nodes are k links away
	// Ways[x-1] bounds the links of x routes to a node that have no link in common, summed over all nodes.
	// Where it is not known, it is nil, and a route is as long as the distance.
	Ways []int
}

// StarProfile returns the profile of the star graph of n symbols, n from 2 to 9; the zero value
// beyond.
func StarProfile(n int) Profile {
	g, err := star.New(n)
	if err != nil {
		return Profile{}
	}
	p := Profile{Links: n - 1, At: make([]int, 3*(n-1)/2+1), Ways: make([]int, n-1)}
	eachClass(n, func(v star.Permutation, count int) {
		node := g.Node(v)
		p.At[g.Distance(0, node)] += count
		if node != 0 {
			for i, least := range leastStarWays(g, node) {
				p.Ways[i] += count * least
			}
		}
	})
	return p
}

// maxDimensions bounds hypercubes, so that no bound overflows.
const maxDimensions = 20

// HypercubeProfile returns the profile of the hypercube of d dimensions, d from 0 to 20; the zero
// value beyond. Routes without a common link begin with different links. For a node k links away k of these lead
// nearer; a route that begins with another link is k+2 links long or longer.
func HypercubeProfile(d int) Profile {
	if d < 0 || d > maxDimensions {
		return Profile{}
	}
	p := Profile{Links: d, At: make([]int, d+1), Ways: make([]int, d)}
	for k := range p.At {
		p.At[k] = choose(d, k)
		for x := 1; x <= d && k > 0; x++ {
			p.Ways[x-1] += p.At[k] * (x*k + 2*max(0, x-k))
		}
	}
	return p
}

// choose returns the number of sets of k of n things.
func choose(n, k int) int {
	count := 1
	for i := range k {
		count = count * (n - i) / (i + 1)
	}
	return count
}

// Nodes returns the number of nodes.
func (p Profile) Nodes() int {
	nodes := 0
	for _, count := range p.At {
		nodes += count
	}
	return nodes
}

// Diameter returns the distance of the furthest node.
func (p Profile) Diameter() int { return max(0, len(p.At)-1) }

// Distances returns the sum of the distances of all nodes from one.
func (p Profile) Distances() int {
	sum := 0
	for k, count := range p.At {
		sum += k * count
	}
	return sum
}

// ways returns the least links of so many routes without a common link to every node.
func (p Profile) ways(copies int) int {
	if copies <= len(p.Ways) {
		return p.Ways[copies-1]
	}
	return copies * p.Distances()
}

// maxMessages bounds the messages of a collective in steps.
const maxMessages = 10_000

// possible reports whether there are such numbers of messages and copies: a node has no more routes
// without a common link than links.
func (p Profile) possible(messages, copies int) bool {
	return p.Links > 0 && p.Diameter() > 0 && messages > 0 && messages <= maxMessages && copies > 0 && copies <= p.Links
}

// Broadcast bounds the broadcast of so many messages from a node, when every node has to get each message
// over so many routes that have no link in common (copies 1: a plain broadcast).
//
//   - Time: ceil(messages·copies/links) + diameter - 1. Each message leaves the root by at least
//     copies links. Some message has left by that many links no earlier than in step
//     ceil(messages·copies/links); one of its routes to a furthest node begins with a link
//     that it takes in this step or later, and diameter-1 links are left then.
//   - Transmissions: messages·copies into every node but the root.
func (p Profile) Broadcast(messages, copies int) Steps {
	if !p.possible(messages, copies) {
		return Steps{}
	}
	return Steps{perLink(messages*copies, p.Links) + p.Diameter() - 1, messages * copies * (p.Nodes() - 1)}
}

// Gossip bounds the broadcasts of so many messages from every node at once (multinode broadcast).
//
//   - Time: k-1 + ceil(messages·copies·M(k)/links) for every k, M(k) the nodes at least k links away. Their
//     messages come to a node over its links in step k or later. (Fragopoulou and Akl: k = 1.)
//     No shorter than one Broadcast.
//   - Transmissions: the transmissions of one Broadcast, once for each node.
func (p Profile) Gossip(messages, copies int) Steps {
	one := p.Broadcast(messages, copies)
	if one.Time == 0 {
		return Steps{}
	}
	return Steps{max(one.Time, p.last(messages*copies)), one.Transmissions * p.Nodes()}
}

// Scatter bounds a scatter of so many messages from a node to each other node.
//
//   - Time: the first formula of Gossip. The messages to the nodes at least k links away leave the root
//     no later than k-1 steps before the end.
//   - Transmissions: messages times the links of so many routes to every node that have no link in
//     common; of one route these are the distances.
func (p Profile) Scatter(messages, copies int) Steps {
	if !p.possible(messages, copies) {
		return Steps{}
	}
	return Steps{p.last(messages * copies), messages * p.ways(copies)}
}

// Exchange bounds a scatter from every node at once (total exchange).
//
//   - Transmissions: the transmissions of one Scatter, once for each node.
//   - Time: each of the nodes·links directed links carries one of them in a step. No shorter than one
//     Scatter.
func (p Profile) Exchange(messages, copies int) Steps {
	one := p.Scatter(messages, copies)
	if one.Time == 0 {
		return Steps{}
	}
	return Steps{max(one.Time, perLink(one.Transmissions, p.Links)), one.Transmissions * p.Nodes()}
}

// perLink is the least number of messages over the busiest of so many links.
func perLink(messages, links int) int { return (messages + links - 1) / links }

// last returns the largest of k-1 + ceil(each·M(k)/links).
func (p Profile) last(each int) int {
	best, beyond := 0, 0
	if p.Links == 0 {
		return 0
	}
	for k := p.Diameter(); k > 0; k-- {
		beyond += p.At[k]
		best = max(best, k-1+perLink(each*beyond, p.Links))
	}
	return best
}
