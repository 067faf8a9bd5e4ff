// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/input"
	"meshwright/internal/soak"
)

// advice is a key of a machine and the value that a refusal expects.
var advice = regexp.MustCompile(`(switching|ports|nic\.channels|nic\.duplex|buffer|claim|startup|hop|flit|header|vcs) ([a-z0-9-]+)`)

// Every refusal of a machine names a machine that does: with the keys that it expects, the algorithm takes the job. A refusal of a network names the networks that do.
func TestRefusalsNameAMachineThatDoes(t *testing.T) {
	machines := []struct {
		preset string
		keys   []string
	}{
		{"wormhole", []string{"ports", "single", "nic.channels", "1", "nic.duplex", "half", "hop", "2", "buffer", "1", "startup", "3"}},
		{"wormhole", []string{"ports", "single", "claim", "1", "buffer", "1"}},
		{"wormhole", []string{"nic.duplex", "half", "buffer", "1", "hop", "3"}},
		{"wormhole", []string{"claim", "1", "buffer", "1"}},
		{"bufferless", []string{"nic.duplex", "half", "header", "flit", "startup", "2", "hop", "2"}},
		{"bufferless", []string{"ports", "all", "nic.channels", "links", "nic.duplex", "half", "flit", "2"}},
		{"bufferless", []string{"header", "flit"}},
		{"store-forward", nil},
		{"store-forward", []string{"ports", "all", "nic.channels", "links"}},
		{"store-forward", []string{"switching", "cut-through"}},
	}
	specs := []string{"path:3", "torus:2x3", "debruijn:2"}
	for i, a := range collective.Table() {
		for k, m := range machines {
			first := (i + k) % len(specs) // each machine in turn with each network
			for _, spec := range soak.Some(3, slices.Concat(specs[first:], specs[:first])) {
				j := collectivetest.Equal(t, spec, m.preset, 0, 2)
				set(t, &j, m.keys...)
				j.Limit = time.Nanosecond // a search that ends at once has taken the job
				_, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
				if err == nil {
					continue
				}
				var refused *input.Error
				require.ErrorAs(t, err, &refused, "%s %s on %s %v", a.Collective, a.Name, spec, m)
				if strings.HasPrefix(refused.Want, "expected a topology of: ") || refused.Want == "expected a higher limit" {
					continue
				}
				for _, m := range advice.FindAllStringSubmatch(refused.Want, -1) {
					if m[1] == "switching" {
						preset := m[2]
						if strings.Contains(refused.Want, "wormhole") { // on which most keys have their way
							preset = "wormhole"
						}
						j.Machine = collectivetest.Equal(t, spec, preset, 0, 2).Machine
					} else {
						set(t, &j, m[1], m[2])
					}
				}
				j.Limit = 0
				_, err = collective.Generate(t.Context(), a.Collective, a.Name, j)
				if err != nil {
					t.Errorf("%s %s on %s %v: %v\n   then %v", a.Collective, a.Name, spec, m, refused, err)
				}
			}
		}
	}
}

func set(t *testing.T, j *collective.Job, keys ...string) {
	for i := 0; i < len(keys); i += 2 {
		require.NoError(t, j.Machine.Set(keys[i], keys[i+1]))
	}
}
