// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// timed runs a script and returns the network and its messages' times.
func timed(t *testing.T, spec, preset, settings string, lines []send) (*fabric.Network, []capture.MessageTimes) {
	t.Helper()
	net := network(t, spec, preset, func(m *machine.Machine) {
		for setting := range strings.FieldsSeq(settings) {
			key, value, _ := strings.Cut(setting, "=")
			require.NoError(t, m.Set(key, value))
		}
	})
	net.KeepLog()
	watch := capture.NewMessageWatch(net)
	net.Attach(watch)
	run(t, net, lines)
	return net, slices.Collect(watch.Times())
}

// rowsOf is the CSV of messages' times, without its header.
func rowsOf(t *testing.T, net *fabric.Network, times []capture.MessageTimes) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, capture.WriteMessages(&text, &net.Machine, slices.Values(times)))
	header, rows, _ := strings.Cut(text.String(), "\n")
	require.Equal(t, "message,source,destination,flits,sent,dispatch,first_arrival,last_arrival,startup,waiting,transfer", header)
	return rows
}

// A message that is alone takes startup and transfer, each by its formula.
func TestTimesOfAMessageThatIsAlone(t *testing.T) {
	for _, row := range []struct{ name, preset, settings, want string }{
		// sent 0; T = startup; d = 3 links, L = 4 flits
		{"wormhole: T + d*hop + L*flit", "wormhole", "", "1,0,3,4,0,0,4,7,0,0,7\n"},
		{"startup", "wormhole", "startup=5", "1,0,3,4,0,5,9,12,5,0,7\n"},
		{"slow hops", "wormhole", "hop=3 startup=5", "1,0,3,4,0,5,15,18,5,0,13\n"},
		{"slow flits", "wormhole", "flit=2", "1,0,3,4,0,0,5,11,0,0,11\n"},
		{"without buffers", "bufferless", "startup=2", "1,0,3,4,0,2,6,9,2,0,7\n"},
		{"stored and forwarded: d*(setup + L*flit)", "store-forward", "packet=4 setup=3/2", "1,0,3,4,0,0,13.5,16.5,0,0,16.5\n"},
		{"stored, thirds", "store-forward", "packet=4 setup=1/3", "1,0,3,4,0,0,10,13,0,0,13\n"},
		{"stored, slow flits", "store-forward", "packet=4 setup=1 flit=2 startup=1", "1,0,3,4,0,1,22,28,1,0,27\n"},
		{"cut through: d*(setup + flit) + (L-1)*flit", "store-forward", "switching=cut-through packet=4 setup=4/3", "1,0,3,4,0,0,7,10,0,0,10\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			net, times := timed(t, "path:4", row.preset, row.settings, []send{data(0, 0, 3, 9, 4)})
			require.Equal(t, row.want, rowsOf(t, net, times))
		})
	}
}

// Two worms want the link from 1 to 2. The one from node 1 has it in cycles 0 to
// 2; the other's head reaches node 1 in cycle 1, and has the link from cycle 3 on.
func TestTimesOfAMessageThatWaits(t *testing.T) {
	net, times := timed(t, "path:3", "wormhole", "", []send{data(0, 1, 2, 0, 3), data(0, 0, 2, 1, 4)})
	require.Equal(t, "1,1,2,3,0,0,2,4,0,0,4\n2,0,2,4,0,0,5,8,0,2,6\n", rowsOf(t, net, times))
	// With one channel a message is handed over when its channel is free: that wait
	// is the PE's. With a startup the channel rests between them.
	net, times = timed(t, "path:3", "wormhole", "nic.channels=1 startup=2", []send{data(0, 0, 1, 0, 3), data(0, 0, 2, 1, 2)})
	require.Equal(t, "1,0,1,3,0,2,4,6,2,0,4\n2,0,2,2,5,7,10,11,2,0,4\n", rowsOf(t, net, times))
}

// Flits that are lost leave times empty.
func TestTimesOfALostMessage(t *testing.T) {
	net, times := timed(t, "path:3", "bufferless", "", []send{data(0, 0, 2, 0, 3), data(2, 1, 2, 1, 2)})
	require.Equal(t, "1,0,2,3,0,0,3,5,0,0,5\n2,1,2,2,2,2,,,0,,\n", rowsOf(t, net, times))
}

// Startup, waiting and transfer sum up to the time from sending to the last
// arrival; nothing waits a negative time; the run ends with the last arrival.
func TestTimesSumUp(t *testing.T) {
	waited := map[string]bool{}
	for _, row := range []struct{ spec, preset, settings string }{
		{"mesh:4x4", "wormhole", ""},
		{"mesh:4x4", "wormhole", "nic.channels=1 nic.duplex=half buffer=1 startup=3"},
		{"torus:4x4", "wormhole", "hop=3 flit=2 startup=1 buffer=2"},
		{"hypercube:4", "paragon", "routing=source"},
		{"mesh:4x4", "store-forward", "packet=6 setup=2/3 buffer=2000"},
		{"mesh:4x4", "store-forward", "switching=cut-through packet=6 setup=1/2 startup=2 routing=source"},
		{"debruijn:4", "wormhole", "ports=single nic.channels=1"},
	} {
		t.Run(fmt.Sprint(row), func(t *testing.T) {
			net, times := timed(t, row.spec, row.preset, row.settings, randomScript(16, 200, 6, 60, 3))
			require.Len(t, times, len(net.Log()))
			last, numbers := router.Cycle(0), map[int64]bool{}
			for _, m := range times {
				numbers[m.Message] = true
				model := timing.Of(&net.Machine)
				waiting := m.Last - m.Sent - model.Startup - model.Transfer(m.Links, m.Flits)
				require.GreaterOrEqual(t, waiting, router.Cycle(0), m)
				waited[row.spec+row.preset+row.settings] = waited[row.spec+row.preset+row.settings] || waiting > 0
				require.LessOrEqual(t, m.Sent+model.Startup, m.Dispatch, m)
				require.Less(t, m.Dispatch, m.First, m)
				require.LessOrEqual(t, m.First+router.Cycle(m.Flits-1)*model.Flit, m.Last, m)
				last = max(last, m.Last)
			}
			require.Len(t, numbers, len(times))
			require.Equal(t, net.Quiet(), last)
		})
	}
	require.Len(t, waited, 7)
	require.NotContains(t, slices.Collect(maps.Values(waited)), false, "nothing waited")
}
