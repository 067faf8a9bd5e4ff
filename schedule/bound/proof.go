// SPDX-License-Identifier: Apache-2.0

package bound

import "meshwright/router"

// Proven is a time that no schedule beats, and the argument that shows it.
type Proven struct {
	Cycles router.Cycle
	Proof  Proof // "" if there is nothing to do
}

// Proof names an argument, which the comments of the functions give. docs/bounds.md has the names in a table.
type Proof string

// The arguments of all bounds.
const (
	ByDistance  Proof = "words and distance"
	ByGrowth    Proof = "growth"
	ByCut       Proof = "cut"
	ByPort      Proof = "single port"
	ByDuplex    Proof = "half duplex"
	ByStartups  Proof = "startups and words"
	BySlots     Proof = "slots" // see GossipSlots
	ByLinks     Proof = "links"
	ByTrees     Proof = "trees"
	ByFlow      Proof = "flow"
	ByVolume    Proof = "volume"
	ByAllGather Proof = "reversed all-gather"
	ByPackets   Proof = "packets"
	ByNeed      Proof = "data needed" // of an algorithm of a file
)

// Proofs lists all arguments.
func Proofs() []Proof {
	return []Proof{ByDistance, ByGrowth, ByCut, ByPort, ByDuplex, ByStartups, BySlots, ByLinks, ByTrees, ByFlow, ByVolume, ByAllGather, ByPackets, ByNeed}
}

// raise takes a larger time.
func (p *Proven) raise(time router.Cycle, by Proof) {
	if time > p.Cycles {
		*p = Proven{time, by}
	}
}
