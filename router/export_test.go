// SPDX-License-Identifier: Apache-2.0

package router

// TakeGeneralWay makes a bank use the general evaluation where it would have
// used the short one.
func (b *Bank) TakeGeneralWay() { b.plain = false }
