// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package atomicfile

import "errors"

// exchange is not there outside Linux.
func exchange(_, _ string) error { return errors.ErrUnsupported }
