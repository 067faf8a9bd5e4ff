// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// The buffer in which a flit waits is that of the link that leads there, as the verb deadlock names it.
func TestWaitingChannelsAreThoseOfLinks(t *testing.T) {
	for _, spec := range []string{"ring:6", "mesh:3x2", "torus:3x3", "star:3", "binary:3"} {
		at, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, link := range at.Links() {
			locked := &router.Deadlock{Chain: []router.Wait{{Node: link.To, Port: link.ToPort, VC: 1, Message: 7, For: router.ForRoom}}}
			text, err := json.Marshal(newWaitingChannels(at, fmt.Errorf("a run: %w", locked)))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf(`[{"node":%d,"port":%d,"vc":1,"to":%d,"message":7,"waits_for":"room"}]`, link.From, link.FromPort, link.To), string(text), spec)
		}
	}
}

// An injection channel has no link; errors that are no deadlocks have no cycle.
func TestWaitingInjectionChannels(t *testing.T) {
	at, err := topology.Parse("ring:4")
	require.NoError(t, err)
	locked := &router.Deadlock{Chain: []router.Wait{
		{Node: 2, Port: router.NoPort, Channel: 0, Message: 3, For: router.ForClaim}, {Node: 1, Port: router.NoPort, Channel: 1, Message: 4, For: router.ForTurn},
	}}
	text, err := json.Marshal(newWaitingChannels(at, locked))
	require.NoError(t, err)
	require.Equal(t, `[{"node":2,"injection_channel":0,"message":3,"waits_for":"output"},{"node":1,"injection_channel":1,"message":4,"waits_for":"turn"}]`, string(text))
	require.Nil(t, newWaitingChannels(at, errors.New("no deadlock")))
	require.Nil(t, newWaitingChannels(at, nil))
}
