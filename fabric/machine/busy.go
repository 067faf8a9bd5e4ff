// SPDX-License-Identifier: Apache-2.0

package machine

// UnitTimes reports whether a message costs a cycle for each hop and each flit of data, and nothing else: the machine
// of many papers.
func (m *Machine) UnitTimes() bool {
	return m.Startup == 0 && m.Hop == 1 && m.Flit == 1 && m.HeaderFlits() == 0
}

// BusyTicks returns for how many ticks of the clock a link is busy with flits of
// some packets: for the time of every flit and, on machines that switch packets,
// the set-up of every packet. On other machines packets count for nothing. It is
// the project's only formula for busy: runs, checks and pictures use it.
func (m *Machine) BusyTicks(flits, packets uint64) uint64 {
	return flits*uint64(m.FlitTicks()) + packets*uint64(m.SetupTicks())
}
