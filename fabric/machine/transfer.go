// SPDX-License-Identifier: Apache-2.0

package machine

// TransferTicks returns the ticks from the dispatch of a message to its last
// flit's delivery when nothing is in its way: with d links and L flits d·hop +
// L·flit, where buffers take the full rate; stored and forwarded d·(setup +
// L·flit); cut through d·(setup + flit) + (L-1)·flit.
func (m *Machine) TransferTicks(links, flits int) int64 {
	d, l, flit := int64(links), int64(flits), int64(m.FlitTicks())
	switch m.Switching {
	case StoreForward:
		return d * (int64(m.SetupTicks()) + l*flit)
	case CutThrough:
		return d*(int64(m.SetupTicks())+flit) + (l-1)*flit
	}
	return d*int64(m.Hop) + l*flit
}
