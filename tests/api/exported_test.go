// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bufio"
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// module is the path of every package of the project, and its prefix.
const module = "meshwright"

// listFile names what is exported for users alone, with the reason.
const listFile = "testdata/exported.txt"

// An exported name has a user in another package (the module of docs/library.md
// and Example functions are such users), belongs to one that has, or stands in
// the list. A name belongs to another when it is a type that the other's
// declaration shows, a constant of such a type, or a method that an interface asks for.
func TestExportedNamesHaveUsers(t *testing.T) {
	loaded := load(t)
	e := newExported(loaded)
	require.Greater(t, len(e.objects), 500)
	for _, p := range loaded {
		e.countUses(p)
	}
	public := publicNames(t)
	for name := range public {
		assert.True(t, e.objects[name] != nil, "%s: %s is no exported name: the line can go", listFile, name)
		assert.False(t, e.needed[name], "%s: %s has a user outside its package: the line can go", listFile, name)
	}
	for name := range public {
		if o := e.objects[name]; o != nil {
			e.need(o)
		}
	}
	var idle []string
	for name := range e.objects {
		if !e.needed[name] {
			idle = append(idle, name)
		}
	}
	slices.Sort(idle)
	require.Empty(t, idle, "exported without a user outside the package: make the name unexported, or add it to tests/api/%s with the reason", listFile)
}

// Another module can name every type that a public package shows: a type of an
// internal package has a name in package meshwright.
func TestShownTypesHavePublicNames(t *testing.T) {
	e := newExported(load(t))
	public := map[string]bool{}
	front := e.objects[module+".InputError"].Pkg().Scope()
	for _, name := range front.Names() {
		if o, ok := front.Lookup(name).(*types.TypeName); ok {
			public[keyOf(nameOfType(o.Type()))] = true
		}
	}
	for name, o := range e.objects {
		if internal(name) {
			continue
		}
		shown := exported{objects: e.objects, needed: map[string]bool{}}
		shown.need(o)
		for other := range shown.needed {
			if internal(other) {
				assert.True(t, public[other], "%s shows %s, which another module cannot name", name, other)
			}
		}
	}
}

// internal reports whether a name is one of an internal package.
func internal(name string) bool { return strings.HasPrefix(name, "internal/") }

// loadAll reads all packages of the project with their tests, once.
var loadAll = sync.OnceValues(func() ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
		Dir:  "../..", Tests: true,
	}, "./...")
})

func load(t *testing.T) []*packages.Package {
	loaded, err := loadAll()
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(loaded))
	return loaded
}

// publicNames reads the list: a name, a tab, and the reason in each line.
func publicNames(t *testing.T) map[string]bool {
	file, err := os.Open(listFile)
	require.NoError(t, err)
	defer file.Close()
	names := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		name, reason, _ := strings.Cut(lines.Text(), "\t")
		require.NotEmpty(t, strings.TrimSpace(reason), "%s: %q has no reason", listFile, name)
		require.NotContains(t, names, name, listFile)
		names[name] = true
	}
	return names
}

// exported are the exported names of the project's packages: package-level
// names, and the methods of exported types.
type exported struct {
	objects    map[string]types.Object
	needed     map[string]bool
	constants  map[string][]types.Object // by the key of their type
	methods    map[string][]types.Object // that interfaces ask for, by the key of their type
	interfaces map[*types.Package][]*types.Interface
	own        []*types.Interface // of the project
}

func newExported(loaded []*packages.Package) *exported {
	e := &exported{
		objects: map[string]types.Object{}, needed: map[string]bool{},
		constants: map[string][]types.Object{}, methods: map[string][]types.Object{},
		interfaces: map[*types.Package][]*types.Interface{},
	}
	var libraries []*types.Package
	for _, p := range loaded {
		if p.ID == p.PkgPath && p.Name != "main" {
			libraries = append(libraries, p.Types)
			e.own = append(e.own, e.interfacesOf(p.Types)...)
		}
	}
	for _, p := range libraries {
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				e.declare(o)
			}
		}
	}
	return e
}

// interfacesOf returns the interfaces that a package declares.
func (e *exported) interfacesOf(p *types.Package) []*types.Interface {
	if known, ok := e.interfaces[p]; ok {
		return known
	}
	var found []*types.Interface
	for _, name := range p.Scope().Names() {
		o, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if i, ok := o.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
			found = append(found, i)
		}
	}
	e.interfaces[p] = found
	return found
}

// declare enters a name, and the methods of a type.
func (e *exported) declare(o types.Object) {
	e.objects[keyOf(o)] = o
	if c, ok := o.(*types.Const); ok {
		if t := nameOfType(c.Type()); t != nil {
			e.constants[keyOf(t)] = append(e.constants[keyOf(t)], c)
		}
	}
	named := namedType(o)
	if named == nil {
		return
	}
	for m := range named.Methods() {
		if !m.Exported() {
			continue
		}
		e.objects[keyOf(m)] = m
		if e.asked(named, m) {
			e.methods[keyOf(o)] = append(e.methods[keyOf(o)], m)
		}
	}
}

// namedType returns the type that an object declares, nil when it declares none.
func namedType(o types.Object) *types.Named {
	t, ok := o.(*types.TypeName)
	if !ok || t.IsAlias() {
		return nil
	}
	named, _ := t.Type().(*types.Named)
	return named
}

// asked reports whether an interface that the type satisfies has the method:
// one of the project, of a package that the type's package imports, error, or
// what package errors asks for.
func (e *exported) asked(named *types.Named, m *types.Func) bool {
	if m.Name() == "Error" || m.Name() == "Unwrap" {
		return true
	}
	candidates := e.own
	for _, imported := range named.Obj().Pkg().Imports() {
		candidates = append(candidates[:len(candidates):len(candidates)], e.interfacesOf(imported)...)
	}
	return slices.ContainsFunc(candidates, func(i *types.Interface) bool {
		has, _, _ := types.LookupFieldOrMethod(i, false, m.Pkg(), m.Name())
		return has != nil && (types.Implements(named, i) || types.Implements(types.NewPointer(named), i))
	})
}

// keyOf names an object as package.Name or package.Type.Method, equal in all
// packages that see it.
func keyOf(o types.Object) string {
	path := strings.TrimPrefix(o.Pkg().Path(), module+"/")
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		if t := nameOfType(f.Signature().Recv().Type()); t != nil {
			return path + "." + t.Name() + "." + o.Name()
		}
	}
	return path + "." + o.Name()
}

// nameOfType returns the name of a type or of what it points to, nil when it has none.
func nameOfType(t types.Type) *types.TypeName {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj()
	}
	return nil
}

// countUses marks what a package uses of others. The list of functions beside
// this file is no user.
func (e *exported) countUses(p *packages.Package) {
	own := strings.TrimSuffix(p.PkgPath, "_test")
	if own == module+"/tests/api" {
		return
	}
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			example := ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example")
			ast.Inspect(decl, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if o := p.TypesInfo.Uses[id]; o != nil && o.Pkg() != nil && (example || o.Pkg().Path() != own) {
						e.use(o)
					}
				}
				return true
			})
		}
	}
}

// use marks an object that another package names.
func (e *exported) use(o types.Object) {
	if f, ok := o.(*types.Func); ok {
		o = f.Origin()
	}
	if known, ok := e.objects[keyOf(o)]; ok {
		e.need(known)
	}
}

// need marks an object and what belongs to it.
func (e *exported) need(o types.Object) {
	key := keyOf(o)
	if e.needed[key] || e.objects[key] == nil {
		return
	}
	e.needed[key] = true
	for _, other := range append(e.constants[key], e.methods[key]...) {
		e.need(other)
	}
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		e.needType(f.Signature().Recv().Type())
	}
	if named := namedType(o); named != nil {
		e.needConstraints(named.TypeParams())
		e.needShown(named.Underlying())
		return
	}
	e.needType(o.Type())
}

// needType marks the types that a type's text names.
func (e *exported) needType(t types.Type) {
	if a, ok := t.(*types.Alias); ok {
		if o := a.Obj(); o.Pkg() != nil && e.objects[keyOf(o)] != nil {
			e.needed[keyOf(o)] = true
		}
		t = types.Unalias(a)
	}
	n, ok := t.(*types.Named)
	if !ok {
		e.needShown(t)
		return
	}
	for a := range n.TypeArgs().Types() {
		e.needType(a)
	}
	if n.Obj().Pkg() != nil {
		e.use(n.Obj())
	}
}

// needConstraints marks what type parameters have to satisfy.
func (e *exported) needConstraints(parameters *types.TypeParamList) {
	for p := range parameters.TypeParams() {
		e.needType(p.Constraint())
	}
}

// needShown marks the types that a type without a name shows.
func (e *exported) needShown(t types.Type) {
	switch t := t.(type) {
	case *types.Signature:
		e.needConstraints(t.TypeParams())
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				e.needType(v.Type())
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				e.needType(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				e.needType(m.Type())
			}
		}
	case *types.Map:
		e.needType(t.Key())
		e.needType(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		e.needType(t.Elem())
	}
}
