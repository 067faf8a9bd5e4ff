// SPDX-License-Identifier: Apache-2.0

// Package formula computes constraints and derived measures of studies. A formula has names, numbers, texts in quotes,
// + - * /, comparisons, && || !, parentheses, and calls of some functions, as in Go. A dash in a name is written as an underscore.
package formula

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"slices"
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
		if call, ok := n.(*ast.CallExpr); ok && fault == nil {
			fault = checkCall(call, text)
		}
		if fault == nil && n != nil && !known(n) {
			fault = input.Errorf("expected names, numbers, texts, + - * / == != < <= > >= && || !, parentheses, "+strings.Join(functionNames(), ", "), "%q", input.Clip(text))
		}
		return true
	})
	return f, fault
}

// function is a function of numbers.
type function struct {
	least, most int // arguments
	of          func(args []float64) float64
}

// many is more arguments than anyone gives.
const many = 1000

var functions = map[string]function{
	"min":  {1, many, slices.Min[[]float64]},
	"max":  {1, many, slices.Max[[]float64]},
	"log2": {1, 1, func(args []float64) float64 { return math.Log2(args[0]) }},
	"pow":  {2, 2, func(args []float64) float64 { return math.Pow(args[0], args[1]) }},
}

func functionNames() []string { return slices.Sorted(maps.Keys(functions)) }

// checkCall refuses functions that there are not, and the wrong number of arguments.
func checkCall(call *ast.CallExpr, text string) error {
	name, _ := nameOf(call.Fun)
	f, ok := functions[name]
	switch {
	case !ok || call.Ellipsis.IsValid():
		return input.Errorf("expected "+input.Or(functionNames()), "%q: unknown function %q", input.Clip(text), input.Clip(name))
	case len(call.Args) < f.least || len(call.Args) > f.most:
		want := input.Count(f.least, "number")
		if f.most == many {
			want += " or more"
		}
		return input.Errorf("expected "+want, "%q: %s of %s", input.Clip(text), name, input.Count(len(call.Args), "number"))
	}
	return nil
}

// known reports whether a formula may have such a part.
func known(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident, *ast.ParenExpr, *ast.SelectorExpr, *ast.CallExpr:
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
	var add func(n ast.Node) bool
	add = func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok { // whose function is no name of a value
			for _, arg := range call.Args {
				ast.Inspect(arg, add)
			}
			return false
		}
		name, ok := nameOf(n)
		if ok {
			names = append(names, name)
		}
		return !ok
	}
	ast.Inspect(f.tree, add)
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

// absent is the value of a name without a value, and of what is not finite, such as a division by 0: a formula with one has none
// either.
type absent struct{}

// finite is a number, or absent.
func finite(x float64) Value {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return absent{}
	}
	return x
}

// Number returns the value of a formula: a number, or 1 or 0 of a comparison. It has none if a name has none, or if it is
// not finite; ok is false then. The value of a formula that is a text is an *input.Error.
func (f *Formula) Number(names Names) (x float64, ok bool, err error) {
	v, err := f.value(f.tree, names)
	if err != nil {
		return 0, false, err
	}
	if _, text := v.(string); text {
		return 0, false, input.Errorf("expected a number, or a comparison such as chosen == \"greedy\"", "%q is a text", input.Clip(f.text))
	}
	if x, ok = number(v); math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, false, nil
	}
	return x, ok, nil
}

// number is a number, or a truth as 1 or 0.
func number(v Value) (x float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// Holds reports whether a constraint holds.
func (f *Formula) Holds(names Names) (bool, error) {
	v, err := f.value(f.tree, names)
	if err != nil {
		return false, err
	}
	holds, ok := v.(bool)
	if _, none := v.(absent); none {
		if name := f.unset(names); name != "" {
			return false, input.Errorf("expected it in axes or in set", "%q: %s has no value", input.Clip(f.text), name)
		}
		return false, input.Errorf("expected a finite number", "%q: a division by 0, or another number that does not exist", input.Clip(f.text))
	}
	if !ok {
		return false, input.Errorf("expected a comparison such as buffer <= 8", "%q is no constraint", input.Clip(f.text))
	}
	return holds, nil
}

// unset returns the first name without a value.
func (f *Formula) unset(names Names) string {
	for _, name := range f.Uses() {
		if _, ok := names(name); !ok {
			return name
		}
	}
	return ""
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
	case *ast.CallExpr:
		return f.call(n, names)
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

func (f *Formula) call(n *ast.CallExpr, names Names) (Value, error) {
	var args []float64
	none := false
	name, _ := nameOf(n.Fun)
	for _, arg := range n.Args {
		v, err := f.value(arg, names)
		if err != nil {
			return nil, err
		}
		if _, ok := v.(absent); ok {
			none = true
			continue
		}
		x, ok := number(v)
		if !ok {
			return nil, input.Errorf("expected numbers", "%q: %s does not take a text", input.Clip(f.text), name)
		}
		args = append(args, x)
	}
	if none {
		return absent{}, nil
	}
	return finite(functions[name].of(args)), nil
}

func (f *Formula) unary(n *ast.UnaryExpr, names Names) (Value, error) {
	v, err := f.value(n.X, names)
	if err != nil {
		return nil, err
	}
	if _, none := v.(absent); none {
		return v, nil
	}
	x, ok := number(v)
	switch {
	case !ok:
		return nil, f.mismatch(n.Op)
	case n.Op == token.NOT:
		return x == 0, nil
	}
	return -x, nil
}

func (f *Formula) binary(n *ast.BinaryExpr, names Names) (Value, error) {
	a, err := f.value(n.X, names)
	if err != nil {
		return nil, err
	}
	if left, ok := number(a); ok && (n.Op == token.LAND && left == 0 || n.Op == token.LOR && left != 0) {
		return left != 0, nil // whatever the right side is, such as a division by 0
	}
	b, err := f.value(n.Y, names)
	if err != nil {
		return nil, err
	}
	if a == (absent{}) || b == (absent{}) {
		return absent{}, nil
	}
	x, isX := number(a)
	y, isY := number(b)
	if isX && isY {
		return numbers(n.Op, x, y), nil
	}
	compare := comparisons[n.Op]
	s, isS := a.(string)
	t, isT := b.(string)
	switch {
	case isS && isT && compare != nil:
		return compare(strings.Compare(s, t)), nil
	case n.Op == token.EQL: // a text is no number
		return false, nil
	case n.Op == token.NEQ:
		return true, nil
	}
	return nil, f.mismatch(n.Op)
}

// numbers computes with numbers; truths are 1 and 0.
func numbers(op token.Token, x, y float64) Value {
	switch op {
	case token.LAND:
		return x != 0 && y != 0
	case token.LOR:
		return x != 0 || y != 0
	}
	if compare := comparisons[op]; compare != nil {
		return compare(cmp.Compare(x, y))
	}
	return finite(operations[op](x, y))
}

// mismatch says that an operation does not take such values.
func (f *Formula) mismatch(op token.Token) error {
	return input.Errorf("expected two numbers, or two texts to compare", "%q: %s does not take these values", input.Clip(f.text), op)
}
