// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

// network is a wormhole network with one channel a node.
func network(tb testing.TB, spec string, vcs int) *fabric.Network {
	tb.Helper()
	t, err := topology.Parse(spec)
	require.NoError(tb, err)
	m, err := machine.Preset("wormhole")
	require.NoError(tb, err)
	m.Channels, m.VCs = 1, vcs
	n, err := fabric.New(t, m)
	require.NoError(tb, err)
	return n
}

// faulty is such a network with the row of a list of faults, or with a rate.
func faulty(tb testing.TB, spec, faults string) *fabric.Network {
	tb.Helper()
	t, err := topology.Parse(spec)
	require.NoError(tb, err)
	m, err := machine.Preset("wormhole")
	require.NoError(tb, err)
	m.Channels = 1
	list := &fault.List{Seed: 1}
	if rate, ok := strings.CutPrefix(faults, "drop:"); ok {
		list.Drop, err = strconv.ParseFloat(rate, 64)
	} else {
		list.Faults, err = fault.ParseFile("faults.csv", []byte(faults))
	}
	require.NoError(tb, err)
	n, err := fabric.New(t, m, fabric.WithFaults(list))
	require.NoError(tb, err)
	return n
}

// load is a Bernoulli load of packets of 8 flits.
func load(tb testing.TB, pattern, spec string, rate float64) *Load {
	tb.Helper()
	t, err := topology.Parse(spec)
	require.NoError(tb, err)
	p, err := ParsePattern(pattern, t)
	require.NoError(tb, err)
	return &Load{Pattern: p, Rate: rate, Requests: sizes(tb, "8"), Seed: 1}
}

func sizes(tb testing.TB, text string) Sizes {
	tb.Helper()
	s, err := ParseSizes(text)
	require.NoError(tb, err)
	return s
}
