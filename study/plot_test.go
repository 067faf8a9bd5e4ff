// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	plotText  = regexp.MustCompile(`<text x="([-\d.]+)" y="([-\d.]+)" transform="scale\(1, -1\)"\s+style="[^"]*font-size:(\d+)px">([^<]*)</text>`)
	plotPath  = regexp.MustCompile(`<path d="(M[^"]*)" style="([^"]*)"`)
	plotPoint = regexp.MustCompile(`[ML]([-\d.]+),([-\d.]+)`)
	plotSize  = regexp.MustCompile(`<svg width="([\d.]+)pt" height="([\d.]+)pt"`)
)

// The legend stands to the right of every curve, names each contender once, and
// explains full points, open points and upright lines. Its words do not overlap and
// lie on the page. Plots of many networks are no wider than a screen.
func TestLegendsStandBesideTheCurves(t *testing.T) {
	for _, networks := range [][]string{{"mesh:4x4"}, {"mesh:4x4", "mesh:8x4"}, {"mesh:4x4", "mesh:8x4", "mesh:8x8", "mesh:16x4", "mesh:6x6"}} {
		r, err := paragon(t, 1<<14, "8..1M", networks...).Run(t.Context())
		require.NoError(t, err)
		var picture bytes.Buffer
		require.NoError(t, r.Plot(&picture, "gossip"))
		text := picture.String()
		size := plotSize.FindStringSubmatch(text)
		require.NotNil(t, size)
		width, height := figure(t, size[1]), figure(t, size[2])
		require.Less(t, width*96/72, 1500.0)

		curves := math.Inf(-1) // where the right-most one ends
		for _, m := range plotPath.FindAllStringSubmatch(text, -1) {
			points := plotPoint.FindAllStringSubmatch(m[1], -1)
			if strings.Contains(m[2], "stroke-width:1.2") && len(points) > 2 {
				for _, p := range points {
					curves = max(curves, figure(t, p[1]))
				}
			}
		}
		require.False(t, math.IsInf(curves, -1))

		legend := map[string]bool{}
		var rows []float64
		for _, m := range plotText.FindAllStringSubmatch(text, -1) {
			x, y, letters, font := figure(t, m[1]), -figure(t, m[2]), float64(len(m[4])), figure(t, m[3])
			if x < curves {
				continue
			}
			require.False(t, legend[m[4]], "%q twice", m[4])
			legend[m[4]] = true
			require.Less(t, x+0.65*font*letters, width, m[4])
			require.Less(t, y+font, height)
			require.Positive(t, y)
			for _, other := range rows {
				require.Greater(t, math.Abs(other-y), font, m[4])
			}
			rows = append(rows, y)
		}
		for _, n := range r.Networks {
			for _, c := range n.Contenders {
				require.True(t, legend[c.String()], c.String())
			}
		}
		require.True(t, legend["run in the model"])
		require.True(t, legend["predicted, not run"])
		require.True(t, legend["crossover"])
	}
}

func figure(t *testing.T, text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return v
}
