// SPDX-License-Identifier: Apache-2.0

package point_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study/point"
)

// A point replays a trace: a packet that is alone takes its distance and its flits. The identity of the point has the content of the file.
func TestTraceOfAPoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.csv")
	settings := point.Settings{"topology": "mesh:4x4", "pattern": "trace:" + file}
	var ids []point.ID
	for _, row := range []struct {
		text             string
		latency, offered float64
	}{
		{"0,0,5,4\n", 2 + 4, 4. / 6},
		{"0,0,15,3\n100,15,0,3\n", 6 + 3, 6. / 2 / 109},
	} {
		require.NoError(t, os.WriteFile(file, []byte(row.text), 0o600))
		var r point.Runner
		figures, err := r.Run(t.Context(), settings, point.Load)
		require.NoError(t, err)
		require.Equal(t, row.latency, figures["packet_latency.mean"].Number)
		require.Equal(t, row.latency, figures["packet_latency.max"].Number)
		require.InDelta(t, row.offered, figures["offered"].Number, 1e-9)
		require.Equal(t, figures["offered"], figures["accepted"])
		require.Equal(t, 1., figures["stable"].Number)
		id, err := r.Identify(settings, point.Load, "")
		require.NoError(t, err)
		ids = append(ids, id)
	}
	require.NotEqual(t, ids[0], ids[1])
}

// A trace that is none for the network is an error of the point.
func TestBadTraceOfAPoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.csv")
	require.NoError(t, os.WriteFile(file, []byte("0,0,5,4\n"), 0o600))
	var r point.Runner
	_, err := r.Run(t.Context(), point.Settings{"topology": "path:4", "pattern": "trace:" + file}, point.Load)
	require.EqualError(t, err, file+":1: \"5\" is not a node (expected 0 to 3)")
}
