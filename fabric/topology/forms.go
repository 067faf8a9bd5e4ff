// SPDX-License-Identifier: Apache-2.0

package topology

import "strings"

// Form is a kind of topology as users name it.
type Form struct {
	Kind      string // the word before the colon
	Arguments string // what stands behind it
	About     string // one line
}

// String is the form, "mesh:AxB[xC..]".
func (f Form) String() string { return f.Kind + ":" + f.Arguments }

// forms is the one list of what Parse understands.
var forms = []Form{
	{"path", "N", "a line of N nodes"},
	{"ring", "N", "a closed line of N nodes"},
	{"mesh", "AxB[xC..]", "a grid"},
	{"torus", "AxB[xC..]", "a grid whose lines are rings"},
	{"twisted-torus", "AxB[,T]", "a torus whose shorter rings are shifted along the longer side by T nodes, by default the shorter side"},
	{"hypercube", "D", "2^D nodes, joined where one bit of their numbers differs"},
	{"star", "N", "the star graph: N! nodes, the permutations of N symbols, joined by exchanges with the first symbol"},
	{"hub", "N", "a tree: one node joined to N-1 others"},
	{"binary", "D", "the complete binary tree of depth D"},
	{"comb", "AxB", "a tree: a path of A nodes, and at each of them a path of B more nodes"},
	{"random-tree", "N[,SEED]", "a random tree: all trees on N numbered nodes are equally likely"},
	{"recursive-tree", "N[,SEED]", "a random tree in which the parent of each node is any earlier node"},
	{"tree", "FILE", "the tree of a CSV file: node,parent"},
	{"complete", "N", "every node joined to every other"},
	{"debruijn", "D", "the binary de Bruijn graph of 2^D nodes"},
	{"random", "N,D[,SEED]", "a connected random graph of average degree D"},
	{"graph", "FILE", "the graph of a CSV file: node,node"},
}

// Listed returns all forms, in the order of the documentation.
func Listed() []Form { return append([]Form(nil), forms...) }

// Forms lists the forms of a topology that Parse accepts, for help texts.
var Forms = func() string {
	texts := make([]string, len(forms))
	for i, f := range forms {
		texts[i] = f.String()
	}
	return strings.Join(texts, " ")
}()

var specForms = "expected " + Forms

// wantOf is the form of a kind, as what is expected; all forms if the kind is none.
func wantOf(kind string) string {
	for _, f := range forms {
		if f.Kind == kind {
			return "expected " + f.String()
		}
	}
	return specForms
}

// kinds lists the words that may stand before the colon.
func kinds() []string {
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = f.Kind
	}
	return names
}
