// SPDX-License-Identifier: Apache-2.0

// Package queue gives the points of a study to workers on any computers, through a NATS server in the process that has the
// store. The points to run are a work queue of JetStream in memory: what a worker does not acknowledge in time goes to
// another one. The store is the only memory that lasts: a server that starts again queues what the store does not have.
//
//	worker                    server
//	hello, with a version --> what is swept, the list of files
//	file, offset          --> a part of the file
//	next point            <-- the queue
//	in progress …         --> the queue: not yet for another
//	result                --> the store, and only then an answer
//	acknowledgement       --> the queue
//
// A result that comes twice is kept once: the store has one row for the key of a point.
package queue

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"

	"meshwright/internal/input"
	"meshwright/study/point"
)

// The subjects of messages, and the names of stream and consumer.
const (
	helloSubject  = "hello"
	fileSubject   = "file"
	resultSubject = "result"
	overSubject   = "over" // the last point is done
	pointSubject  = "point"
	streamName    = "points"
	consumerName  = "workers"
)

// welcome is the answer to hello.
type welcome struct {
	Version string        `json:"version"`
	Study   string        `json:"study"`
	Need    point.Need    `json:"need"`
	Lease   time.Duration `json:"lease"`
	Files   []file        `json:"files"`
}

// file is a file that the study names.
type file struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	Digest string `json:"digest"` // SHA-256, in hexadecimal
}

// piece asks for a part of a file.
type piece struct {
	File   int   `json:"file"` // in the list of files
	Offset int64 `json:"offset"`
}

// pieceBytes is the size of a part, well below the largest message of NATS.
const pieceBytes = 256 << 10

// work is a point in the queue.
type work struct {
	ID       string         `json:"id"`
	Settings point.Settings `json:"settings"`
}

// result is a worker's answer.
type result struct {
	work
	Figures point.Figures `json:"figures,omitempty"`
	Error   string        `json:"error,omitempty"`
	Refused bool          `json:"refused,omitempty"` // see store.Row
}

func textOf(id point.ID) string { return hex.EncodeToString(id[:]) }

// idOf reads what textOf writes.
func idOf(text string) (id point.ID, ok bool) {
	bytes, err := hex.DecodeString(text)
	if err != nil || len(bytes) != len(id) {
		return id, false
	}
	return point.ID(bytes), true
}

// kept is the answer to a result that is in the store.
const kept = "kept"

// answer answers a request with JSON; a worker that is gone needs none.
func answer(m *nats.Msg, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic("queue: " + err.Error())
	}
	_ = m.Respond(text)
}

// gone is the error of a server that does not answer for too long.
func gone(address string, patience time.Duration) error {
	return input.At(address, 0, "expected meshwright sweep --serve, or more --patience", "no server for %s", patience)
}
