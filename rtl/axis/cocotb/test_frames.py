# SPDX-License-Identifier: Apache-2.0
"""Frames between all streams of a network, with pauses at the senders and back-pressure at the receivers.

Every frame must arrive once, whole and unchanged, and in the order of sending where the network keeps it. A frame for
its sender, or for a node that does not exist, must be dropped and reported. An offer must stand until it is taken. The
ports are those that fabric_axis.json names, or the file that has its name by export --name.
"""

import collections
import json
import os
import pathlib
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

CORE = json.loads(next((pathlib.Path(__file__).parent / "../..").glob("*_axis.json")).read_text())
FACTS = {fact["name"]: fact["value"] for fact in CORE["facts"]}
BITS = {port["name"]: port["bits"] for port in CORE["ports"]}
FRAMES = int(os.environ.get("FRAMES") or "10000")
LONGEST = 8  # beats
PATIENCE = 20000  # cycles without a beat


class Stream:
    """The signals of a stream."""

    def __init__(self, dut, role, node):
        ports = {s["name"]: s["ports"] for s in CORE["interfaces"]}[f"{role}{node}_axis"]
        self.bits = {field: BITS[port] for field, port in ports.items()}
        self.signals = {field: getattr(dut, port) for field, port in ports.items()}

    def get(self, field):
        return int(self.signals[field].value)

    def set(self, field, value):
        self.signals[field].value = value


class Board:
    """The frames in flight."""

    def __init__(self):
        self.way = collections.defaultdict(collections.deque)
        self.sent = self.arrived = self.beats = 0
        self.dropped = [0] * FACTS["nodes"]  # by sender: frames that go to no other node
        self.reported = [0] * FACTS["nodes"]

    def send(self, source, destination, frame):
        self.sent += 1
        if source == destination or destination >= FACTS["nodes"]:
            self.dropped[source] += 1
        else:
            self.way[source, destination].append(frame)

    def arrive(self, source, destination, frame):
        frames = self.way[source, destination]
        assert frame in frames, f"{source}>{destination}: no such frame is in flight: {frame}"
        if FACTS["keeps_order"]:
            assert frame == frames[0], f"{source}>{destination}: a frame has overtaken another"
        frames.remove(frame)
        self.arrived += 1

    def report(self, bits):
        for node in range(FACTS["nodes"]):
            self.reported[node] += bits >> node & 1
            assert self.reported[node] <= self.dropped[node], f"node {node}: {self.missing(node)}"

    def missing(self, node):
        return f"dropped={self.reported[node]} expected={self.dropped[node]}"

    def done(self):
        return self.arrived + sum(self.reported) == FRAMES


class Sender:
    """Offers frames, and pauses at times."""

    def __init__(self, node, stream, board):
        self.node, self.stream, self.board = node, stream, board
        self.beats = collections.deque()
        self.pause = 0
        self.offering = False
        stream.set("TVALID", 0)

    def choose(self):
        nodes = FACTS["nodes"]
        if random.random() < 0.06:
            destination = random.choice([self.node, *range(nodes, 1 << self.stream.bits["TDEST"])[:1]])
        else:
            destination = random.choice([n for n in range(nodes) if n != self.node])
        tag = random.getrandbits(self.stream.bits["TUSER"])
        data = [random.getrandbits(FACTS["width"]) for _ in range(random.randint(1, LONGEST))]
        self.board.send(self.node, destination, (tag, data))
        self.beats.extend((word, i == len(data) - 1, destination, tag) for i, word in enumerate(data))

    def step(self):
        """At a rising edge: the beat that was offered may have gone."""
        if self.offering and not self.stream.get("TREADY"):
            return
        self.offering = False
        self.pause = max(0, self.pause - 1)
        if random.random() < 0.1:
            self.pause = random.randint(1, 15)
        if not self.beats and self.board.sent < FRAMES and not self.pause:
            self.choose()
        if self.beats and not self.pause:
            word, last, destination, tag = self.beats.popleft()
            for field, value in (("TDATA", word), ("TLAST", int(last)), ("TDEST", destination), ("TUSER", tag)):
                self.stream.set(field, value)
            self.offering = True
        self.stream.set("TVALID", int(self.offering))


class Receiver:
    """Takes frames, and holds them back at times."""

    def __init__(self, node, stream, board):
        self.node, self.stream, self.board = node, stream, board
        self.stop = 0
        self.ready = False
        self.offer = None  # that was not taken
        self.frame = []
        stream.set("TREADY", 0)

    def step(self):
        """At a rising edge: a beat may have been taken. Returns whether one was."""
        valid = self.stream.get("TVALID")
        beat = tuple(self.stream.get(field) for field in ("TDATA", "TLAST", "TID", "TUSER")) if valid else None
        assert self.offer in (None, beat), f"node {self.node}: a beat was withdrawn or changed before it was taken"
        self.offer = None if self.ready else beat
        taken = bool(valid and self.ready)
        if taken:
            self.take(*beat)
        if self.stop:
            self.stop -= 1
        elif random.random() < 0.001:
            self.stop = random.randint(1, 63)
        self.ready = not self.stop and random.random() < 0.75
        self.stream.set("TREADY", int(self.ready))
        return taken

    def take(self, word, last, source, tag):
        assert all((source, tag) == begun[:2] for begun in self.frame), f"node {self.node}: two frames are mixed"
        self.frame.append((source, tag, word))
        self.board.beats += 1
        if last:
            self.board.arrive(source, self.node, (tag, [word for _, _, word in self.frame]))
            self.frame = []


@cocotb.test()
async def frames_arrive(dut):
    board = Board()
    senders = [Sender(n, Stream(dut, "s", n), board) for n in range(FACTS["nodes"])]
    receivers = [Receiver(n, Stream(dut, "m", n), board) for n in range(FACTS["nodes"])]
    clock, reset = getattr(dut, CORE["clock"]), getattr(dut, CORE["reset"]["port"])
    reset.value = 0
    cocotb.start_soon(Clock(clock, 10, "ns").start())
    for _ in range(2):
        await RisingEdge(clock)
    reset.value = 1
    cycles = quiet = 0
    while not board.done() or quiet < 100:
        await RisingEdge(clock)
        cycles, quiet = cycles + 1, quiet + 1
        if cycles > 1:
            board.report(int(dut.dropped_o.value))
        for sender in senders:
            sender.step()
        for receiver in receivers:
            if receiver.step():
                quiet = 0
        assert quiet < PATIENCE, f"no beat for {PATIENCE} cycles, {board.arrived} frames of {FRAMES} have arrived, dropped={board.reported} expected={board.dropped}"
    for node in range(FACTS["nodes"]):
        assert board.reported[node] == board.dropped[node], f"node {node}: {board.missing(node)}"
    assert not any(board.way.values()) and board.sent == FRAMES
    print(f"PASS frames={FRAMES} beats={board.beats} dropped={sum(board.reported)} cycles={cycles}")
