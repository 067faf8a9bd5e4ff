// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/fabric/machine"
)

// autoDoes describes auto.
const autoDoes = "the fastest of the other algorithms, by prediction or by simulation"

// What rows have in common: switchings, and options with other defaults.
var (
	worms    = []machine.Switching{machine.Bufferless, machine.Wormhole}
	switched = []machine.Switching{machine.StoreForward, machine.CutThrough}
	stored   = switched[:1]
	all      = slices.Concat(worms, switched)

	certificationTree = treeOption.defaulting("the tree of the machine's routes; on graphs least-broadcast")
	vectorTree        = treeOption.defaulting("the tree of the machine's routes, or a faster one where a PE has one channel")
)

func takes(options ...Option) []Option { return options }

func table() []Algorithm {
	return slices.Concat(scatterRows(), gatherRows(), gossipRows(), broadcastRows(), reduceRows(), allreduceRows(), reduceScatterRows(), exchangeRows())
}
