// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/stages"
)

// The paper's example of a ring between its two simple approaches.
func ExampleChoose() {
	t, err := topology.Parse("ring:1024")
	if err != nil {
		panic(err)
	}
	m, err := machine.Preset("wormhole")
	if err != nil {
		panic(err)
	}
	m.Channels, m.Startup = machine.Links, 10000
	c, err := stages.Choose(t, m, 1000) // blocks of a tenth of a startup
	if err != nil {
		panic(err)
	}
	for _, x := range []stages.Candidate{c.Approach1, c.Approach2, c.Bridgeheads, c.Best} {
		fmt.Println(x, x.Predicted/1000)
	}
	fmt.Println("bound", c.Bound/1000)
	// Output:
	// approach1 7821
	// approach2 5632
	// circgos(57,91) 1820
	// strides(64·16 16·1; 4 buckets) 1081
	// bound 940
}
