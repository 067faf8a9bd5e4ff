// SPDX-License-Identifier: Apache-2.0

package plotsvg_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"meshwright/internal/plotsvg"
)

// Every text says its width and the fonts that may stand in, whatever it says itself.
func TestTextsKeepTheirWidth(t *testing.T) {
	p := plot.New()
	p.Title.Text = `a > b, font-family:Liberation Sans; <text "`
	p.Title.TextStyle.Font.Variant = "Sans"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	canvas := plotsvg.New(300, 200)
	p.Draw(draw.New(canvas))
	text, err := canvas.Text()
	require.NoError(t, err)
	titles := 0
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			attributes := map[string]string{}
			for _, a := range start.Attr {
				attributes[a.Name.Local] = a.Value
			}
			require.NotEmpty(t, attributes["textLength"])
			var content string
			require.NoError(t, d.DecodeElement(&content, &start))
			if content == p.Title.Text {
				require.Contains(t, attributes["style"], "font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif;")
				titles++
			}
		}
	}
	require.Equal(t, 1, titles)
}
