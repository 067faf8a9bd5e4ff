// SPDX-License-Identifier: Apache-2.0

// Package published plans collectives by algorithms of the literature, to measure the other
// algorithms against them. All make lists of transfers in which nodes exchange words with
// partners, step by step.
//
//   - Recursive doubling and halving: partners differ in one binary digit of their coordinates
//     (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
//     MPICH, 2005).
//   - Swing: partners on a ring are 1, 1, 3, 5, 11 … apart, in turn to one side and to the
//     other (De Sensi, Bonato, Saam, Hoefler: Swing, NSDI 2024).
//   - Bine: the same distances, in the order of the nodes' numbers, and trees whose edges have
//     these distances (De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler: Bine
//     trees, SC 2025).
//   - Bucket: rings along one dimension after the other (Barnett, Shuler, van de Geijn, Gupta,
//     Payne, Watts: Interprocessor collective communication library, 1994).
//   - Ring: a bucket with one ring through all nodes (Patarasu, Yuan: Bandwidth optimal all-reduce
//     algorithms for clusters of workstations, 2009, for allreduce).
//   - Pairwise: each node sends each other node its words itself, to a different node in every
//     step.
//
// The ideas are the papers'; whatever their models leave open, such as when a message leaves
// where several want a link, a timetable decides.
package published
