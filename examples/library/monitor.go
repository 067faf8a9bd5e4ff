// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/router"
)

// linkMonitor is a component of the clock that counts the flits on one link.
type linkMonitor struct {
	from        router.NodeID
	port        router.Port // of from: where the link begins
	flits       int
	first, last router.Cycle // in which flits crossed the link
}

// Evaluate implements fabric.Component: a monitor sends nothing.
func (m *linkMonitor) Evaluate(fabric.Signals) {}

// Update implements fabric.Component: it runs when all links of the cycle are decided.
func (m *linkMonitor) Update(s fabric.Signals) {
	for offer := range s.Offers() {
		if offer.Node != m.from || offer.Port != m.port || !offer.Fired {
			continue
		}
		if m.flits == 0 {
			m.first = s.Now()
		}
		m.last = s.Now()
		m.flits++
	}
}

// Wakes implements fabric.Sleeper: the clock may skip cycles in which nothing moves.
func (m *linkMonitor) Wakes() router.Cycle { return fabric.Never }

// watchLink attaches a monitor to the run of a scatter.
func watchLink(ctx context.Context) error {
	path, err := topology.Parse("path:6")
	if err != nil {
		return err
	}
	wormhole, err := machine.Preset("wormhole")
	if err != nil {
		return err
	}
	plan, err := collective.Generate(ctx, "scatter", "furthest-first", collective.Job{
		Topology: path, Machine: wormhole, Root: 0, Lengths: slices.Repeat([]int{4}, path.Nodes()),
	})
	if err != nil {
		return err
	}
	monitor := &linkMonitor{from: 2}
	monitor.port, _ = path.PortTo(2, 3)
	_, err = collective.Execute(ctx, plan, func(n *fabric.Network) error {
		n.Attach(monitor)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Printf("link 2>3: %d flits in cycles %d to %d\n", monitor.flits, monitor.first, monitor.last)
	return nil
}
