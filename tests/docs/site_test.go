// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// site makes the site as `make site` does, and returns its folder.
func site(t *testing.T) string {
	dir, err := filepath.Abs(t.TempDir())
	require.NoError(t, err)
	hugo := proctest.Command(t, "hugo", "--config", "docs/site/hugo.yaml", "--noBuildLock", "--destination", dir)
	hugo.Dir = root
	out, err := hugo.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// pageOf is a file of the site: what it links to, and the anchors that others may link to.
type pageOf struct {
	links   []string
	anchors map[string]bool
}

var (
	linkOf   = regexp.MustCompile(`\s(?:href|src)="([^"]*)"`)
	anchorOf = regexp.MustCompile(`\sid="([^"]*)"`)
)

// pages reads all files of a site, by their path in it.
func pages(t *testing.T, dir string) map[string]pageOf {
	found := map[string]pageOf{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		page := pageOf{anchors: map[string]bool{}}
		if filepath.Ext(path) == ".html" {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range linkOf.FindAllSubmatch(text, -1) {
				page.links = append(page.links, html.UnescapeString(string(m[1])))
			}
			for _, m := range anchorOf.FindAllSubmatch(text, -1) {
				page.anchors[html.UnescapeString(string(m[1]))] = true
			}
		}
		name, err := filepath.Rel(dir, path)
		found[name] = page
		return err
	}))
	return found
}

func there(found map[string]pageOf, name string) bool {
	_, ok := found[name]
	return ok
}

// Every document has a page. Each link of the site leads to one of its files, and to an anchor that is there. No page needs
// the network, or a server: all addresses are relative.
func TestSiteIsWhole(t *testing.T) {
	found := pages(t, site(t))
	for _, path := range documents(t) {
		name, err := filepath.Rel(root, strings.TrimSuffix(path, ".md")+".html")
		require.NoError(t, err)
		if name != "README.html" {
			require.True(t, there(found, name), name)
		}
	}
	for _, name := range []string{"index.html", "style.css", "site.js", "search-index.js", "docs/modules/README.html", "docs/img/gather.svg"} {
		require.True(t, there(found, name), name)
	}
	for name, page := range found {
		for _, link := range page.links {
			to, err := url.Parse(link)
			require.NoError(t, err, name)
			if to.Scheme == "https" {
				continue // a link in the text; styles, scripts and pictures are relative
			}
			require.Empty(t, to.Scheme+to.Host, "%s: %s", name, link)
			target := name
			if to.Path != "" {
				require.False(t, strings.HasPrefix(to.Path, "/"), "%s: %s", name, link)
				target = filepath.Join(filepath.Dir(name), to.Path)
			}
			require.True(t, there(found, target), "%s: %s", name, link)
			require.True(t, to.Fragment == "" || found[target].anchors[to.Fragment], "%s: %s", name, link)
		}
	}
}

// A browser searches the site from its folder: the page of round_robin is the first that has the words.
func TestSiteIsSearched(t *testing.T) {
	dir := site(t)
	browser := proctest.Command(t, "chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom",
		"file://"+dir+"/docs/faults.html?q=round+robin")
	out, err := browser.Output()
	require.NoError(t, err)
	require.Regexp(t, `<div id="results" aria-live="polite">\d+ sections<h2><a href="file://[^"]*/docs/modules/round_robin.html">`, string(out))
	require.Contains(t, string(out), `<article hidden="">`)
}
