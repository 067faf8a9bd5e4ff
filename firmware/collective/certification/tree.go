// SPDX-License-Identifier: Apache-2.0

package certification

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
)

// AskingTree is certTree for a gather whose root has to ask with tokens and
// orders. With one port that takes broadcasts, and where the tree is free to
// choose, in a graph, it is one that is close to the least time of these
// (Bhatt, Pucci, Ranade, Rosenberg, on porting to general networks).
func AskingTree(t *plan.Task, ports machine.Regime) (*plan.GatherTree, error) {
	if t.Tree == "" && ports != machine.AllPort && t.Topology.Kind == topology.Graph {
		t.RoutingTree = topology.LeastBroadcast(t.Ctx, t.Topology, t.Root)
		return plan.NewGatherTree(t.RoutingTree), t.Ctx.Err()
	}
	return t.GatherTree()
}
