# SPDX-License-Identifier: Apache-2.0
"""Tests of the package with the program that MESHWRIGHT names."""

import contextlib
import http.server
import inspect
import json
import os
import pathlib
import re
import tempfile
import threading
import unittest
from typing import Any, Iterator, Tuple

import meshwright
from meshwright import Meshwright, MeshwrightError, Server, row, rows

PROGRAM = os.environ["MESHWRIGHT"]
CHAIN = "1,0,1,4,0\n2,1,2,4,4\n"
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
        with elsewhere() as folder:
            for files in (None, {"chain.csv": CHAIN}):
                result = mesh.run("chain.csv" if files else "gossip", topology="path:3", messages=True, files=files)
                times = result["message_times"]
                self.assertEqual(len(times), result["messages"])
                self.assertEqual(max(one["last_arrival"] for one in times), result["cycles"])
            self.assertEqual(times[1], {
                "message": 2, "source": 1, "destination": 2, "flits": 4, "sent": 4, "dispatch": 4, "first_arrival": 6, "last_arrival": 9, "startup": 0, "waiting": 0, "transfer": 5,
            })
            self.assertEqual(os.listdir(folder), [])
            lost = mesh.check("chain.csv", topology="path:3", machine="bufferless", faults="dead.csv", messages=True, files={"chain.csv": CHAIN, "dead.csv": "fault,where\nlink,0-1\n"})
            self.assertIsNone(lost["message_times"][0]["last_arrival"])

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


class Number:
    """A whole number of another package, as numpy has them."""

    shape: Tuple[int, ...] = ()

    def item(self) -> int:
        return 5


class Index:
    def __index__(self) -> int:
        return 6


class Real:
    def __float__(self) -> float:
        return 0.25


class Array:
    def tolist(self) -> Any:
        return [1, 2]


@contextlib.contextmanager
def elsewhere() -> Iterator[pathlib.Path]:
    """A new folder, as the caller's."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield pathlib.Path(folder)
        finally:
            os.chdir(before)


@contextlib.contextmanager
def both() -> Iterator[Tuple[Tuple[str, Meshwright], ...]]:
    """The program, and a server of it, in a new folder of the caller."""
    with elsewhere(), Server(PROGRAM) as served:
        yield (("program", Meshwright(PROGRAM)), ("server", served))


PAIR = ".include \"lib/halt.inc\"\n"


class Options(unittest.TestCase):
    """Values of options become texts of the command line."""

    def test_values(self) -> None:
        for value, want in (
            ("a", ["a"]), (3, ["3"]), (0.5, ["0.5"]), (True, ["true"]), (False, ["false"]), (None, []), ([], []),
            (pathlib.Path("a") / "b", [os.path.join("a", "b")]), (Number(), ["5"]), (Index(), ["6"]), (Real(), ["0.25"]),
            ([1, 2.5, "x", True], ["1,2.5,x,true"]), ((1, Number()), ["1,5"]), (range(3), ["0,1,2"]), (Array(), ["1,2"]),
        ):
            with self.subTest(value=value):
                self.assertEqual(meshwright._texts("lengths", value), want)

    def test_lists_repeat_flags_that_may_be_repeated(self) -> None:
        for name, want in (("faults", ["1", "2"]), ("memory_image", ["1", "2"]), ("lengths", ["1,2"])):
            with self.subTest(name=name):
                self.assertEqual(meshwright._texts(name, [1, 2]), want)

    def test_names(self) -> None:
        for name, want in (("topology", "topology"), ("data_words", "data-words"), ("nic__channels", "nic.channels"), ("from_", "from")):
            with self.subTest(name=name):
                self.assertEqual(meshwright._flag(name), want)

    def test_values_in_calls(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                with self.subTest(name):
                    result = mesh.run("scatter", topology="path:4", lengths=[1, 2, 3], seed=None, trace=["a.csv", "b.csv"], from_=1)
                    self.assertEqual(result["flits"], 6)
                    for file in ("a.csv", "b.csv"):
                        os.remove(file)

    def test_other_values(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                for value in (b"x", {}, object(), {1}, 1j, [None], [[1]]):
                    with self.subTest(name, value=value):
                        with self.assertRaisesRegex(MeshwrightError, "^option data_words: [a-zA-Z]+ \\(expected"):
                            mesh.run("gossip", topology="ring:4", data_words=value)  # type: ignore[arg-type]


class Files(unittest.TestCase):
    """Files of requests, by the program and by its server."""

    def test_given(self) -> None:
        with both() as meshes:
            pathlib.Path("mine.s").write_text(PAIR)
            for name, mesh in meshes:
                for case, files in (
                    ("folders", {"a/x.s": PAIR, "a/lib/halt.inc": "halt\n", "b/x.s": "nonsense\n", "b/lib/halt.inc": "nonsense\n"}),
                    ("bytes", {"a/x.s": PAIR.encode(), "a/lib/halt.inc": bytearray(b"halt\n")}),
                    ("a path", {"a/x.s": pathlib.Path("mine.s"), "a/lib/halt.inc": "halt\n"}),
                ):
                    with self.subTest(name, case=case):
                        result = mesh.run(pathlib.PurePosixPath("a/x.s"), topology="path:2", files=files)  # type: ignore[arg-type]
                        self.assertEqual(result["programs"], [{"file": "a/x.s", "pes": 2}])

    def test_bytes_that_are_no_text(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                with self.subTest(name):
                    mesh.run("gossip", topology="path:3", length=2, trace="t.pcapng")
                    self.assertEqual(mesh.load("c.pcapng", files={"c.pcapng": pathlib.Path("t.pcapng")})["topology"], "path:3")
                    os.remove("t.pcapng")

    def test_refused(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                for files, want in (
                    ({"../x.s": ""}, 'file "../x.s" (expected a name of letters, digits, _ . and -, in folders with such names or in none)'),
                    ({"/x.s": ""}, 'file "/x.s" (expected a name of letters, digits, _ . and -, in folders with such names or in none)'),
                    ({"a/../x.s": ""}, 'file "a/../x.s" (expected a name of letters, digits, _ . and -, in folders with such names or in none)'),
                    ({"a": "", "a/x.s": ""}, 'file "a/x.s" (expected no file with the name of its folder)'),
                    ({"x.s": 3}, "file x.s: int (expected a text, bytes or a path)"),
                    ({"x.s": pathlib.Path("absent")}, "file x.s: [Errno 2] No such file or directory: 'absent'"),
                ):
                    with self.subTest(name, files=files):
                        with self.assertRaises(MeshwrightError) as caught:
                            mesh.run("x.s", topology="path:2", files=files)  # type: ignore[arg-type]
                        self.assertEqual((str(caught.exception), caught.exception.kind), (want, "request"))

    def test_the_name_pattern_is_the_servers(self) -> None:
        schema = pathlib.Path(__file__).resolve().parents[2] / "internal" / "serve" / "schema.json"
        pattern = json.loads(schema.read_text(encoding="utf-8"))["$defs"]["file"]["pattern"]
        self.assertEqual(pattern, f"^{meshwright._NAME.pattern}$")

    def test_written(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                for case, files in (("files", {"x.s": "halt\n", "old.csv": "old"}), ("program alone", {"x.s": "halt\n"})):
                    with self.subTest(name, case=case):
                        mesh.run("x.s", topology="path:2", files=files, dump="lost.csv", listing="l.txt")
                        self.assertTrue(pathlib.Path("lost.csv").read_text().startswith("node,address,value\n"))
                        self.assertEqual(sorted(os.listdir()), ["l.txt", "lost.csv"])
                        os.remove("lost.csv")
                        mesh.run("x.s", topology="path:2", files=files, dump="memories")
                        self.assertEqual(sorted(os.listdir("memories")), ["0.mem", "1.mem"])
                        for path in ("memories/0.mem", "memories/1.mem", "l.txt"):
                            os.remove(path)
                        os.rmdir("memories")

    def test_written_without_files(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                with self.subTest(name):
                    mesh.run("gossip", topology="path:2", messages="m.csv")
                    self.assertTrue(pathlib.Path("m.csv").read_text())
                    os.remove("m.csv")

    def test_names_that_lead_out_of_the_folder_of_files(self) -> None:
        mesh = Meshwright(PROGRAM)
        for name in ("../end.csv", "a/../../end.csv", ".."):
            with self.subTest(name):
                with self.assertRaisesRegex(meshwright.MeshwrightError, "leads out of the folder of the files"):
                    mesh.run("x.s", topology="path:2", messages=name, files={"x.s": "halt\n"})

    def test_values_that_stand_for_others(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                with self.subTest(name):
                    self.assertEqual(mesh.run("gossip", topology="path:2", length=8.0)["flits"], mesh.run("gossip", topology="path:2", length=8)["flits"])
                    with self.assertRaisesRegex(meshwright.MeshwrightError, "expected a dict of names and contents"):
                        mesh.run("gossip", topology="path:2", files="x.s")  # type: ignore[arg-type]
        result = {"cycles": 4}
        self.assertEqual(meshwright.rows(result), meshwright.rows([result]))

    def test_answers_write_only_in_the_folder(self) -> None:
        for name, want in (("a", True), ("a/b", True), ("../a", False), ("a/../../b", False), ("/a", False), ("a\\..\\b", False)):
            with self.subTest(name):
                self.assertEqual(meshwright._is_inside(name), want)


class Errors(unittest.TestCase):
    """Whatever goes wrong is a MeshwrightError."""

    def test_flags_as_arguments(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                for argument in ("--help", "-h", "-"):
                    with self.subTest(name, argument=argument):
                        with self.assertRaises(MeshwrightError) as caught:
                            mesh.run(argument)
                        self.assertEqual(str(caught.exception), f'argument "{argument}" (expected options as keywords)')

    def test_arguments_that_need_names(self) -> None:
        want = ' is one too many (expected options and files by name, such as topology="mesh:4x4")'
        with both() as meshes:
            for name, mesh in meshes:
                for method, arguments, given in (
                    ("run", ["gossip", "mesh:4x4"], '"mesh:4x4"'),
                    ("run", ["x.s", {"x.s": "halt\n"}], "dict"),
                    ("check", ["a.csv", "mesh:4x4"], '"mesh:4x4"'),
                    ("bound", ["gossip", "mesh:4x4", 8], '"mesh:4x4"'),
                    ("traffic", ["mesh:4x4"], '"mesh:4x4"'),
                    ("load", ["a.xml", None], "NoneType"),
                ):
                    with self.subTest(name, method=method, given=given):
                        with self.assertRaises(MeshwrightError) as caught:
                            getattr(mesh, method)(*arguments)
                        self.assertEqual((str(caught.exception), caught.exception.kind), (f"{method}: argument {given}{want}", "request"))

    def test_files_only_by_name(self) -> None:
        for name in ("run", "check", "plan", "bound", "traffic", "deadlock", "load", "call"):
            with self.subTest(name):
                self.assertIs(inspect.signature(getattr(Meshwright, name)).parameters["files"].kind, inspect.Parameter.KEYWORD_ONLY)

    def test_no_json(self) -> None:
        with self.assertRaisesRegex(MeshwrightError, "no JSON"):
            Meshwright(PROGRAM).run("gossip", topology="ring:4", help=True)

    def test_several_errors(self) -> None:
        want = ["x.s:1: unknown instruction \"one\"", "x.s:2: unknown instruction \"two\""]
        with both() as meshes:
            for name, mesh in meshes:
                with self.subTest(name):
                    with self.assertRaises(MeshwrightError) as caught:
                        mesh.run("x.s", topology="path:2", files={"x.s": "one\ntwo\n"})
                    lines = str(caught.exception).splitlines()
                    self.assertEqual([line.split(" (")[0] for line in lines], want)

    def test_programs(self) -> None:
        for program, want in (("/tmp", "Permission denied"), ("./no-such-program", "no such program"), (__file__, "")):
            for start in (Meshwright(program).version, Server(program).__enter__):
                with self.subTest(program):
                    with self.assertRaises(MeshwrightError) as caught:
                        start()
                    self.assertEqual(caught.exception.kind, "tool")
                    self.assertIn(want, str(caught.exception))

    def test_addresses(self) -> None:
        class Page(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.send_response(200 if "page" in self.path else 404)
                self.end_headers()
                self.wfile.write(b"[]" if "list" in self.path else b"<html>")

            def log_message(self, *_: Any) -> None:
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Page) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            here = f"http://127.0.0.1:{server.server_port}"
            for url in ("foo", "", "http://", "foo://bar", "http://127.0.0.1:x", "http://127.0.0.1:1", "file:///etc", here, here + "/page", here + "/page/list"):
                with self.subTest(url):
                    with self.assertRaisesRegex(MeshwrightError, "expected meshwright serve"):
                        Meshwright(url=url).run("gossip", topology="ring:4")
            server.shutdown()

    def test_a_relative_program(self) -> None:
        with elsewhere():
            os.symlink(os.path.abspath(PROGRAM), "mw")
            self.assertTrue(Meshwright("./mw").run("x.s", topology="path:2", files={"x.s": "halt\n"}))
            self.assertTrue(Meshwright(pathlib.Path("mw").resolve()).version())
            with Server("./mw") as mesh:
                self.assertTrue(mesh.version())


class Rows(unittest.TestCase):
    """Results as flat rows."""

    def test_row(self) -> None:
        self.assertEqual(row({"a": 1, "b": {"c": 2, "d": {"e": "x"}}, "list": [1]}, side=4), {"side": 4, "a": 1, "b.c": 2, "b.d.e": "x"})

    def test_rows_of_points(self) -> None:
        curve = {"pattern": "uniform", "points": [{"rate": 0.1, "links": {"busy_max": 0.2}}, {"rate": 0.2}]}
        want = [{"pattern": "uniform", "rate": 0.1, "links.busy_max": 0.2}, {"pattern": "uniform", "rate": 0.2, "links.busy_max": None}]
        self.assertEqual(rows([curve]), want)

    def test_rows_of_algorithms(self) -> None:
        plan = {"lower_bound": 8, "algorithms": [{"algorithm": "a", "cycles": 9}, {"algorithm": "b", "cycles": None, "refusal": "no"}]}
        want = [{"lower_bound": 8, "algorithm": "a", "cycles": 9, "refusal": None}, {"lower_bound": 8, "algorithm": "b", "cycles": None, "refusal": "no"}]
        self.assertEqual(rows(plan), want)
        answer = Meshwright(PROGRAM).plan("gossip", topology="mesh:2x2", length=8, keys="none")
        table = rows(answer)
        self.assertEqual([one["algorithm"] for one in table], [one["algorithm"] for one in answer["algorithms"]])
        self.assertEqual({(one["collective"], one["lower_bound"], one["machine.buffer"]) for one in table}, {("gossip", answer["lower_bound"], 4)})

    def test_lists_that_are_not_rows(self) -> None:
        for result in ({"a": 1, "points": []}, {"a": 1, "algorithms": []}, {"a": 1, "algorithms": ["x"]}, {"a": 1, "arguments": [{"b": 2}]}):
            with self.subTest(result=result):
                self.assertEqual(rows(result), [{"a": 1}])

    def test_keys_of_machines(self) -> None:
        for text, want in (
            ("1", 1), ("16", 16), ("0", 0), ("-3", -3), ("1.5", 1.5), ("2.0", 2.0), ("3/2", "3/2"), ("links", "links"), ("default", "default"), ("", ""),
            ("1.", "1."), (".5", ".5"), ("1e3", "1e3"), ("1_0", "1_0"), (" 1", " 1"), ("1\n", "1\n"), ("0x10", "0x10"), ("nan", "nan"), ("\u0661", "\u0661"),
        ):
            with self.subTest(text):
                got = row({"machine": {"key": text}})["machine.key"]
                self.assertEqual((got, type(got)), (want, type(want)))
        self.assertEqual(row({"flits": "4", "machine": {"name": "16"}}), {"flits": "4", "machine.name": "16"})

    def test_rows_of_runs_on_several_machines(self) -> None:
        mesh = Meshwright(PROGRAM)
        results = [mesh.run("gossip", topology="mesh:4x4", buffer=depth) for depth in (1, 2, 16)]
        self.assertEqual([one["machine.buffer"] for one in rows(results)], [1, 2, 16])
        self.assertEqual([result["machine"]["buffer"] for result in results], ["1", "2", "16"])

    def test_rows_have_the_same_keys(self) -> None:
        self.assertEqual(rows([{"a": 1}, {"b": {"c": 2}}]), [{"a": 1, "b.c": None}, {"a": None, "b.c": 2}])
        with self.assertRaisesRegex(meshwright.MeshwrightError, "^rows: str .expected a result or a list of them.$"):
            rows("abc")  # type: ignore[arg-type]


class Page(unittest.TestCase):
    """docs/serve.md describes the package."""

    def test_methods_and_arguments(self) -> None:
        page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "serve.md"
        _, text = page.read_text(encoding="utf-8").split("\n## Python\n")
        self.assertEqual(re.findall(r"^\| `(\w+)\(", text, re.MULTILINE), [name for name in vars(Meshwright) if not name.startswith("_")])
        self.assertEqual(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE), list(inspect.signature(Meshwright).parameters))

    def test_call(self) -> None:
        with both() as meshes:
            for name, mesh in meshes:
                with self.subTest(name):
                    table = rows(mesh.call("list", "algorithms"))
                    self.assertIn(("gossip", "torgos"), {(one["collective"], one["algorithm"]) for one in table})


if __name__ == "__main__":
    unittest.main()
