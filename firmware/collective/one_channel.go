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
	a.options = oneChannelOptions(form)
	a.plan = allgather.OneChannelPlan(form)
	return a
}

// oneChannelOptions are the options of a half-duplex, one-channel form.
func oneChannelOptions(form stages.OneChannelAlgorithm) []Option {
	options := []Option{syncOption}
	if form.HasBridgeheads() {
		options = append(options, bridgeheadsOption, roundStepsOption)
	}
	if starts := form.Starts(); starts != nil {
		start := startOption
		start.Values = starts
		options = append(options, start)
	}
	return options
}

// onlyInOneChannel are the options that an algorithm has in its half-duplex,
// one-channel form alone; cubgos has that of two dimensions.
func (a *Algorithm) onlyInOneChannel() []Option {
	form := stages.OneChannelAlgorithm(a.Name)
	if a.Name == "cubgos" {
		form = stages.Torgos
	}
	if a.Collective != plan.Gossip || !slices.Contains(stages.OneChannelAlgorithms(), form) {
		return nil
	}
	return slices.DeleteFunc(oneChannelOptions(form), func(o Option) bool { return slices.ContainsFunc(a.options, o.is) })
}
