// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawnByHand are the pictures that no command makes. The picture page.png is taken in a browser.
var drawnByHand = []string{"architecture.svg", "emulator.svg", "page.png"}

// pictures is the folder of the documents' pictures.
var pictures = filepath.Join(root, "docs", "img")

var shownPicture = regexp.MustCompile(`!\[[^\]]+\]\((?:[./\w]*/)?img/([\w.-]+)\)`)

// picturesOf lists the pictures that a document shows.
func picturesOf(text string) []string {
	var names []string
	for _, m := range shownPicture.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// requirePictures demands that the pictures of a document are the files of
// their names that its own commands have written into a folder.
func requirePictures(t *testing.T, text, dir string) {
	t.Helper()
	for _, name := range picturesOf(text) {
		if slices.Contains(drawnByHand, name) {
			continue
		}
		fresh, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, "expected a command of the page that writes its picture: --trace or --plot %s", name)
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join(pictures, name), fresh, 0o644))
		}
		kept, err := os.ReadFile(filepath.Join(pictures, name))
		require.NoError(t, err)
		if string(fresh) != string(kept) {
			t.Errorf("%s is not what the page's command draws: go test ./tests/docs -update", name)
		}
	}
}

// Every picture is on a page, whose test holds it to the page's command.
func TestEveryPictureIsShown(t *testing.T) {
	shown := map[string]bool{}
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, name := range picturesOf(string(text)) {
			shown[name] = true
		}
	}
	kept, err := os.ReadDir(pictures)
	require.NoError(t, err)
	require.NotEmpty(t, kept)
	for _, file := range kept {
		require.True(t, shown[file.Name()], "%s: no document shows it", file.Name())
	}
	for _, name := range drawnByHand {
		require.True(t, shown[name], name)
	}
}
