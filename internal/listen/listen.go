// SPDX-License-Identifier: Apache-2.0

// Package listen takes addresses of this computer for servers, and says in a line why one cannot be had.
package listen

import (
	"errors"
	"net"
	"syscall"

	"meshwright/internal/input"
)

// TCP listens at HOST:PORT; port 0 is any. An address that cannot be had is an *input.Error.
func TCP(address string) (net.Listener, error) {
	network := "tcp"
	if host, _, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).To4() != nil {
		network = "tcp4" // 0.0.0.0 alone would take the addresses of IPv6, too
	}
	at, err := net.Listen(network, address)
	if err != nil {
		return nil, refused(address, err)
	}
	return at, nil
}

func refused(address string, err error) error {
	want := "expected HOST:PORT, such as 127.0.0.1:8080"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return input.Errorf("expected a free port, or 0 for any", "%s is in use", address)
	case errors.Is(err, syscall.EACCES):
		return input.Errorf("expected a port from 1024 on, or 0 for any", "no right to use %s", address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		want = "expected an address of this computer"
	}
	return input.Errorf(want, "cannot listen at %s", input.Clip(address))
}
