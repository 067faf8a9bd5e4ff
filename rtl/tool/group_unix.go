// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tool

import (
	"os/exec"
	"syscall"
)

// apart starts a command in a process group of its own, so that all its
// descendants can be ended together.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a command that runs apart and all its descendants.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
