// SPDX-License-Identifier: Apache-2.0

// Package relayed plans all-to-alls in which PEs pass blocks on, from neighbour to neighbour or over a few links at a time. Each block has a route. The blocks that wait at
// a PE for the same leg of their routes go in one message as soon as its channel, ports and links are free:
//
//	u --- blocks for v, w, x ---> PE --- block for v, others for v ---> v
//	                              PE --- blocks for w and x, others --> w ...
//
// So a message pays one startup for many blocks, and links and ports are busy all the time where they decide. On large networks the routes to a node are a tree, and the trees are
// such that links and ports have equal loads. The memory and the work are those of the blocks times their legs.
package relayed
