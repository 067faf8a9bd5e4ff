// SPDX-License-Identifier: Apache-2.0

package teccl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/schedule"
)

// file is a schedule with some flows and demands.
func file(flows, demands []string) string {
	quoted := func(list []string, form string) string {
		var text []string
		for _, s := range list {
			text = append(text, fmt.Sprintf(form, s))
		}
		return strings.Join(text, ",\n")
	}
	return "{\"1-Epoch_Duration\": 1.0, \"3-Epochs_Required\": 2,\n\"7-Flows\": [\n" + quoted(flows, "%q") + "],\n\"8-Chunk paths\": {\n" + quoted(demands, "%q: []") + "}}"
}

func parse(text string) (*Schedule, error) {
	return Parse("f", []byte(text))
}

// good is a broadcast from node 0 along a path of three.
var good = []string{"Chunk 0 from 0 traveled over 0->1 in epoch 0", "Chunk 0 from 0 traveled over 1->2 with volume 1.0 in epoch 1"}

func TestCheck(t *testing.T) {
	for _, row := range []struct {
		name           string
		flows, demands []string
		want           []string
	}{
		{"good", good, []string{"Demand at 2 for chunk 0 from 0 met by epoch 1", "Demand at 0 for chunk 0 from 0 met by epoch 0"}, nil},
		{"no such link", []string{"Chunk 0 from 0 traveled over 0->2 in epoch 0", good[0]}, nil,
			[]string{"1 of 2 flows use 1 link that path:3 does not have: 0>2; the first is chunk 0 of 0 over 0>2 in epoch 0 (line 3)"}},
		{"too early", []string{good[0], "Chunk 0 from 0 traveled over 1->2 in epoch 0"}, nil,
			[]string{"chunk 0 of 0 over 1>2 in epoch 0 (line 4): node 1 has not got that chunk yet"}},
		{"another chunk", []string{good[0], "Chunk 1 from 0 traveled over 1->2 in epoch 1", "Chunk 1 from 0 traveled over 2->1 in epoch 1"}, nil,
			[]string{"chunk 1 of 0 over 1>2 in epoch 1 (line 4): node 1 has not got that chunk yet; 1 other flow likewise"}},
		{"half of it", []string{"Chunk 0 from 0 traveled over 0->1 with volume 0.5 in epoch 0", good[1]}, nil,
			[]string{"chunk 0 of 0 over 1>2 in epoch 1 (line 4): node 1 has not got that chunk yet"}},
		{"two halves", []string{"Chunk 0 from 0 traveled over 0->1 with volume 0.5 in epoch 0", "Chunk 0 from 0 traveled over 0->1 with volume 5e-1 in epoch 0", good[1]}, nil, nil},
		{"demand", good[:1], []string{"Demand at 2 for chunk 0 from 0 met by epoch 1"},
			[]string{"node 2 never gets all of chunk 0 of 0, which it demands (line 5)"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := parse(file(row.flows, row.demands))
			require.NoError(t, err)
			net, err := topology.Parse("path:3")
			require.NoError(t, err)
			findings, err := s.Check(net)
			require.NoError(t, err)
			var got []string
			for _, f := range findings {
				got = append(got, f.What)
			}
			require.Equal(t, row.want, got)
		})
	}
}

func TestBadFiles(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"no flows", `{"1-Epoch_Duration": 1, "3-Epochs_Required": 1}`, `f:1: no field "Flows" behind a number (expected a list)`},
		{"empty", file(nil, nil), `f:2: 0 flows (expected 1 to 4194304)`},
		{"another form", `{}`, "f:1: an object of another form (expected a schedule of TE-CCL, an execution plan of MSCCL++, or a list of events of a chip's network)"},
		{"no epochs", `{"1-Epoch_Duration": 1}`, `f:1: no field "3-Epochs_Required" (expected a number)`},
		{"another text", file([]string{"Chunk 0 goes home"}, nil), `f:3: "Chunk 0 goes home" (expected a text such as "Chunk 0 from 9 traveled over 9->5 in epoch 0")`},
		{"another demand", file(good, []string{"Demand"}), `f:6: "Demand" (expected a text such as "Demand at 0 for chunk 0 from 9 met by epoch 3")`},
		{"large number", file([]string{"Chunk 0 from 0 traveled over 0->1 in epoch 9999999"}, nil), `f:3: 9999999 in "Chunk 0 from 0 traveled over 0->1 in epoch 9999999" (expected at most 1048576)`},
		{"huge number", file([]string{"Chunk 0 from 0 traveled over 0->1 in epoch 99999999999999999999"}, nil), `f:3: a larger number in "Chunk 0 from 0 traveled over 0->1 in epoch 99999999999999999…" (expected at most 1048576)`},
		{"volume", file([]string{"Chunk 0 from 0 traveled over 0->1 with volume 0.0 in epoch 0"}, nil), `f:3: volume 0.0 (expected a volume above 0)`},
		{"switches", file([]string{good[0] + " via switches 17"}, nil), `f:3: chunk 0 of 0 over 0>1 in epoch 0 (line 3) goes via switches 17 (expected flows between neighbours: no topology here has switches)`},
		{"node", file([]string{"Chunk 0 from 0 traveled over 0->9 in epoch 0"}, nil), `f:3: node 9 (expected 0 to 2, the nodes of path:3)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := parse(row.text)
			if err == nil {
				net, parseErr := topology.Parse("path:3")
				require.NoError(t, parseErr)
				_, err = s.Check(net)
			}
			require.EqualError(t, err, row.want)
		})
	}
}

// A schedule runs in the cycles of its epochs: each takes the flits of a chunk.
func TestMessages(t *testing.T) {
	s, err := parse(file(good, nil))
	require.NoError(t, err)
	messages, err := s.Messages(10, 0, 10)
	require.NoError(t, err)
	net, err := topology.Parse("path:3")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	r, err := schedule.Execute(context.Background(), messages, net, m)
	require.NoError(t, err)
	require.True(t, r.Delivered, r.Failure)
	require.EqualValues(t, 21, r.Cycles)
}

func FuzzFrom(f *testing.F) {
	f.Add(file(good, []string{"Demand at 2 for chunk 0 from 0 met by epoch 1"}))
	f.Add(file([]string{good[0] + " via switches 17"}, nil))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text)
		if err == nil {
			var net *topology.Topology
			net, err = topology.Parse("path:3")
			require.NoError(t, err)
			if _, err = s.Check(net); err == nil {
				_, err = s.Messages(4, 0, 4)
			}
		}
		var fault *input.Error
		require.True(t, err == nil || errors.As(err, &fault), err)
	})
}
