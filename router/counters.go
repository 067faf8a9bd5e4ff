// SPDX-License-Identifier: Apache-2.0

package router

// counters counts events of many links, up to 2^48. Most counts are small, so that the high parts of all
// numbers are kept from the first one on that needs its own.
type counters struct {
	links int      `snapshot:"start"`
	low   []uint16 // nil: all are 0
	high  []uint32 // times 2^16; nil: all are 0
}

func newCounters(n int) counters { return counters{links: n, low: make([]uint16, n)} }

// add adds n to counter i.
func (c *counters) add(i int32, n uint64) {
	if c.low == nil {
		c.low = make([]uint16, c.links)
	}
	sum := uint64(c.low[i]) + n
	c.low[i] = uint16(sum)
	if sum>>16 != 0 {
		c.carry(i, uint32(sum>>16))
	}
}

func (c *counters) carry(i int32, n uint32) {
	if c.high == nil {
		c.high = make([]uint32, len(c.low))
	}
	c.high[i] += n
}

// at returns counter i.
func (c *counters) at(i int32) uint64 {
	if c.low == nil {
		return 0
	}
	if c.high == nil {
		return uint64(c.low[i])
	}
	return uint64(c.high[i])<<16 | uint64(c.low[i])
}

func (c *counters) bytes() uintptr { return 2*uintptr(len(c.low)) + 4*uintptr(len(c.high)) }
