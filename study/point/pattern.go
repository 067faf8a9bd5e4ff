// SPDX-License-Identifier: Apache-2.0

package point

import (
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/confine"
)

// mostRead bounds the files of patterns that Fits reads, in bytes.
const mostRead = 16 << 20

// Drawn is where the packets of a point's traffic go, and on which network.
type Drawn struct{ Topology, Pattern string }

// Drawn returns the network and the pattern, or trace, of a point; "" is what it does not say.
func (s Settings) Drawn() Drawn { return Drawn{s[keyTopology], s[keyPattern]} }

// Fits refuses a pattern that the network cannot have. What would take long to know, large networks and large files, it takes for fitting, and a
// point without a network, too. The error is an *input.Error.
func (d Drawn) Fits() error {
	nodes, _ := topology.SizeOf(d.Topology)
	if d.Topology == "" || d.Pattern == "" || nodes > mostChecked || d.large() {
		return nil
	}
	t, err := topology.Parse(d.Topology)
	if err != nil {
		return nil // which is shown elsewhere
	}
	if file, ok := traffic.TraceFile(d.Pattern); ok {
		_, err = traffic.ReadTrace(file, t.Nodes())
	} else {
		_, err = traffic.ParsePattern(d.Pattern, t)
	}
	return err
}

// large reports whether the file of the pattern is not to be read here; a pipe could not be read again.
func (d Drawn) large() bool {
	file, ok := traffic.PatternFile(d.Pattern)
	if !ok {
		return false
	}
	info, err := confine.Stat(file)
	return err != nil || !info.IsDir() && (!info.Mode().IsRegular() || info.Size() > mostRead) // a directory is refused at once
}
