// SPDX-License-Identifier: Apache-2.0

// Package alltoall plans all-to-alls (total exchanges): message by message, with
// combined messages, and by a timetable in which no two messages meet.
package alltoall
