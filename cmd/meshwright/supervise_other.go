// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import "os"

// standardError returns where errors go.
func standardError() *os.File { return os.Stderr }

// supervised does nothing where no resource limit is known.
func supervised([]string) (int, bool) { return 0, false }
