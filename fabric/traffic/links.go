// SPDX-License-Identifier: Apache-2.0

package traffic

import "meshwright/fabric/topology"

// LinkLoads say how busy links were in the measurement, as parts of its time; see fabric.LinkUse.
type LinkLoads struct {
	Hottest topology.Link // the busiest link, the first of several
	Most    float64       // its part
	Mean    float64       // of all links
}

// linkLoads compares the links with what they had done before the measurement.
func (m *meter) linkLoads() (l LinkLoads) {
	time := float64(min(m.until, m.net.Now()) - m.from)
	if time <= 0 || len(m.used) == 0 {
		return l
	}
	i := 0
	for link, u := range m.net.LinkUses() {
		part := min(1, float64(u.Busy-min(u.Busy, m.used[i]))/time)
		if l.Mean += part; part > l.Most {
			l.Hottest, l.Most = link, part
		}
		i++
	}
	l.Mean /= float64(i)
	return l
}
