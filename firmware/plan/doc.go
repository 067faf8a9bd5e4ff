// SPDX-License-Identifier: Apache-2.0

// Package plan has the types that all collectives share. A [Job] says which words
// are to be moved on which machine, a [Task] is a job that has been checked, and a
// [Plan] is the firmware that carries the job out.
//
// A plan has one program per role, shared by the PEs that play it, and for each
// PE the parameters in its data memory. The programs are the files of the folder
// programs; what a schedule decides (order, dispatch cycles) is in the parameters.
// [Task.TransferPlan] turns a list of transfers into a plan, so that most
// algorithms need no program of their own.
//
//	Job --NewTask--> Task --an algorithm--> Plan --Network--> fabric.Network with PEs
package plan
