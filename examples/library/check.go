// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// timetable has two messages that want the link from node 2 to node 3 at the same time.
const timetable = `message,source,destination,flits,dispatch
1,0,3,4,0
2,2,4,2,3
`

// checkSchedule checks a timetable without a simulation, and prints the collisions.
func checkSchedule(ctx context.Context) error {
	path, err := topology.Parse("path:5")
	if err != nil {
		return err
	}
	bufferless, err := machine.Preset("bufferless")
	if err != nil {
		return err
	}
	table, err := schedule.Parse("timetable.csv", strings.NewReader(timetable))
	if err != nil {
		return err
	}
	report, err := check.Check(table, path, bufferless, check.Under(ctx))
	if err != nil {
		return err
	}
	fmt.Printf("collisions: %d\n", report.Collisions)
	for _, c := range report.First {
		fmt.Printf("cycle %d, %s at node %d: messages %d and %d; a delay of message %d by %d clears it\n",
			c.Cycle, c.Conflict, c.Node, c.First, c.Second, c.Second, c.Delay)
	}
	return nil
}
