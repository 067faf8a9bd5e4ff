// SPDX-License-Identifier: Apache-2.0

package chakra

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the example files")

// trainingStep is the work of a rank in a step of training: four layers backwards, whose gradients are summed
// while the next layer is computed, and the activations of a neighbour.
func trainingStep(rank, ranks uint64) []Node {
	const layers, kilobyte = 4, 1024
	var nodes []Node
	add := func(n Node) uint64 {
		n.ID = uint64(len(nodes))
		nodes = append(nodes, n)
		return n.ID
	}
	send := point(Send, 0, (rank+1)%ranks, 2*kilobyte)
	receive := point(Receive, 0, (rank+ranks-1)%ranks, 2*kilobyte)
	send.Name, receive.Name = "activations", "activations of the neighbour"
	add(send)
	last := add(receive)
	var sums []uint64
	for layer := range uint64(layers) {
		backward := computation(0, 1+layer, last)
		backward.Name = fmt.Sprintf("layer %d backwards", layers-layer)
		last = add(backward)
		sum := collective(0, AllReduce, (layer+1)*4*kilobyte, last)
		sum.Name = fmt.Sprintf("gradients of layer %d", layers-layer)
		sums = append(sums, add(sum))
	}
	update := computation(0, 1, sums...)
	update.Name = "new weights"
	add(update)
	return nodes
}

// The example files are the traces of trainingStep.
func TestExampleFiles(t *testing.T) {
	const ranks = 4
	for rank := range uint64(ranks) {
		path := fmt.Sprintf("../../examples/imports/training-step.%d.et", rank)
		data := write(t, trainingStep(rank, ranks)...)
		if *update {
			require.NoError(t, os.WriteFile(path, data, 0o644))
		}
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, data, kept, "run go test ./formats/chakra -update")
	}
}
