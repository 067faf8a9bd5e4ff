// SPDX-License-Identifier: Apache-2.0

// Package scattergather plans scatters and gathers on machines that switch worms:
// along one tree, over several trees at once, with combined messages, and with
// orders that pass along a path (Bhatt, Pucci, Ranade, Rosenberg).
package scattergather
