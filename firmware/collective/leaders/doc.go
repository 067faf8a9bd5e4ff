// SPDX-License-Identifier: Apache-2.0

// Package leaders plans allreduces in which several nodes, the leaders, know the whole sum first. The nodes are in clusters within clusters, which a search finds. Some nodes of a cluster
// know its sum: each has it from nodes that know the sums of the parts. The leaders know that of all nodes; the others get it from them.
//
//	clusters       {0 1 2 3}                    0 and 2 know all: they are the leaders
//	              /         \
//	          {0 1}         {2 3}               0 knows {0 1}, 2 knows {2 3}
//	messages  1>0           3>2                 then 0>2 and 2>0 cross, then 0>1 and 2>3
//
// A reduction to one root with a broadcast is such a form, and so is a butterfly, in which all nodes of all clusters know all. Each piece of the words has a form of its own.
//
// The messages get times at which they never meet (package booking): first those behind which most is still to come. The search is simulated annealing: clusters move into other ones, more nodes
// or fewer know a sum, nodes change places, get sums from other nodes, or send earlier. It begins with trees, and with clusters of near nodes with any numbers of parts.
package leaders
