// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"meshwright/capture/player"
	"meshwright/internal/listen"
)

// Server serves the page of a Watch to those who know its token.
type Server struct {
	watch *Watch
	token string
	stop  func()
	http  *http.Server
	at    net.Listener
}

// Listen begins to serve at an address HOST:PORT; port 0 is any. The button that stops the run calls stop. An address that
// cannot be had is an *input.Error.
func Listen(address, token string, stop func()) (*Server, error) {
	at, err := listen.TCP(address)
	if err != nil {
		return nil, err
	}
	return &Server{token: token, stop: stop, at: at}, nil
}

// URL returns the address of the page on this computer, with the token.
func (s *Server) URL() string {
	host := s.at.Addr().String()
	if at, ok := s.at.Addr().(*net.TCPAddr); ok && at.IP.IsUnspecified() {
		host = net.JoinHostPort("localhost", strconv.Itoa(at.Port)) // no browser opens all addresses
	}
	u := url.URL{Scheme: "http", Host: host, Path: "/", RawQuery: url.Values{"token": {s.token}}.Encode()}
	return u.String()
}

// Serve answers questions about a run, in the background.
func (s *Server) Serve(w *Watch) {
	s.watch = w
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /state", s.state)
	mux.HandleFunc("POST /pause", s.order(func(o *order, _ int) { o.hold = new(true) }))
	mux.HandleFunc("POST /resume", s.order(func(o *order, _ int) { o.hold = new(false) }))
	mux.HandleFunc("POST /step", s.order(func(o *order, by int) { o.steps = by }))
	mux.HandleFunc("POST /stop", func(to http.ResponseWriter, _ *http.Request) {
		to.WriteHeader(http.StatusNoContent)
		s.stop()
	})
	s.http = &http.Server{Handler: s.guard(mux), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	go s.http.Serve(s.at) //nolint:errcheck // it ends with Close
}

// Close ends the service.
func (s *Server) Close() error {
	if s.http == nil {
		return s.at.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return s.http.Close()
	}
	return nil
}

// guard answers only those who know the token: in the address, or as a bearer.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, from *http.Request) {
		given := from.URL.Query().Get("token")
		if given == "" {
			given, _ = cutBearer(from.Header.Get("Authorization"))
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 {
			http.Error(to, "wrong token (expected the address that meshwright printed)", http.StatusForbidden)
			return
		}
		to.Header().Set("Cache-Control", "no-store")
		to.Header().Set("Referrer-Policy", "no-referrer")
		to.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(to, from)
	})
}

func cutBearer(header string) (string, bool) {
	const scheme = "Bearer "
	if len(header) < len(scheme) || header[:len(scheme)] != scheme {
		return "", false
	}
	return header[len(scheme):], true
}

func (s *Server) page(to http.ResponseWriter, _ *http.Request) {
	to.Header().Set("Content-Type", "text/html; charset=utf-8")
	to.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'")
	_ = player.Live(to, s.watch.about) // nobody reads any more
}

func (s *Server) state(to http.ResponseWriter, from *http.Request) {
	s.answer(to, from, order{})
}

// order answers with the state after an order.
func (s *Server) order(fill func(*order, int)) http.HandlerFunc {
	return func(to http.ResponseWriter, from *http.Request) {
		by := 0
		if text := from.URL.Query().Get("by"); text != "" {
			var err error
			if by, err = strconv.Atoi(text); err != nil || by < 1 || by > mostSteps {
				http.Error(to, "by: expected 1 to "+strconv.Itoa(mostSteps), http.StatusBadRequest)
				return
			}
		}
		var o order
		fill(&o, max(1, by))
		s.answer(to, from, o)
	}
}

// mostSteps bounds the cycles of a step.
const mostSteps = 100_000

func (s *Server) answer(to http.ResponseWriter, from *http.Request, o order) {
	o.part, _ = strconv.Atoi(from.URL.Query().Get("part"))
	o.have, _ = strconv.Atoi(from.URL.Query().Get("have"))
	state, ok := s.watch.ask(from.Context(), o)
	if !ok {
		return
	}
	to.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(to).Encode(state) // nobody reads any more
}
