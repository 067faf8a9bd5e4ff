// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/firmware/collective/allgather"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
)

// oneChannelForm is the half-duplex, one-channel form of a row.
type oneChannelForm struct {
	algorithm    stages.OneChannelAlgorithm // "": there is none
	ofAnotherRow bool                       // another row has the same form: auto leaves this one out, and where the form does not run the row keeps its own
}

// hasOneChannelForm tells whether an algorithm takes its half-duplex, one-channel form for a job.
func (a *Algorithm) hasOneChannelForm(j *plan.Job) bool {
	f := a.oneChannel
	return f.algorithm != "" && allgather.OneChannel(j) && j.Colours == 0 && (!f.ofAnotherRow || f.algorithm.RunsOn(len(j.Topology.Dims)))
}

// isOther tells an algorithm that a job makes the same as another of the table.
func (a *Algorithm) isOther(j *plan.Job) bool {
	return a.hasOneChannelForm(j) && a.oneChannel.ofAnotherRow
}

// through returns the form of an algorithm for the machine of a job.
func (a Algorithm) through(j *plan.Job) Algorithm {
	if !a.hasOneChannelForm(j) {
		return a
	}
	a.On, a.runsOn = "paths, rings, meshes, tori, hypercubes", onGrid
	form := a.oneChannel.algorithm
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
// one-channel form alone.
func (a *Algorithm) onlyInOneChannel() []Option {
	if a.oneChannel.algorithm == "" {
		return nil
	}
	return slices.DeleteFunc(oneChannelOptions(a.oneChannel.algorithm), func(o Option) bool { return slices.ContainsFunc(a.options, o.is) })
}
