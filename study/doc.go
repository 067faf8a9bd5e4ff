// SPDX-License-Identifier: Apache-2.0

// Package study answers what-if questions that take many runs: random traffic at many loads ([LoadStudy]), sets of faults
// on one plan ([Campaign]), links and nodes that schedules go around ([Around]), and all algorithms for one job
// ([CompareAlgorithms]). The packages below it run the points of study files:
//
//	question --points--> sweep --point--> store --> tables --> chart, page
package study
