// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
)

// tokenFlags say what a worker needs to be let in.
type tokenFlags struct{ token, file string }

// tokenFlagNames are the names of these flags.
var tokenFlagNames = []string{"token", "token-file"}

func (f *tokenFlags) add(flags *pflag.FlagSet, without string) { f.addFor(flags, "workers", without) }

// addFor adds the flags of a token that someone else than workers must know.
func (f *tokenFlags) addFor(flags *pflag.FlagSet, who, without string) {
	flags.StringVar(&f.token, "token", "", "what "+who+" must know (default: "+without+"); lists of processes show it")
	flags.StringVar(&f.file, "token-file", "", "`FILE` with the token")
}

// read returns the token; "" if there is none.
func (f *tokenFlags) read(cmd *cobra.Command) (string, error) {
	if err := exclusive(cmd, tokenFlagNames...); err != nil {
		return "", err
	}
	if f.file == "" {
		return f.token, nil
	}
	text, err := os.ReadFile(f.file)
	if err != nil {
		return "", input.Unreadable(f.file, err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", input.At(f.file, 0, "expected one word", "no token")
	}
	return token, nil
}

// readOrMake returns the token, a new one if there is none. A file that is not there gets it.
func (f *tokenFlags) readOrMake(cmd *cobra.Command) (string, error) {
	token, err := f.read(cmd)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing || token != "" {
		return token, err
	}
	token = rand.Text()
	if f.file == "" {
		return token, nil
	}
	return token, os.WriteFile(f.file, []byte(token+"\n"), 0o600)
}

// identity reads the certificate and the key of a server; nil without them.
func identity(cmd *cobra.Command, certificate, key string) (*tls.Config, error) {
	if certificate == "" && key == "" {
		return nil, nil
	}
	for _, one := range [][2]string{{"tls-cert", "tls-key"}, {"tls-key", "tls-cert"}} {
		if cmd.Flags().Changed(one[0]) && !cmd.Flags().Changed(one[1]) {
			return nil, input.At("--"+one[0], 0, "expected both", "given without --%s", one[1])
		}
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, input.At(certificate, 0, "expected a certificate, and its key in "+key, "%s", strings.TrimPrefix(err.Error(), "tls: "))
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// authorities reads the certificates that a server's certificate must be signed by; nil without a file.
func authorities(path string) (*tls.Config, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, input.Unreadable(path, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, input.At(path, 0, "expected certificates in PEM", "no certificate")
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}
