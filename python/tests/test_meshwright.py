# SPDX-License-Identifier: Apache-2.0
"""Tests of the package with the program that MESHWRIGHT names."""

import os
import unittest

from meshwright import Meshwright, MeshwrightError, Server, row, rows

PROGRAM = os.environ["MESHWRIGHT"]
CROWD = "message,source,destination,flits,dispatch\n1,0,3,4,0\n2,0,3,4,0\n"


class Calls(unittest.TestCase):
    """The same calls, by the program and by its server."""

    def calls(self, mesh: Meshwright) -> None:
        result = mesh.run("gossip", topology="ring:4", length=4, nic__channels="links")
        self.assertTrue(result["delivered"])
        self.assertEqual(result["machine"]["nic.channels"], "links")
        self.assertLessEqual(mesh.bound("gossip", topology="ring:4", length=4, nic__channels="links"), result["cycles"])
        verdict = mesh.check("crowd.csv", topology="ring:8", machine="bufferless", files={"crowd.csv": CROWD})
        self.assertFalse(verdict["ok"])
        with self.assertRaises(MeshwrightError) as caught:
            mesh.run("gossip", topology="mesh:0x4")
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIn("mesh:0x4", str(caught.exception))
        self.assertTrue(mesh.version())

    def test_program(self) -> None:
        self.calls(Meshwright(PROGRAM))

    def test_server(self) -> None:
        with Server(PROGRAM) as mesh:
            self.calls(mesh)
            with self.assertRaises(MeshwrightError) as caught:
                mesh.check("/etc/passwd", topology="ring:8")
            self.assertEqual(caught.exception.kind, "request")

    def test_server_that_does_not_start(self) -> None:
        with self.assertRaises(MeshwrightError):
            with Server(PROGRAM, "--jobs", "0"):
                self.fail("it started")

    def test_no_program(self) -> None:
        with self.assertRaises(MeshwrightError) as caught:
            Meshwright("./no-such-program").version()
        self.assertEqual(caught.exception.kind, "tool")


class Rows(unittest.TestCase):
    """Results as flat rows."""

    def test_row(self) -> None:
        self.assertEqual(row({"a": 1, "b": {"c": 2, "d": {"e": "x"}}, "list": [1]}, side=4), {"side": 4, "a": 1, "b.c": 2, "b.d.e": "x"})

    def test_rows_have_the_same_keys(self) -> None:
        self.assertEqual(rows([{"a": 1}, {"b": {"c": 2}}]), [{"a": 1, "b.c": None}, {"a": None, "b.c": 2}])


if __name__ == "__main__":
    unittest.main()
