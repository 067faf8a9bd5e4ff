// SPDX-License-Identifier: Apache-2.0

// Package parcel plans total exchanges (all-to-all personalised) in which what
// goes the same way travels in one message. A parcel is what one node has for
// another; in every step each node sends the parcels that it holds onward, those
// for the same next node together. An [Onward] says where a parcel is to be
// after a step; [Plan] finds places for the parcels that a node holds for
// others, and lists the messages.
//
// Fewer startups cost more words on the links: [Direct] sends every parcel by
// itself, [Dimensions] one message to every node of a line for each dimension,
// [Halving] and [Bruck] one or two for each binary or ternary digit.
package parcel
