// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"math/big"
	"strconv"

	"meshwright/internal/rational"
)

// Alternatives returns the values of the key one step away from its value in m, as Set takes them: of a choice all others,
// of a number half of it and twice as much, and of buffers too small for the full rate the least that has it. Half of an odd whole number is rounded down. A number that is 0 has none.
func (k Key) Alternatives(m *Machine) []string {
	now := k.get(m)
	taken := func(value string) bool {
		scratch := *m
		return value != now && k.set(&scratch, value) == nil
	}
	var list []string
	if k.Unsaid != "" && now != k.Unsaid {
		return []string{k.Unsaid}
	}
	if k.Values != nil {
		for _, value := range k.Values {
			if taken(value) {
				list = append(list, value)
			}
		}
		return list
	}
	x, ok := new(big.Rat).SetString(now)
	if !ok || x.Sign() == 0 {
		return nil
	}
	half := new(big.Rat).Quo(x, big.NewRat(2, 1))
	floor := new(big.Int).Div(half.Num(), half.Denom()).String()
	switch {
	case taken(rational.Text(half)):
		list = append(list, rational.Text(half))
	case floor != "0" && taken(floor):
		list = append(list, floor)
	}
	twice := rational.Text(new(big.Rat).Add(x, x))
	if taken(twice) {
		list = append(list, twice)
	}
	if full := strconv.Itoa(m.bufferForRate()); k.Name == "buffer" && m.Switching == Wormhole && !m.RoomForRate() && full != twice && taken(full) {
		list = append(list, full)
	}
	return list
}
