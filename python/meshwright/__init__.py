# SPDX-License-Identifier: Apache-2.0
"""meshwright from Python: runs the program, or asks its server, and returns dicts.

    from meshwright import Meshwright

    mesh = Meshwright()
    result = mesh.run("gossip", topology="torus:4x4", length=16)
    print(result["cycles"], result["lower_bound"])

Every keyword but files is a flag of the verb: an underscore stands for a hyphen, two for a dot
(nic__channels), and one at the end for nothing (from_). Values are texts, paths, numbers and bools; None
stands for a flag that is not given. The values of a list are joined by commas, or repeat a flag that may be
repeated. Errors are MeshwrightError.
"""

from __future__ import annotations

import base64
import csv
import http.client
import json
import operator
import os
import re
import shutil
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request
from types import TracebackType
from typing import Any, Dict, Iterable, List, Mapping, NoReturn, Optional, Sequence, SupportsFloat, SupportsIndex, Type, Union

__all__ = ["Meshwright", "MeshwrightError", "Server", "row", "rows"]
__version__ = "0.1.0"

Value = Union[str, "os.PathLike[str]", SupportsIndex, SupportsFloat]
Option = Union[Value, Sequence[Value], None]
Content = Union[str, bytes, "os.PathLike[str]"]  # of a file; a path: what is in the file there
Files = Mapping[str, Content]  # by name
Result = Dict[str, Any]  # what a verb prints with --json

# The flags that may be repeated.
_REPEATED = ("expect", "faults", "firmware", "memory-image", "merge", "out", "parameter", "plot", "set", "tie", "topology", "trace")

_MESSAGES = "meshwright-messages.csv"  # the file of messages=True

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")


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
    if name.endswith("_"):
        name = name[:-1]
    return name.replace("__", ".").replace("_", "-")


def _text(what: str, value: Any) -> str:
    """The text of a value; what names it in an error."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # a number of numpy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if hasattr(value, "__index__"):
        return str(operator.index(value))
    if hasattr(value, "__float__") and not isinstance(value, complex):
        number = float(value)
        return str(int(number)) if number.is_integer() else str(number)  # tables of numbers make 8.0 of 8
    raise MeshwrightError(f"{what}: {type(value).__name__} (expected a text, a path, a number, True, False, None, or a list of them)", 0, "request")


def _texts(name: str, option: Any) -> List[str]:
    """The values with which a flag is given, in their order."""
    what = f"option {name}"
    if option is None:
        return []
    if hasattr(option, "tolist"):
        option = option.tolist()  # an array
    if not isinstance(option, (list, tuple, range)):
        return [_text(what, option)]
    texts = [_text(what, value) for value in option]
    if texts and _flag(name) not in _REPEATED:
        texts = [",".join(texts)]
    return texts


def _argument(value: Any) -> str:
    text = _text("argument", value)
    if text.startswith("-"):
        raise MeshwrightError(f'argument "{text}" (expected options as keywords)', 0, "request")
    return text


def _by_name(method: str, others: Sequence[Any]) -> None:
    """Refuse arguments behind those of a method."""
    for other in others:
        shown = f'"{other}"' if isinstance(other, str) else type(other).__name__
        wanted = 'expected options and files by name, such as topology="mesh:4x4"'
        raise MeshwrightError(f"{method}: argument {shown} is one too many ({wanted})", 0, "request")


def _bytes(name: str, content: Any) -> bytes:
    """What is in a file."""
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, (bytes, bytearray)):
        return bytes(content)
    if not isinstance(content, os.PathLike):
        raise MeshwrightError(f"file {name}: {type(content).__name__} (expected a text, bytes or a path)", 0, "request")
    try:
        with open(content, "rb") as file:
            return file.read()
    except OSError as error:
        raise MeshwrightError(f"file {name}: {error}", 0, "request") from error


def _contents(files: Optional[Files]) -> Dict[str, bytes]:
    """The files of a request, by name."""
    if files is not None and not isinstance(files, Mapping):
        raise MeshwrightError(f"files: {type(files).__name__} (expected a dict of names and contents)", 0, "request")
    contents = {str(name): _bytes(str(name), content) for name, content in (files or {}).items()}
    for name in contents:
        if not _NAME.fullmatch(name):
            raise MeshwrightError(f'file "{name}" (expected a name of letters, digits, _ . and -, in folders with such names or in none)', 0, "request")
        parts = name.split("/")
        if any("/".join(parts[:k]) in contents for k in range(1, len(parts))):
            raise MeshwrightError(f'file "{name}" (expected no file with the name of its folder)', 0, "request")
    return contents


def _write(folder: str, name: str, content: bytes) -> None:
    path = os.path.join(folder, *name.split("/"))
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:
        raise MeshwrightError(f"{path}: {error.strerror} (expected a file that can be written)", 0, "request") from error


def _is_inside(name: str) -> bool:
    """Whether a name of an answer is that of a file in the folder."""
    return not os.path.isabs(name) and not os.path.splitdrive(name)[0] and ".." not in re.split(r"[/\\]", name)


def _within(text: str) -> None:
    """Refuse a relative name that leads out of the folder of a run, which is gone afterwards."""
    if not os.path.isabs(text) and ".." in re.split(r"[/\\]", text):
        raise MeshwrightError(f'"{text}" leads out of the folder of the files (expected a name in it, or a whole path)', 0, "request")


def _messages(stderr: str) -> str:
    """The errors of the program, each on a line."""
    return re.sub(r"^meshwright: ", "", stderr.strip(), flags=re.MULTILINE)


class Meshwright:
    """The program, or, if url is given, a server (see Server).

    program is the program's file, or its name in the path. After timeout seconds a call fails; None: never.
    Options and files are given by name: others stands for arguments that are refused.

    Files that a run writes under a relative name are in the caller's folder afterwards. With files, the run has
    a folder of its own with these alone; a server never sees other files of the caller.

    messages=True puts the messages into the result, instead of a file: result["message_times"] is a list of dicts,
    one for each message, with the columns of --messages. A time that a message does not have is None.
    """

    def __init__(self, program: Union[str, "os.PathLike[str]"] = "meshwright", url: Optional[str] = None, timeout: Optional[float] = None) -> None:
        self.program = os.fspath(program)
        self.url = url
        self.timeout = timeout

    def run(self, what: Value, *others: NoReturn, files: Optional[Files] = None, **options: Option) -> Result:
        """Run a collective or a file in the cycle model."""
        _by_name("run", others)
        return self._call("run", [what], options, files)

    def check(self, file: Value, *others: NoReturn, files: Optional[Files] = None, **options: Option) -> Result:
        """Check a schedule for collisions without a run."""
        _by_name("check", others)
        return self._call("check", [file], options, files)

    def plan(self, *what: Value, files: Optional[Files] = None, **options: Option) -> Result:
        """Compare the algorithms of a collective, with the lower bound."""
        return self._call("plan", what, options, files)

    def bound(self, collective: str, *others: NoReturn, files: Optional[Files] = None, **options: Option) -> float:
        """The lower bound of a collective, in cycles."""
        _by_name("bound", others)
        return float(self.plan("bound", collective, files=files, **options)["lower_bound"])

    def traffic(self, *others: NoReturn, files: Optional[Files] = None, **options: Option) -> Result:
        """Measure latency and throughput under synthetic traffic."""
        _by_name("traffic", others)
        return self._call("traffic", [], options, files)

    def deadlock(self, *file: Value, files: Optional[Files] = None, **options: Option) -> Result:
        """Prove that the routes of a network, or of a schedule, are free of deadlock, or find a cycle."""
        return self._call("deadlock", file, options, files)

    def load(self, file: Value, *others: NoReturn, files: Optional[Files] = None, **options: Option) -> Result:
        """Read a file of another tool, check it and run it (the verb import)."""
        _by_name("load", others)
        return self._call("import", [file], options, files)

    def version(self) -> str:
        """The version of the program."""
        return str(self.call("version")["release"])

    def call(self, verb: str, *arguments: Value, files: Optional[Files] = None, **options: Option) -> Result:
        """Run any verb that has --json. files are texts, bytes or paths by name, in the folder of the run.

        A check that fails is a result, not an error: see "failure" and "ok" in it.
        """
        return self._call(verb, arguments, options, files)

    def _call(self, verb: str, arguments: Sequence[Value], options: Mapping[str, Option], files: Optional[Files]) -> Result:
        if options.get("messages") is True:
            return self._with_messages(verb, arguments, options, files)
        return self._result(verb, arguments, options, files, None)

    def _with_messages(self, verb: str, arguments: Sequence[Value], options: Mapping[str, Option], files: Optional[Files]) -> Result:
        with tempfile.TemporaryDirectory(prefix="meshwright-") as folder:
            path = os.path.join(folder, _MESSAGES)
            named = {**options, "messages": _MESSAGES if self.url is not None else path}
            result = self._result(verb, arguments, named, files, folder)
            result["message_times"] = None
            if os.path.exists(path):  # a run that ends too early has none
                with open(path, encoding="utf-8", newline="") as file:
                    result["message_times"] = _records(file)
        return result

    def _result(self, verb: str, arguments: Sequence[Value], options: Mapping[str, Option], files: Optional[Files], kept: Optional[str]) -> Result:
        """The result of a call. kept is the folder of the messages in an answer of a server, if they are kept."""
        flags = {_flag(name): texts for name, texts in ((name, _texts(name, option)) for name, option in options.items()) if texts}
        words, contents = [_argument(a) for a in arguments], _contents(files)
        if self.url is not None:
            return self._ask(self.url.rstrip("/"), verb, words, flags, contents, kept)
        return self._start(verb, words, flags, contents)

    def _start(self, verb: str, arguments: List[str], flags: Mapping[str, List[str]], files: Mapping[str, bytes]) -> Result:
        if files:
            for text in [*arguments, *(text for texts in flags.values() for text in texts)]:
                _within(text)
        command = [_located(self.program), _argument(verb), *arguments]
        command += [f"--{name}={text}" for name, texts in flags.items() for text in texts]
        command.append("--json")
        if not files:
            return self._finish(command, None)
        with tempfile.TemporaryDirectory(prefix="meshwright-") as folder:
            for name, content in files.items():
                _write(folder, name, content)
            result = self._finish(command, folder)
            _fetch(folder, files)
            return result

    def _finish(self, command: List[str], folder: Optional[str]) -> Result:
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=self.timeout, check=False)
        except subprocess.TimeoutExpired as error:
            raise MeshwrightError(f"the run took longer than {self.timeout} s", 0, "timeout") from error
        except (OSError, ValueError) as error:
            raise _no_program(self.program, error) from error
        if done.returncode not in (0, 1) or not done.stdout.strip():
            raise MeshwrightError(_messages(done.stderr), done.returncode)
        try:
            result: Result = json.loads(done.stdout)
        except ValueError as error:
            raise MeshwrightError("the program printed no JSON (expected a verb that has --json)", done.returncode, "request") from error
        return result

    def _ask(self, url: str, verb: str, arguments: List[str], flags: Mapping[str, List[str]], files: Mapping[str, bytes], kept: Optional[str]) -> Result:
        body = {"arguments": arguments, "options": flags, "files": {name: _packed(content) for name, content in files.items()}, "return": "all"}
        try:
            request = urllib.request.Request(f"{url}/{verb}", json.dumps(body).encode(), {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                answer = json.load(reply)
                result: Result = answer["result"]
                written = {str(name): _unpacked(content) for name, content in answer.get("files", {}).items()}
        except urllib.error.HTTPError as error:
            raise _fault(url, error) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", error), (TimeoutError, socket.timeout)):
                raise MeshwrightError(f"the run took longer than {self.timeout} s", 0, "timeout") from error
            raise MeshwrightError(f"{url}: {getattr(error, 'reason', error)} (expected meshwright serve)", 0, "request") from error
        for name, content in written.items():
            if not _is_inside(name):
                raise MeshwrightError(f'file "{name}" of the answer (expected one in the folder)', 0, "request")
        for name, content in written.items():
            _write(os.getcwd() if kept is None or name != _MESSAGES else kept, name, content)
        return result


def _located(program: str) -> str:
    """The path of a program, whichever folder it runs in."""
    found = shutil.which(program) or program
    return os.path.abspath(found) if os.path.dirname(found) else found


def _no_program(program: str, error: Exception) -> MeshwrightError:
    why = "no such program" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None) or str(error)
    return MeshwrightError(f"{program}: {why} (expected meshwright in the path, or its file)", 0, "tool")


def _fetch(folder: str, files: Mapping[str, bytes]) -> None:
    """Copy the files that a run has written in its folder to the caller's."""
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            local = os.path.relpath(path, folder).replace(os.sep, "/")
            with open(path, "rb") as file:
                content = file.read()
            if files.get(local) != content:
                _write(os.getcwd(), local, content)


def _packed(content: bytes) -> Union[str, Dict[str, str]]:
    """Content of a file in a request."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _unpacked(content: Any) -> bytes:
    """Content of a file in an answer."""
    return content.encode() if isinstance(content, str) else base64.b64decode(content["base64"], validate=True)


def _fault(url: str, error: urllib.error.HTTPError) -> MeshwrightError:
    """The error of an answer."""
    with error:
        try:
            fault = json.load(error)["error"]
            return MeshwrightError(fault["message"], fault.get("exit_code", 0), fault["kind"])
        except (OSError, ValueError, KeyError, TypeError):
            return MeshwrightError(f"{url}: {error} (expected meshwright serve)", 0, "request")


class Server:
    """A server for the length of a with statement; its value is a Meshwright that asks it."""

    def __init__(self, program: Union[str, "os.PathLike[str]"] = "meshwright", *flags: str) -> None:
        self.program = os.fspath(program)
        self.flags = flags
        self.process: Optional[subprocess.Popen[str]] = None

    def __enter__(self) -> Meshwright:
        command = [_located(self.program), "serve", "--listen", "127.0.0.1:0", *self.flags]
        try:
            self.process = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
        except (OSError, ValueError) as error:
            raise _no_program(self.program, error) from error
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.match(r"serving (http://\S+)", line)
        if found is None:
            self.__exit__(None, None, None)
            raise MeshwrightError(_messages(line), 2)
        return Meshwright(url=found.group(1))

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if self.process is None:
            return
        self.process.terminate()
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.process.wait()
        self.process = None


def _number(text: Any) -> Any:
    """The number that a text is, or the text."""
    found = _NUMBER.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return text
    return float(text) if found.group(1) else int(text)


def _records(file: Iterable[str]) -> List[Dict[str, Any]]:
    """The rows of a CSV as dicts: numbers, other texts, and None for nothing."""
    return [{name: _number(text) if text else None for name, text in record.items()} for record in csv.DictReader(file)]


def row(result: Mapping[str, Any], **more: Any) -> Result:
    """A flat dict of a result, ready for a table: nested names are joined by dots, lists are left out.

    A key of the machine, such as machine.buffer, is a number if its text is a whole or decimal number. Other
    texts remain, such as "links" and "3/2".
    """
    flat: Result = dict(more)

    def enter(prefix: str, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            if isinstance(value, Mapping):
                enter(f"{prefix}{name}.", value)
            elif not isinstance(value, list):
                flat[prefix + name] = _number(value) if prefix == "machine." and name != "name" else value

    enter("", result)
    return flat


def _parts(result: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """The points or algorithms of a result that has them, each with what the result says of all; otherwise the result."""
    for name in ("points", "algorithms"):
        parts = result.get(name)
        if isinstance(parts, list) and parts and all(isinstance(part, Mapping) for part in parts):
            return [{**result, **part} for part in parts]
    return [result]


def rows(results: Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]) -> List[Result]:
    """Flat dicts of a result, or of several, all with the same keys: pandas.DataFrame(rows(results)).

    See row. A result of traffic has a row for each of its points, and one of plan for each of its algorithms: the
    fields of the point or algorithm, and those of the result. All other lists are left out, such as chosen_from,
    lengths, arguments and sensitivity.keys; rows(result["chosen_from"]) has a row for each object of such a list.
    """
    if isinstance(results, Mapping):
        results = [results]
    results = list(results)
    for result in results:
        if not isinstance(result, Mapping):
            raise MeshwrightError(f"rows: {type(result).__name__} (expected a result or a list of them)", 0, "request")
    flat = [row(part) for result in results for part in _parts(result)]
    keys: Dict[str, None] = {}
    for one in flat:
        keys.update(dict.fromkeys(one))
    return [{key: one.get(key) for key in keys} for one in flat]
