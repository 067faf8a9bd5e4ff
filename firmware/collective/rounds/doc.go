// SPDX-License-Identifier: Apache-2.0

// Package rounds plans all-gathers, reduce-scatters and allreduces, and lists messages of all-to-alls, in a few rounds. In each round every channel sends one message at most, with pieces that its node had before the round. Only who sends to whom is
// chosen; what a message brings follows: all that its receiver lacks, divided evenly among the messages that come to it in the same round.
//
//	round 1    0>1  a      2>1  c      1>0  b      3>2  d
//	round 2    1>0  c      1>3  a b    2>3  c      2>0  d ...
//
// The search is simulated annealing. A form is not booked, which would take long, but estimated: a round ends when the busiest links, channels and ports have done their work. So it looks at the whole of a
// schedule, which must bring every piece everywhere with few startups, where a list that grows message by message cannot see what follows. It is of use where startups are long and nodes send over several
// channels at a time.
//
// Where the network has symmetries (package symmetries), nodes that they bring to one another may do the same in a form, with their images as receivers: a change is made for all of them. There are fewer such forms, and the best of them are often better than what is found
// among all. When the messages are booked, they need not go at the same time.
//
// In an all-to-all a message brings only blocks that are on the way to their destinations. There the search also looks for the route of each block, and other searches book the messages: see Exchange.
//
// In the end the messages are booked: each as early as its pieces are there and its route is free, so that rounds overlap. A reduce-scatter is an all-gather backwards in time, with sums. An allreduce is both, one after the other.
package rounds
