// SPDX-License-Identifier: Apache-2.0

//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package filelock

import (
	"errors"
	"os"
)

// Supported tells whether this system has locks.
const Supported = false

const noFollow = 0

func flock(*os.File) error { return errors.ErrUnsupported }
