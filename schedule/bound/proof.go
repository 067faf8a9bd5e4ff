// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"slices"

	"meshwright/router"
)

// Proven is a time that no schedule beats, and the argument that shows it.
type Proven struct {
	Cycles router.Cycle
	Proof  Proof // "" if there is nothing to do

	each [len(proofs)]router.Cycle // the largest time that each argument has shown by itself, in the order of proofs; 0: none
}

// Argument is a time that no schedule beats, as one argument shows.
type Argument struct {
	Cycles router.Cycle
	Proof  Proof
}

// Arguments lists what the arguments show, the largest time first: Cycles and Proof. Of other arguments with equal times the first in the list of [Proofs] comes first.
//
// A time is what its argument shows by itself, without the others. Some functions look only for times above the largest one so far. Where they find none, they show nothing, so that their argument
// may be missing, or have less than it could show.
func (p Proven) Arguments() []Argument {
	if p.Proof == "" {
		return nil
	}
	list := []Argument{{p.Cycles, p.Proof}}
	for i, time := range p.each {
		if time > 0 && proofs[i] != p.Proof {
			list = append(list, Argument{time, proofs[i]})
		}
	}
	slices.SortStableFunc(list[1:], func(a, b Argument) int { return cmp.Compare(b.Cycles, a.Cycles) })
	return list
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

var proofs = [...]Proof{ByDistance, ByGrowth, ByCut, ByPort, ByDuplex, ByStartups, BySlots, ByLinks, ByTrees, ByFlow, ByVolume, ByAllGather, ByPackets, ByNeed}

// Proofs lists all arguments.
func Proofs() []Proof { return slices.Clone(proofs[:]) }

// OfPackets is a bound that looks at the packets of machines that switch them.
func OfPackets(time router.Cycle) (p Proven) {
	p.raise(time, ByPackets)
	return p
}

// raise takes a time that an argument shows by itself; 0 shows nothing. The bound is the largest.
func (p *Proven) raise(time router.Cycle, by Proof) {
	if time <= 0 {
		return
	}
	i := slices.Index(proofs[:], by)
	p.each[i] = max(p.each[i], time)
	if time > p.Cycles {
		p.Cycles, p.Proof = time, by
	}
}

// exceed is raise for a function that looks for times above the bound. It returns the bound if it finds none, which shows nothing.
func (p *Proven) exceed(time router.Cycle, by Proof) {
	if time > p.Cycles {
		p.raise(time, by)
	}
}

// Include takes all that another bound of the same job shows.
func (p *Proven) Include(other Proven) {
	for i, time := range other.each {
		p.each[i] = max(p.each[i], time)
	}
	if other.Cycles > p.Cycles {
		p.Cycles, p.Proof = other.Cycles, other.Proof
	}
}
