# SPDX-License-Identifier: Apache-2.0
"""meshwright from Python: runs the program, or asks its server, and returns dicts.

    from meshwright import Meshwright

    mesh = Meshwright()
    result = mesh.run("gossip", topology="torus:4x4", length=16)
    print(result["cycles"], result["lower_bound"])

Every keyword but files is a flag of the verb: an underscore stands for a hyphen, and two for
a dot (nic__channels). A list repeats a flag. Errors are MeshwrightError.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import urllib.error
import urllib.request
from types import TracebackType
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Type, Union

__all__ = ["Meshwright", "MeshwrightError", "Server", "row", "rows"]

Value = Union[str, int, float, bool]
Option = Union[Value, Sequence[Value]]
Result = Dict[str, Any]  # what a verb prints with --json


class MeshwrightError(Exception):
    """A request that could not be carried out.

    exit_code is the program's (2 bad input, 3 a tool is missing, 4 too large for the
    memory), or 0 if it did not run.
    """

    def __init__(self, message: str, exit_code: int = 0, kind: str = "input") -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.kind = kind


def _flag(name: str) -> str:
    return name.replace("__", ".").replace("_", "-")


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _values(option: Option) -> List[Value]:
    if isinstance(option, (str, int, float, bool)):
        return [option]
    return list(option)


class Meshwright:
    """The program, or, if url is given, a server (see Server)."""

    def __init__(self, program: str = "meshwright", url: Optional[str] = None, timeout: Optional[float] = None) -> None:
        self.program = program
        self.url = url
        self.timeout = timeout

    def run(self, what: str, files: Optional[Mapping[str, str]] = None, **options: Option) -> Result:
        """Run a collective or a file in the cycle model."""
        return self._call("run", [what], options, files)

    def check(self, file: str, files: Optional[Mapping[str, str]] = None, **options: Option) -> Result:
        """Check a schedule for collisions without a run."""
        return self._call("check", [file], options, files)

    def plan(self, *what: str, files: Optional[Mapping[str, str]] = None, **options: Option) -> Result:
        """Compare the algorithms of a collective, with the lower bound."""
        return self._call("plan", what, options, files)

    def bound(self, collective: str, files: Optional[Mapping[str, str]] = None, **options: Option) -> float:
        """The lower bound of a collective, in cycles."""
        return float(self.plan("bound", collective, files=files, **options)["lower_bound"])

    def traffic(self, *, files: Optional[Mapping[str, str]] = None, **options: Option) -> Result:
        """Measure latency and throughput under synthetic traffic."""
        return self._call("traffic", [], options, files)

    def load(self, file: str, files: Optional[Mapping[str, str]] = None, **options: Option) -> Result:
        """Read a file of another tool, check it and run it (the verb import)."""
        return self._call("import", [file], options, files)

    def version(self) -> str:
        """The version of the program."""
        return str(self.call("version")["release"])

    def call(self, verb: str, *arguments: str, files: Optional[Mapping[str, str]] = None, **options: Option) -> Result:
        """Run any verb that has --json. files are texts by name, in the folder of the run.

        A check that fails is a result, not an error: see "failure" and "ok" in it.
        """
        return self._call(verb, arguments, options, files)

    def _call(self, verb: str, arguments: Sequence[str], options: Mapping[str, Option], files: Optional[Mapping[str, str]] = None) -> Result:
        flags = {_flag(name): _values(option) for name, option in options.items()}
        if self.url is not None:
            return self._ask(verb, arguments, flags, files or {})
        return self._start(verb, arguments, flags, files or {})

    def _start(self, verb: str, arguments: Iterable[str], flags: Mapping[str, List[Value]], files: Mapping[str, str]) -> Result:
        command = [self.program, verb, *arguments]
        command += [f"--{name}={_text(value)}" for name, values in flags.items() for value in values]
        command.append("--json")
        if not files:
            return self._finish(command, None)
        with tempfile.TemporaryDirectory(prefix="meshwright-") as folder:
            for name, text in files.items():
                with open(os.path.join(folder, os.path.basename(name)), "w", encoding="utf-8") as file:
                    file.write(text)
            return self._finish(command, folder)

    def _finish(self, command: List[str], folder: Optional[str]) -> Result:
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=self.timeout, check=False)
        except FileNotFoundError as error:
            raise MeshwrightError(f"{self.program}: no such program (expected meshwright in the path)", 0, "tool") from error
        except subprocess.TimeoutExpired as error:
            raise MeshwrightError(f"the run took longer than {self.timeout} s", 0, "timeout") from error
        if done.returncode not in (0, 1) or not done.stdout.strip():
            raise MeshwrightError(re.sub(r"^meshwright: ", "", done.stderr.strip()), done.returncode)
        result: Result = json.loads(done.stdout)
        return result

    def _ask(self, verb: str, arguments: Iterable[str], flags: Mapping[str, List[Value]], files: Mapping[str, str]) -> Result:
        body = {"arguments": list(arguments), "options": flags, "files": dict(files)}
        request = urllib.request.Request(f"{self.url}/{verb}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                result: Result = json.load(reply)["result"]
                return result
        except urllib.error.HTTPError as error:
            with error:
                fault = json.load(error)["error"]
            raise MeshwrightError(fault["message"], fault.get("exit_code", 0), fault["kind"]) from None
        except urllib.error.URLError as error:
            raise MeshwrightError(f"{self.url}: {error.reason} (expected meshwright serve)", 0, "request") from error


class Server:
    """A server for the length of a with statement; its value is a Meshwright that asks it."""

    def __init__(self, program: str = "meshwright", *flags: str) -> None:
        self.command = [program, "serve", "--listen", "127.0.0.1:0", *flags]
        self.process: Optional[subprocess.Popen[str]] = None

    def __enter__(self) -> Meshwright:
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.match(r"serving (http://\S+)", line)
        if found is None:
            self.__exit__(None, None, None)
            raise MeshwrightError(re.sub(r"^meshwright: ", "", line.strip()), 2)
        return Meshwright(url=found.group(1))

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if self.process is None:
            return
        self.process.terminate()
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.process.wait()
        self.process = None


def row(result: Mapping[str, Any], **more: Any) -> Result:
    """A flat dict of a result, ready for a table: nested names are joined by dots, lists are left out."""
    flat: Result = dict(more)

    def enter(prefix: str, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            if isinstance(value, Mapping):
                enter(f"{prefix}{name}.", value)
            elif not isinstance(value, list):
                flat[prefix + name] = value

    enter("", result)
    return flat


def rows(results: Iterable[Mapping[str, Any]]) -> List[Result]:
    """A flat dict of every result, all with the same keys: pandas.DataFrame(rows(results))."""
    flat = [row(result) for result in results]
    keys: Dict[str, None] = {}
    for one in flat:
        keys.update(dict.fromkeys(one))
    return [{key: one.get(key) for key in keys} for one in flat]
