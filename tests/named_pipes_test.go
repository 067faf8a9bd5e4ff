// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// A pipe with a name cannot be looked at before it is read: its format has to be named.
func TestNamedPipes(t *testing.T) {
	for _, row := range []struct {
		args, stderr string
		code         int
	}{
		{"import /dev/stdin -t ring:8", "meshwright: /dev/stdin: a pipe, which can be read only once (expected --format pcapng, chakra, msccl, json, csv or tdm, or - for standard input)\n", 2},
		{"import /dev/stdin --format msccl -t ring:8", "", 0},
		{"import - -t ring:8", "", 0},
	} {
		got := speak(t, proctest.Command(t, "sh", append([]string{"-c", `cat ../examples/imports/ring-allreduce-8.xml | "$0" "$@"`, binary}, strings.Fields(row.args)...)...))
		require.Equal(t, row.code, got.code, got.stderr)
		require.Equal(t, row.stderr, got.stderr)
	}
}
