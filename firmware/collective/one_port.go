// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/collective/allgather"
	"meshwright/firmware/plan"
	"slices"

	oneport "meshwright/firmware/gossip"
)

// hasOnePort tells whether an algorithm has such a form for a job.
func (a *Algorithm) hasOnePort(j *plan.Job) bool {
	return a.Collective == plan.Gossip && allgather.OnePort(j) && j.Colours == 0 && slices.Contains(oneport.OnePortNames(), a.onePortName(j))
}

// onePortName names the form: in two dimensions cubgos is torgos.
func (a *Algorithm) onePortName(j *plan.Job) string {
	if a.Name == "cubgos" && onPlane(j.Topology) {
		return oneport.Torgos
	}
	return a.Name
}

// isOther tells an algorithm that a job makes the same as another of the table.
func (a *Algorithm) isOther(j *plan.Job) bool { return a.hasOnePort(j) && a.onePortName(j) != a.Name }

// through returns the form of an algorithm for the machine of a job.
func (a Algorithm) through(j *plan.Job) Algorithm {
	if !a.hasOnePort(j) {
		return a
	}
	a.On, a.runsOn = "paths, rings, meshes, tori, hypercubes", onGrid
	name := a.onePortName(j)
	if name == oneport.Torgos {
		a.On, a.runsOn = "2-D meshes and tori", onPlane
	}
	a.takes = someTokens | aStart
	if oneport.HasBridgeheads(name) {
		a.takes |= factors
	}
	a.plan = func(t *plan.Task) (*plan.Plan, error) { return allgather.OnePortGossip(t, name) }
	return a
}
