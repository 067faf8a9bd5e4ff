// SPDX-License-Identifier: Apache-2.0

// Package verilog holds what a generated Verilog module is (this file) and how
// it is laid out (print.go). It knows only what a top level needs: ports,
// nets, instances and continuous assignments.
package verilog

// Module is a structural Verilog module.
type Module struct {
	Name    string
	Comment []string
	Locals  []Constant // localparams, visible in ports too (as parameters)
	Ports   []Port
	Items   []Item
}

// Constant is a name for a value.
type Constant struct {
	Name, Value string
	Comment     string
}

// Port is a port of a module.
type Port struct {
	Output  bool
	Width   string // expression; "" for one bit
	Name    string
	Comment string
}

// Item is a net, an instance, an assignment or a comment in a module's body.
type Item interface{ item() }

// Wire declares a net.
type Wire struct {
	Width string // expression; "" for one bit
	Name  string
}

// Instance is a module put into another.
type Instance struct {
	Module, Name string
	Parameters   []Connection
	Ports        []Connection
}

// Connection binds a parameter or port of an instance to an expression.
type Connection struct{ Name, Value string }

// Assign drives a net.
type Assign struct{ Target, Value string }

// Always is a block of statements that a test bench runs at every event.
type Always struct {
	Event string
	Lines []string
}

// Note is a comment line; an empty one is a blank line.
type Note string

func (Wire) item()     {}
func (Instance) item() {}
func (Assign) item()   {}
func (Note) item()     {}
func (Always) item()   {}
