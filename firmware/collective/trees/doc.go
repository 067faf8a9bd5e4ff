// SPDX-License-Identifier: Apache-2.0

// Package trees plans broadcasts, reductions and all-reductions: along one tree,
// over several trees at once, by doubling, and as a scatter and an all-gather.
package trees
