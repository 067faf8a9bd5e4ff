// SPDX-License-Identifier: Apache-2.0

// Package listed gives messages their times by list scheduling. What is in a message is known before; a message may wait for others, which bring
// words of it to its sender. Each message of an order goes as early as it can.
//
// Then the order is improved. Backwards in time, from the end, the messages go as late as they can, those that end last first. Forwards again, they go as early
// as they can, those that began first first. No message ends later than before, and gaps close:
//
//	             cycle 0     5    10    15
//	forwards     node 0  aaaaa.....bbbbb
//	             node 1  cccccccc.......
//	backwards    node 0  .....aaaaabbbbb      a may as well go later
//	             node 1  .......cccccccc
//	forwards     node 0  aaaaabbbbb.....      b is no longer behind a gap
//	             node 1  cccccccc.......
package listed
