// SPDX-License-Identifier: Apache-2.0

// Package certification plans gathers whose root does not know the lengths:
// certificates come up a tree, and orders go down it (Bhatt, Pucci, Ranade,
// Rosenberg).
package certification
