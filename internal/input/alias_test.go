// SPDX-License-Identifier: Apache-2.0

package input

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeant(t *testing.T) {
	for _, row := range []struct {
		of           Word
		word, prefix string
		known        []string
		want         string
	}{
		{KeyWord, "packet-size", "--", []string{"flits"}, "did you mean --flits?"},
		{KeyWord, "PACKET_SIZE", "", []string{"flits"}, "did you mean flits?"},
		{KeyWord, "packet-size", "--", []string{"length"}, ""},
		{KeyWord, "injection-rate", "--", []string{"rate"}, "did you mean --rate, in flits per source and cycle?"},
		{KeyWord, "threads", "--", nil, "the environment variable GOMAXPROCS says on how many cores a verb runs"},
		{RoutingWord, "wf", "", []string{"west-first"}, "did you mean west-first?"},
		{PatternWord, "wf", "", []string{"west-first"}, ""},
		{TopologyWord, "fat-tree", "", nil, "graph:FILE describes any network"},
		{TopologyWord, "", "", nil, ""},
	} {
		require.Equal(t, row.want, Meant(row.of, row.word, row.prefix, row.known), row.word)
	}
}

// Words stand in the table as they are compared, each once, and say something.
func TestAliases(t *testing.T) {
	seen := map[Word]map[string]bool{}
	for _, a := range aliases {
		require.NotEmpty(t, a.name+a.says)
		if seen[a.of] == nil {
			seen[a.of] = map[string]bool{}
		}
		for _, word := range strings.Fields(a.words) {
			require.Equal(t, strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word)), word)
			require.False(t, seen[a.of][word], word)
			seen[a.of][word] = true
		}
	}
}
