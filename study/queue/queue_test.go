// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/study/point"
	"meshwright/study/queue"
	"meshwright/study/store"
	"meshwright/study/sweep"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"a.example:99": "a.example 99", ":99": "127.0.0.1 99", "99": "127.0.0.1 99", "a.example": "a.example 4222", "[::1]:7": "::1 7", "0": "127.0.0.1 0",
	} {
		host, port, err := queue.ParseAddress(text)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(host, " ", port))
	}
	for _, text := range []string{"a:b", "a b", "a:65536", "http://a:1"} {
		_, _, err := queue.ParseAddress(text)
		require.EqualError(t, err, fmt.Sprintf("%q (expected HOST:PORT)", text))
	}
}

// newServer makes a server of one point.
func newServer(t *testing.T, settings point.Settings) *queue.Server {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	id, err := new(point.Runner).Identify(settings, point.Collective, "1")
	require.NoError(t, err)
	return &queue.Server{
		Study: "q", Version: "1", Need: point.Collective, Tasks: []sweep.Task{{ID: id, Settings: settings}}, Store: s, Host: "127.0.0.1", Token: "t", Lease: time.Second,
	}
}

// A worker of another version is refused, and gets nothing. One of the same version runs the point.
func TestVersions(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("net.csv", []byte("0,1\n1,2\n"), 0o600))
	s := newServer(t, point.Settings{"topology": "graph:net.csv", "collective": "gossip"})
	addresses, ended := make(chan string), make(chan error)
	go func() { ended <- s.Run(t.Context(), func(a string) error { addresses <- a; return nil }) }()
	address := <-addresses
	w := &queue.Worker{Address: address, Token: "t", Version: "2", Patience: time.Minute, Workers: 1}
	require.EqualError(t, w.Join(t.Context()), address+": the server is meshwright 1, and this is 2 (expected the same version)")
	w = &queue.Worker{Address: address, Token: "t", Version: "1", Patience: time.Minute, Workers: 1}
	require.NoError(t, w.Join(t.Context()))
	folder := t.TempDir()
	require.NoError(t, w.Fetch(t.Context(), folder))
	require.FileExists(t, filepath.Join(folder, "net.csv"))
	require.NoError(t, w.Run(t.Context()))
	require.Equal(t, 1, w.Done())
	w.Close()
	require.NoError(t, <-ended)
	ids, err := s.Store.IDs(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[point.ID]bool{s.Tasks[0].ID: false}, ids)
}

// Files elsewhere do not travel.
func TestFilesElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net.csv")
	require.NoError(t, os.WriteFile(path, []byte("0,1\n"), 0o600))
	s := newServer(t, point.Settings{"topology": "graph:" + path, "collective": "gossip"})
	require.EqualError(t, s.Run(t.Context(), func(string) error { return nil }), path+": the study names a file elsewhere (expected files below the folder of the sweep, so that workers can have copies)")
}
