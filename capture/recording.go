// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"meshwright/capture/player"
	"meshwright/fabric"
)

// Recording is a monitor that keeps the record of the cycles that it sees in memory. Attach it between any two cycles.
type Recording struct {
	*recorder
	kept []byte
	most int
}

// NewRecording makes a recording of at most some bytes; what comes then is left out.
func NewRecording(net *fabric.Network, most int) (*Recording, error) {
	opts, err := Options{}.resolve(net, byNumber(net))
	if err != nil {
		return nil, err
	}
	r := &Recording{recorder: newRecorder(newObserver(net, opts)), most: most}
	return r, nil
}

// Update records the cycle.
func (r *Recording) Update(s fabric.Signals) {
	if len(r.kept) < r.most {
		r.kept = append(r.kept, r.of(s)...)
	}
}

// Record returns the record so far, in the form of a page's.
func (r *Recording) Record() []byte { return r.kept }

// About describes a network whose run a page shows while it goes on.
func About(net *fabric.Network, title string) *player.About {
	a := player.NewAbout(net.Topology, &net.Machine)
	a.Title, a.Live = title, true
	a.Subtitle = (&operation{observer: &observer{net: net}}).machine()
	return a
}
