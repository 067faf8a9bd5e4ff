// SPDX-License-Identifier: Apache-2.0

// Package chakra reads and writes execution traces of the Chakra schema (files .et), and
// turns them into tasks that run on a network.
//
// A trace is the work of one rank: protobuf messages, each behind its length as a varint.
// The first message is GlobalMetadata, all others are nodes. A node is a computation, a
// memory access, a send, a reception or a collective, and names the nodes that must be
// done before it (data_deps). Chakra's own feeder follows data_deps alone: in traces of
// PyTorch ctrl_deps name the calling operation, and circles through both occur. A workload is a file for each rank, NAME.0.et,
// NAME.1.et and so on.
//
// Source of the schema: mlcommons/chakra, schema/protobuf/et_def.proto (2026). Sizes and
// meaning of the attributes follow astra-sim/astra-sim, which runs such traces:
// comm_size is in bytes; of an all-gather it is what each rank gives, of every other
// collective the buffer of a rank.
//
// [Read] refuses what it does not understand, except for attributes that only describe a
// node. [Workload.Graph] pairs sends with receptions and spells collectives out as
// messages. [Recording] and [Write] turn a run of the model into traces.
package chakra
