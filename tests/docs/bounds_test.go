// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/schedule/bound"
)

// The table of docs/bounds.md has a row for every argument, and no others.
func TestBoundsPageListsEveryProof(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "bounds.md"))
	require.NoError(t, err)
	var named []bound.Proof
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z -]+) \| .* \| .* \|$`).FindAllStringSubmatch(string(page), -1)[1:] {
		named = append(named, bound.Proof(row[1]))
	}
	require.Equal(t, bound.Proofs(), named)
}
