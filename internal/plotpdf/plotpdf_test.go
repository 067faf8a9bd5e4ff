// SPDX-License-Identifier: Apache-2.0

package plotpdf_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"meshwright/internal/plotpdf"
)

func picture(t *testing.T, title string) []byte {
	p := plot.New()
	p.Title.Text = title
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	canvas := plotpdf.New(300, 200)
	p.Draw(draw.New(canvas))
	var file bytes.Buffer
	_, err := canvas.WriteTo(&file)
	require.NoError(t, err)
	return file.Bytes()
}

// A plot is the same file every time: there is no date in it.
func TestSamePlotSameBytes(t *testing.T) {
	first := picture(t, "rate")
	require.True(t, bytes.HasPrefix(first, []byte("%PDF-")))
	require.Contains(t, string(first), "/MediaBox [0 0 300.00 200.00]")
	require.Equal(t, first, picture(t, "rate"))
}

// Signs beyond ASCII are in the file as texts that a reader finds.
func TestTextsOfAPDF(t *testing.T) {
	tool, err := exec.LookPath("pdftotext")
	require.NoError(t, err, "make test installs it")
	path := filepath.Join(t.TempDir(), "p.pdf")
	require.NoError(t, os.WriteFile(path, picture(t, "28 ±33 … λ"), 0o600))
	text, err := exec.Command(tool, path, "-").Output()
	require.NoError(t, err)
	require.Contains(t, string(text), "28 ±33 … ?")
}
