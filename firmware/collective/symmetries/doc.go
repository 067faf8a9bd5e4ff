// SPDX-License-Identifier: Apache-2.0

// Package symmetries finds symmetries of a network, and groups of them. A symmetry says for each node where it is brought, so that neighbours stay neighbours:
//
//	0 - 1 - 2 - 3    {3, 2, 1, 0} and {0, 1, 2, 3} are a group; {0, 3} and {1, 2} are its orbits
//
// The nodes to which the symmetries of a group bring a node are its orbit. Searches for schedules in which the nodes of an orbit do the same have fewer choices, and so find better ones in a time.
package symmetries
