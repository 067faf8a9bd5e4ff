// SPDX-License-Identifier: Apache-2.0

// Package packets plans scatters and gathers on machines that switch packets
// (Tsai).
package packets
