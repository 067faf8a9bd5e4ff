// SPDX-License-Identifier: Apache-2.0

package tests

// Faults without hope, and campaigns that cannot be.
var badFaults = []badLine{
	{"run broadcast -t star:4 -m store-forward --ports all --copies 4", `4 copies on star:4 (expected at most 3: each copy takes a tree of its own)`},
	{"run broadcast -t star:4 -m store-forward --ports all --copies 0", `--copies: 0 (expected at least 1)`},
	{"run broadcast -t star:4 -m store-forward --ports all --copies 2 --faults dead-root.csv", `dead-root.csv:2: root 0 is dead (expected a live root: nothing can be promised without it)`},
	{"run scatter -t star:4 -m store-forward --ports all --root 5 -a edst --faults cut-off.csv", `the faults cut node 0 off from root 5 (expected a network that holds together)`},
	{"run exchange -t star:4 -m store-forward --ports all --faults cut-off.csv", `the faults cut node 0 off (expected a network that holds together)`},
	{"run broadcast -t star:4 -m store-forward --ports all --copies 2 --faults cut-off.csv", `the faults cut nodes 1-23 off from root 0 (expected a network that holds together)`},
	{"run exchange -t star:4 -m store-forward --ports all --faults random:100", `random:100 faults on star:4 (expected at most 60)`},
	{"run exchange -t star:4 -m store-forward --ports all --faults drop:-0.5", `--faults: "drop:-0.5" (expected a rate from 0 to 1)`},
	{"run exchange -t star:3 -m store-forward --ports all --faults cut-off.csv", `cut-off.csv:2: link 0>6 is not a link of star:3 (expected two neighbours)`},
	{"sweep faults -t star:4", `faults: 0 arguments (expected meshwright sweep faults COLLECTIVE --topology T [flags])`},
	{"sweep faults gather -t star:4", `unknown collective "gather" (expected one of scatter, gossip, broadcast, exchange)`},
	{"sweep faults broadcast -t star:4 -m store-forward --ports all --faults random:2", `--faults: random:2 (expected none: the campaign chooses them)`},
	{"sweep faults broadcast -t star:4 --sets none", `--sets: "none" (expected a number of at least 1, or all)`},
	{"sweep faults broadcast -t star:4 --faults-of bits", `--faults-of: "bits" (expected nodes, links or both)`},
	{"sweep faults broadcast -t star:4 --count -1", `--count: -1 (expected at least 0)`},
	{"sweep faults broadcast -t star:4 --model -1", `--model: -1 (expected at least 0)`},
	{"sweep faults broadcast -t star:4 -o list.txt", `--output: list.txt (expected FILE.csv)`},
	{"sweep faults broadcast -t star:4 -m store-forward --ports all --count 60", `sets of 60 faults on star:4 (expected 0 to 59)`},
	{"sweep faults broadcast -t star:5 -m store-forward --ports all --count 6 --sets all", `all sets of 6 of 359 faults (expected 1 to 100000000)`},
	{"sweep faults broadcast -t star:4 -m bufferless --ports all --nic.channels links -a tree", `algorithm tree: its messages do not travel in copies (expected edst)`},
	{"plan tolerance", `no topology (expected --topology torus:8x8)`},
	{"plan tolerance -t star:4 --collective gather", `--collective: unknown collective "gather" (expected one of scatter, gossip, broadcast, exchange)`},
	{"plan tolerance -t star:4 --count 11", `--count: 11 (expected 0 to 10)`},
	{"plan tolerance -t star:3 --count 12 --sets 0", `--count: 12 (expected 0 to 10)`},
	{"plan tolerance -t star:4 --setup -1", `--setup: "-1" is negative (expected 0 or more)`},
	{"plan tolerance -t star:4 --checksum crc", `--checksum: unknown checksum "crc" (expected one of none, sum)`},
	{"plan tolerance -t star:4 --sets 0", `--sets: 0 (expected at least 1)`},
	{"plan tolerance -t star:3 --length 0 --root 6", `--root: 6 is not a node of star:3 (expected 0 to 5)`},
	{"plan tolerance -t star:3 --length -1", `--length: length -1 (expected a whole number of flits from 0 to 268435456)`},
}
