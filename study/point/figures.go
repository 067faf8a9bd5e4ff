// SPDX-License-Identifier: Apache-2.0

package point

import (
	"encoding/json"

	"meshwright/firmware/collective"
	"meshwright/rtl/synth"
	"meshwright/study"
)

// Figure is what was measured: a number, or a text. In JSON it is what it is.
type Figure struct {
	Number float64
	Text   string // "": the figure is a number
}

// Number is the figure of a number.
func Number(x float64) Figure { return Figure{Number: x} }

// Text is the figure of a text.
func Text(text string) Figure { return Figure{Text: text} }

// MarshalJSON writes a number or a text.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f.Text != "" {
		return json.Marshal(f.Text)
	}
	return json.Marshal(f.Number)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Figure) UnmarshalJSON(text []byte) error {
	*f = Figure{}
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &f.Text)
	}
	return json.Unmarshal(text, &f.Number)
}

// Figures are what was measured, by the name of the measure. What a point does not have, such as latencies beyond
// saturation, is not in it.
type Figures map[string]Figure

// add adds the figure of a measure, unless it is a text of which there is none.
func (f Figures) add(m *Measure, figure Figure) {
	if !m.Text || figure.Text != "" {
		f[m.Name] = figure
	}
}

func (f Figures) addRun(r *collective.Result) {
	for _, m := range runMeasures() {
		f.add(&m, m.run(r))
	}
}

// addLoad leaves out what nobody knows: latencies that there are not, and whether a load without packets is steady.
func (f Figures) addLoad(p *study.LoadPoint) {
	r := &p.Runs[0]
	for _, m := range loadMeasures() {
		switch {
		case m.latency != nil && !(p.Latent() && m.latency(r).Count > 0):
		case m.Name == stable && r.Packets == 0:
		default:
			f.add(&m, m.load(r))
		}
	}
}

// addCurve adds what a search has found, unless it has sent nothing at some rate that seemed stable.
func (f Figures) addCurve(c *study.LoadCurve) {
	for i := range c.Points {
		if p := &c.Points[i]; p.Stable() && p.Runs[0].Packets == 0 {
			return
		}
	}
	for _, m := range saturationMeasures() {
		f.add(&m, m.curve(c))
	}
}

// addHardware leaves out the cells that the target does not have, and the clock where none was measured.
func (f Figures) addHardware(r *synth.Result) {
	for _, m := range hardwareMeasures() {
		if x := m.hardware(r); x > 0 || m.Name == "ff" || m.Name == "bram" {
			f[m.Name] = Number(x)
		}
	}
}
