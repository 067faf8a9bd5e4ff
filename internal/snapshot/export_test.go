// SPDX-License-Identifier: Apache-2.0

package snapshot

// Read is ReadFile without a file.
var Read = read
