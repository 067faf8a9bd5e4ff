// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"net"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// The address where nothing else is said: this computer alone, and the port of NATS.
const (
	loopback    = "127.0.0.1"
	defaultPort = 4222
)

// ParseAddress reads HOST:PORT, :PORT, PORT or HOST. The error is an *input.Error.
func ParseAddress(text string) (host string, port int, err error) {
	host, number, err := net.SplitHostPort(text)
	if err != nil {
		host, number = text, strconv.Itoa(defaultPort)
		if _, err := strconv.Atoi(text); err == nil {
			host, number = loopback, text
		}
	}
	port, err = strconv.Atoi(number)
	if err != nil || port < 0 || port > 65535 || strings.ContainsAny(host, " /@") {
		return "", 0, input.Errorf("expected HOST:PORT", "%q", input.Clip(text))
	}
	if host == "" {
		host = loopback
	}
	return strings.Trim(host, "[]"), port, nil
}
