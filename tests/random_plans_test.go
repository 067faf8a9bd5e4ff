// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// setups are set-up times, good and bad.
var setups = choice{"--setup", []string{"0", "1", "3/2", "0.125", "7/3", "1000000000", "1/1000000000", "-1", "1/0"}}

// planValues has two lists of flags for each topic of plan. A flag of the first list
// is given three times in four.
var planValues = map[string][2][]choice{
	"packets": {{
		{"--flits", []string{"1", "7", "1000", "123456789", "1000000000000000000", "0"}},
		{"--distance", []string{"1", "2", "50", "1000000000000000000", "0"}},
		{"--setup", []string{"1", "3/2", "0.125", "7/3", "1000000000", "1/1000000000", "0"}},
	}, {
		{"--nodes", []string{"1", "3-7", "1-2,9-12", "2-1", "1-3,3"}},
		{"--packets", []string{"1", "2", "1000", "0"}},
	}},
	"order": {{
		setups,
		{"--length", []string{"0", "1", "2", "5"}},
	}, {
		{"--lengths", []string{"1,2,3", "0,0,0,0,4", "9"}},
		{"--root", []string{"0", "1", "3", "-1"}},
		{"--steps", []string{"1", "100", "1000", "-1"}},
		{"--seed", []string{"0", "18446744073709551615"}},
	}},
	"distance": {{
		{"--cases", []string{"1", "2", "0"}},
		{"--flits", []string{"1", "3", "70"}},
	}, {
		setups,
		{"--nodes", []string{"2", "6", "40", "1"}},
		{"--messages", []string{"1", "3", "6", "9"}},
		{"--span", []string{"1", "1000", "0"}},
	}},
	"trees":         {{}, {{"--length", []string{"0", "1", "9", "-1"}}}},
	"covers":        {{}, {{"--length", []string{"0", "1", "9", "-1"}}, {"--root", []string{"0", "1", "4"}}, {"--collective", []string{"scatter", "gather", "gossip"}}}},
	"certification": {{}, {{"--flits", []string{"0", "1", "9", "-1"}}, {"--seed", []string{"7"}}}},
}

// Whatever is asked, a plan is an answer, or one line that says why not.
func TestRandomPlans(t *testing.T) {
	topics := []string{"packets", "packets", "order", "order", "distance", "trees", "covers", "certification"}
	answered := map[string]int{}
	for seed := *firstCommand; seed < *firstCommand+uint64(*commands); seed++ {
		rng := rand.New(rand.NewPCG(seed, 3))
		dir := t.TempDir()
		topic := topics[rng.IntN(len(topics))]
		args := []string{"plan", topic}
		if topic != "packets" && topic != "distance" {
			spec, _ := randomTopology(rng, dir)
			args = append(args, "--topology", spec)
		}
		for _, f := range planValues[topic][0] {
			if rng.IntN(4) > 0 {
				args = append(args, draw(rng, 1, []choice{f})...)
			}
		}
		args = append(args, draw(rng, 5, planValues[topic][1])...)
		if rng.IntN(2) == 0 {
			args = append(args, "--json")
		}
		got := meshwright(t, dir, args...)
		line := fmt.Sprintf("seed %d: %s\n%s%s", seed, strings.Join(args, " "), got.stdout, got.stderr)
		if got.code != 0 {
			requireRefused(t, got, line)
			continue
		}
		answered[topic]++
		require.Empty(t, got.stderr, line)
		require.NotEmpty(t, got.stdout, line)
		require.NotContains(t, got.stdout, "NaN", line)
		require.NotContains(t, got.stdout, "Inf", line)
	}
	t.Log(answered)
	for topic := range planValues {
		require.Positive(t, answered[topic], "no plan of %s was answered: draw better ones", topic)
	}
}
