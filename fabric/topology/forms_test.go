// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryListedFormIsParsed(t *testing.T) {
	for _, f := range Listed() {
		_, err := Parse(f.Kind + ":x")
		require.Error(t, err, f.Kind)
		require.NotContains(t, err.Error(), "unknown topology", f.Kind)
		require.NotEmpty(t, f.About)
		require.Contains(t, Forms, f.String())
	}
}
