// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/firmware/collective/allgather"
	stages "meshwright/firmware/gossip"
	"meshwright/firmware/plan"
)

// hasOneChannelForm tells whether an algorithm has a half-duplex, one-channel form for a job.
func (a *Algorithm) hasOneChannelForm(j *plan.Job) bool {
	return a.Collective == plan.Gossip && allgather.OneChannel(j) && j.Colours == 0 && slices.Contains(stages.OneChannelAlgorithms(), a.inOneChannel(j))
}

// inOneChannel is the algorithm of the form: in two dimensions cubgos is torgos.
func (a *Algorithm) inOneChannel(j *plan.Job) stages.OneChannelAlgorithm {
	if a.Name == "cubgos" && onPlane(j.Topology) {
		return stages.Torgos
	}
	return stages.OneChannelAlgorithm(a.Name)
}

// isOther tells an algorithm that a job makes the same as another of the table.
func (a *Algorithm) isOther(j *plan.Job) bool {
	return a.hasOneChannelForm(j) && string(a.inOneChannel(j)) != a.Name
}

// through returns the form of an algorithm for the machine of a job.
func (a Algorithm) through(j *plan.Job) Algorithm {
	if !a.hasOneChannelForm(j) {
		return a
	}
	a.On, a.runsOn = "paths, rings, meshes, tori, hypercubes", onGrid
	form := a.inOneChannel(j)
	if form == stages.Torgos {
		a.On, a.runsOn = "2-D meshes and tori", onPlane
	}
	a.takes = someTokens | aStart
	if form.HasBridgeheads() {
		a.takes |= factors
	}
	a.plan = allgather.OneChannelPlan(form)
	return a
}
