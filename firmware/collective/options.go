// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"strconv"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/plan"
	"meshwright/schedule/workload"
)

// The options, each declared once. A row of the table that needs another range,
// default or help lists a changed copy.
var (
	orderOption = Option{
		Name: "order", Type: Nodes,
		Help:    "destinations in order of dispatch, or sources in order of arrival, such as 4,5,1; with packets, a node once for each of its packets",
		Default: "the order of the algorithm",
		value:   func(j *Job) string { return nodesText(j.Order) },
		set: func(j *Job, text string) (err error) {
			j.Order, err = workload.ParseNodes(text, j.Topology.Nodes())
			return err
		},
	}
	treeOption = wordOption(Option{
		Name: "tree", Help: "spanning tree along which the messages travel",
		Default: "the tree of the machine's routes; on graphs breadth-first",
	}, plan.TreeNames(), func(j *Job) *string { return &j.Tree })
	treesOption = numberOption(Option{
		Name: "trees", Least: 1, Help: "number of spanning trees",
		Default: "the fastest number",
	}, func(j *Job) *int { return &j.Trees })
	coverOption = wordOption(Option{
		Name: "cover", Help: "construction of the set of trees",
		Default: "the best for the topology",
	}, cover.Names(), func(j *Job) *string { return &j.Cover })
	stepsOption = numberOption(Option{
		Name: "steps", Help: "number of changes that the local search tries",
		Default: "a number that depends on the job alone, some two seconds of work",
	}, func(j *Job) *int { return &j.Steps })
	bridgeheadsOption = numberOption(Option{
		Name: stages.Bridgeheads, Aliases: []string{"a"}, Least: 1, Help: "number of bridgeheads that each bridgehead becomes in a round; a bridgehead collects the blocks around it and exchanges them with other bridgeheads",
		Default: "the best",
	}, func(j *Job) *int { return &j.A })
	roundStepsOption = numberOption(Option{
		Name: stages.RoundSteps, Aliases: []string{"b"}, Least: 1, Help: "number of steps in each round",
		Default: "the best",
	}, func(j *Job) *int { return &j.B })
	coloursOption = numberOption(Option{
		Name: "colours", Least: 1, Help: "number of parts of each block that visit the dimensions in different orders, to use all links at once",
		Default: "the best",
	}, func(j *Job) *int { return &j.Colours })
	partsOption = numberOption(Option{
		Name: "parts", Least: 1, Help: "parts of each message",
		Default: "the best number",
	}, func(j *Job) *int { return &j.Parts })
	syncOption = Option{
		Name: "sync", Type: Truth, Help: "a sender waits for a token of the receiver",
		Default: "false",
		value: func(j *Job) string {
			if !j.Sync {
				return ""
			}
			return "true"
		},
		set: func(j *Job, text string) (err error) {
			j.Sync, err = strconv.ParseBool(text)
			return err
		},
	}
	copiesOption = numberOption(Option{
		Name: "copies", Least: 1, Help: "copies of each message, over trees or routes that have no link in common",
		Default: "1",
	}, func(j *Job) *int { return &j.Copies })
	checksumOption = wordOption(Option{
		Name: "checksum", Help: "checksum of each message: sum is a word with the sum of the others",
		Default: tolerant.NoChecksum,
	}, tolerant.Checksums(), func(j *Job) *string { return &j.Checksum })
	startOption = wordOption(Option{
		Name: "start", Help: "dimension that the blocks visit first; black-white: one half of the nodes begins with rows, the other half with columns; ring: along a ring through all nodes",
		Default: "the first that the algorithm has", On: "wormhole machines with nic.channels 1 and nic.duplex half",
	}, []string{stages.Rows, stages.Columns, stages.BlackWhite, stages.Around}, func(j *Job) *string { return &j.Start })
)

// Options returns all options that algorithms have.
func Options() []Option {
	return []Option{
		orderOption, treeOption, treesOption, coverOption, stepsOption, bridgeheadsOption, roundStepsOption,
		coloursOption, partsOption, syncOption, copiesOption, checksumOption, startOption,
	}
}

// receptionOption is the order of a gather.
func receptionOption() Option {
	o := orderOption
	o.Help = "sources in order of arrival, such as 4,5,1: a node once for each of its packets"
	o.On, o.on = "store-forward and cut-through machines", (*machine.Machine).PacketSwitched
	return o
}
