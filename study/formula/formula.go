// SPDX-License-Identifier: Apache-2.0

// Package formula computes constraints and derived measures of studies. A formula has names, numbers, texts in quotes,
// + - * /, comparisons, && || ! and parentheses, as in Go. A dash in a name is written as an underscore.
package formula

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// Formula is an expression over names.
type Formula struct {
	text string
	tree ast.Expr
}

// Value is a number, a text or a truth.
type Value any

// Names gives the values of names; ok is false of a name without one.
type Names func(name string) (v Value, ok bool)

// Parse reads a formula. The error is an *input.Error.
func Parse(text string) (*Formula, error) {
	tree, err := parser.ParseExpr(text)
	if err != nil {
		return nil, input.Errorf("expected a formula such as buffer * vcs <= 32", "%q", input.Clip(text))
	}
	f := &Formula{text, tree}
	var fault error
	ast.Inspect(tree, func(n ast.Node) bool {
		if fault == nil && n != nil && !known(n) {
			fault = input.Errorf("expected names, numbers, texts, + - * / == != < <= > >= && || ! and parentheses", "%q", input.Clip(text))
		}
		return true
	})
	return f, fault
}

// known reports whether a formula may have such a part.
func known(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident, *ast.ParenExpr, *ast.SelectorExpr:
		return true
	case *ast.BasicLit:
		return n.Kind == token.INT || n.Kind == token.FLOAT || n.Kind == token.STRING
	case *ast.UnaryExpr:
		return n.Op == token.SUB || n.Op == token.NOT
	case *ast.BinaryExpr:
		_, comparison := comparisons[n.Op]
		_, operation := operations[n.Op]
		return comparison || operation || n.Op == token.LAND || n.Op == token.LOR
	}
	return false
}

// Uses lists the names of the formula, in their order.
func (f *Formula) Uses() []string {
	var names []string
	ast.Inspect(f.tree, func(n ast.Node) bool {
		name, ok := nameOf(n)
		if ok {
			names = append(names, name)
		}
		return !ok
	})
	return names
}

// nameOf returns the name that a part of a formula is, such as buffer or nic.channels.
func nameOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name, true
	case *ast.SelectorExpr:
		before, ok := nameOf(n.X)
		return before + "." + n.Sel.Name, ok
	}
	return "", false
}

var comparisons = map[token.Token]func(order int) bool{
	token.EQL: func(o int) bool { return o == 0 }, token.NEQ: func(o int) bool { return o != 0 },
	token.LSS: func(o int) bool { return o < 0 }, token.LEQ: func(o int) bool { return o <= 0 },
	token.GTR: func(o int) bool { return o > 0 }, token.GEQ: func(o int) bool { return o >= 0 },
}

var operations = map[token.Token]func(a, b float64) float64{
	token.ADD: func(a, b float64) float64 { return a + b }, token.SUB: func(a, b float64) float64 { return a - b },
	token.MUL: func(a, b float64) float64 { return a * b }, token.QUO: func(a, b float64) float64 { return a / b },
}

// absent is the value of a name without a value: a formula with one has none either.
type absent struct{}

// Number returns the value of a formula that is a number, and 1 or 0 of a comparison. It has none if a name has none, or
// if it is a text; ok is false then.
func (f *Formula) Number(names Names) (x float64, ok bool, err error) {
	v, err := f.value(f.tree, names)
	switch v := v.(type) {
	case float64:
		return v, true, err
	case bool:
		if v {
			x = 1
		}
		return x, true, err
	}
	return 0, false, err
}

// Holds reports whether a constraint holds.
func (f *Formula) Holds(names Names) (bool, error) {
	v, err := f.value(f.tree, names)
	if err != nil {
		return false, err
	}
	holds, ok := v.(bool)
	if !ok {
		return false, input.Errorf("expected a comparison such as buffer <= 8", "%q is no constraint", input.Clip(f.text))
	}
	return holds, nil
}

func (f *Formula) value(n ast.Expr, names Names) (Value, error) {
	if name, ok := nameOf(n); ok {
		if v, ok := names(name); ok {
			return v, nil
		}
		return absent{}, nil
	}
	switch n := n.(type) {
	case *ast.ParenExpr:
		return f.value(n.X, names)
	case *ast.BasicLit:
		return literal(n)
	case *ast.UnaryExpr:
		return f.unary(n, names)
	case *ast.BinaryExpr:
		return f.binary(n, names)
	}
	panic("formula: a part that Parse refuses")
}

func literal(n *ast.BasicLit) (Value, error) {
	if n.Kind == token.STRING {
		return strconv.Unquote(n.Value)
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
	if err != nil {
		return nil, input.Errorf("expected a decimal number", "%q", n.Value)
	}
	return x, nil
}

func (f *Formula) unary(n *ast.UnaryExpr, names Names) (Value, error) {
	v, err := f.value(n.X, names)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case absent:
		return v, nil
	case float64:
		if n.Op == token.SUB {
			return -v, nil
		}
	case bool:
		if n.Op == token.NOT {
			return !v, nil
		}
	}
	return nil, f.mismatch(n.Op)
}

func (f *Formula) binary(n *ast.BinaryExpr, names Names) (Value, error) {
	a, err := f.value(n.X, names)
	if err != nil {
		return nil, err
	}
	b, err := f.value(n.Y, names)
	if err != nil {
		return nil, err
	}
	if a == (absent{}) || b == (absent{}) {
		return absent{}, nil
	}
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return numbers(n.Op, x, y)
		}
	case string:
		if y, ok := b.(string); ok && comparisons[n.Op] != nil {
			return comparisons[n.Op](strings.Compare(x, y)), nil
		}
	case bool:
		y, ok := b.(bool)
		if ok && n.Op == token.LAND {
			return x && y, nil
		}
		if ok && n.Op == token.LOR {
			return x || y, nil
		}
	}
	return nil, f.mismatch(n.Op)
}

func numbers(op token.Token, x, y float64) (Value, error) {
	if compare := comparisons[op]; compare != nil {
		order := 0
		if x < y {
			order = -1
		} else if x > y {
			order = 1
		}
		return compare(order), nil
	}
	if compute := operations[op]; compute != nil {
		return compute(x, y), nil
	}
	return nil, input.Errorf("expected comparisons on both sides", "%s between numbers", op)
}

// mismatch says that an operation does not take such values.
func (f *Formula) mismatch(op token.Token) error {
	return input.Errorf("expected two numbers, or two texts to compare", "%q: %s does not take these values", input.Clip(f.text), op)
}
