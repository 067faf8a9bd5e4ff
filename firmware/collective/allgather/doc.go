// SPDX-License-Identifier: Apache-2.0

// Package allgather plans all-gathers (gossips): every node gets every node's block
// (Juurlink, Sibeyn, Rao).
package allgather
