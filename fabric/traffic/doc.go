// SPDX-License-Identifier: Apache-2.0

// Package traffic drives a network with synthetic load, and measures what it does.
//
// A [Load] says who sends what, when and how much: a [Pattern] of destinations, an [Injection] process,
// and the [Sizes] of packets. A [Trace] lists packets one by one. Either makes a [Source], the component that holds
// the queues of all nodes. [Measure] runs a network with a source through warm-up, measurement and drain:
//
//	Pattern, Injection, Sizes --> Load --> Source --Measure--> Result
//	                              Trace ----^
//
// Memory and time follow the packets: a source does no work for a node that has nothing to send.
package traffic
