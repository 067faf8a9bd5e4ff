// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/progress"
)

// Generate plans the collective that answers to a name; a search for a good plan may take
// some time. An algorithm "" is auto: the fastest of all that fit the job; "greedy,rounds" is the fastest of
// these, as auto is with the job's Among. Errors are *input.Error, *memory.TooLarge when the
// context has a limit and the plan needs more, or the context's.
func Generate(ctx context.Context, collective, algorithm string, j plan.Job) (*plan.Plan, error) {
	if err := valid(&j); err != nil {
		return nil, err
	}
	names, err := Named(collective, algorithm)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 1:
		algorithm = names[0]
	case len(names) > 1:
		algorithm, j.Among = auto, names
	}
	faults := j.Machine.Faults // those that a plan does not know are met only by the run: times are predicted without them
	left, err := survivors(collective, &j)
	if err != nil {
		return nil, err
	}
	j.Machine.Faults = nil
	if own := j.Machine.OwnTable(); own != nil {
		if err := own.Direct(j.Topology); err != nil {
			return nil, err
		}
	}
	shaped := j.Topology
	if left == nil && shapeless(&j) {
		j.Topology = shaped.WithoutShape()
	}
	a, err := find(collective, algorithm, &j, left)
	if err == nil && left != nil {
		a, err = a.forSurvivors(algorithm, &j)
	}
	if err != nil {
		return nil, err
	}
	if err := a.refuses(&j); err != nil {
		return nil, err
	}
	defer progress.Begin(ctx, fmt.Sprintf("plan %s %s on %s", a.Collective, a.Name, j.Topology), 0).End()
	kind, err := plan.KindOf(a.Collective)
	if err != nil {
		return nil, err
	}
	t, err := newTask(ctx, j, kind, left)
	if err != nil {
		return nil, err
	}
	if j.Topology != shaped {
		if err := t.BoundOn(shaped); err != nil {
			return nil, err
		}
	}
	defer t.StartSearch()()
	p, err := planned(t, a.plan)
	if err != nil {
		return nil, err
	}
	if p.Topology == j.Topology { // the same nodes, ports and links
		p.Topology = shaped
	}
	p.Collective, p.Machine.Faults = a.Collective, faults
	p.ShowUncombined()
	t.ShowSurvivors(p)
	if p.Algorithm == "" { // auto tells what it chose
		p.Algorithm = a.Name
	}
	if inCopies(p) {
		if err := p.RequireRoutes(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// shapeless reports whether plans are to use nothing but the links of a network: routes by tables do not follow the dimensions of a grid.
func shapeless(j *plan.Job) bool {
	t := j.Topology
	return t.IsGrid() && j.Machine.Tabled() || (t.Star() != nil || t.Twisted() != nil) && j.Machine.OwnTable() != nil
}

// planned makes the plan of a task. A search that finds nothing within the limit of the job refuses it.
func planned(t *plan.Task, by func(*plan.Task) (*plan.Plan, error)) (*plan.Plan, error) {
	p, err := by(t)
	switch late := t.Search.Err(); {
	case t.Ctx.Err() != nil:
		return nil, cmp.Or(err, t.Ctx.Err()) // a search that was cut short has a plan, too
	case late != nil && errors.Is(err, late):
		return nil, input.Errorf("expected a higher limit", "no plan found within %s", t.Limit)
	case err != nil:
		return nil, err
	}
	p.WithoutStartups()
	if p.Machine.Links != nil {
		p.Facts = slices.DeleteFunc(p.Facts, func(f plan.Fact) bool { return f.Alike })
	}
	return p, p.FitsHeaders()
}

// find returns the algorithm of a name, "" for the default, of the collective
// that answers to the other, in its form for a job. Algorithms that plan around known faults have to run on
// what these leave, all others on the whole network.
func find(collective, name string, j *plan.Job, left *topology.Survivors) (Algorithm, error) {
	kind, err := plan.KindOf(collective)
	if err != nil {
		return Algorithm{}, err
	}
	collective = kind.Name
	var known []string
	var switchings []machine.Switching // of those that run on the topology
	for _, a := range table() {
		if a.Collective != collective {
			continue
		}
		t := j.Topology
		if left != nil && a.around != 0 {
			t = left.Topology
		}
		known = append(known, a.Name)
		named := a.Name == name || slices.Contains(a.Aliases, name)
		if named {
			a = a.through(j)
		}
		switch {
		case named && !a.runsOn(t):
			return a, a.wrongTopology(name, t, &j.Machine)
		case named && !a.Switches(j.Machine.Switching):
			return a, a.wrongSwitching(j.Machine.Switching)
		case named || name == "" && a.runsOn(t) && a.Switches(j.Machine.Switching):
			return a.through(j), nil
		case a.runsOn(t):
			switchings = append(switchings, a.Switchings...)
		}
	}
	switch {
	case name == "" && len(switchings) > 0:
		slices.Sort(switchings)
		return Algorithm{}, noSwitching("no "+collective+" runs", j.Machine.Switching, slices.Compact(switchings))
	case name == "":
		return Algorithm{}, input.Errorf("its algorithms are "+strings.Join(known, ", "), "no %s runs on %s", collective, j.Topology)
	}
	return Algorithm{}, unknownAlgorithm(collective, name, known)
}

// wrongTopology refuses a network on which an algorithm, as the user names it, does not run.
func (a *Algorithm) wrongTopology(name string, t *topology.Topology, m *machine.Machine) error {
	if t.Kind == topology.Shapeless {
		return input.Errorf("expected dor, yx, table or source", "%s %s does not run on %s with routing %s, which follows no dimensions", a.Collective, name, t, m.RoutingName())
	}
	return input.Errorf("expected a topology of: "+a.On, "%s %s does not run on %s", a.Collective, name, t)
}
