// SPDX-License-Identifier: Apache-2.0

package fabric

// Flown returns how many worms have landed since worms last began to fly, and whether some worms have
// met, or a run has ended with worms aloft.
func (n *Network) Flown() (landed int, met bool) { return n.fly.landed, n.fly.patience > 0 }
