// SPDX-License-Identifier: Apache-2.0

package loader

import (
	"meshwright/fabric/machine"
	"meshwright/internal/input"
)

// valid refuses a job whose slices do not fit its topology.
func (j *Job) valid() error {
	if j == nil {
		return input.Errorf("expected programs and a network", "no job")
	}
	if err := j.Topology.Valid(); err != nil {
		return err
	}
	if err := j.Machine.Valid(); err != nil {
		return err
	}
	if r := j.Machine.Routing; r.Reorders() {
		return input.Errorf("expected dor, yx, o1turn, valiant, table or source", "routing %s: programs take messages in the order of sending, and there they may overtake one another", r)
	}
	if m, err := j.Machine.Resolve(j.Topology); err == nil && m.Reorders(j.Topology) {
		return input.Errorf("expected lane", "%s %s with vcs %d: programs take messages in the order of sending, and there they may overtake one another", machine.ChoiceKey, m.Choice, m.VCs)
	}
	nodes := j.Topology.Nodes()
	if len(j.Runs) != nodes {
		return input.Errorf("expected one for each node: an index in Programs, or pe.Nothing", "Runs has %d programs for %d nodes", len(j.Runs), nodes)
	}
	for _, images := range []Images{j.Memory, j.Expected} {
		if images != nil && len(images) != nodes {
			return input.Errorf("expected one for each node, or none", "%d memories for %d nodes", len(images), nodes)
		}
		for _, img := range images {
			if img == nil {
				continue
			}
			if err := img.Fits(j.Machine.Elements()); err != nil {
				return err
			}
		}
	}
	if j.Words < 0 {
		return input.Errorf("expected at least 0", "memories of %d words", j.Words)
	}
	return nil
}
