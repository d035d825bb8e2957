"""Judges CUDA sources in the place of a variant's, by `tailwave judge --serve`.

    with Judge("nbody", variant="shared", device="cuda:0") as judge:
        verdict = judge.judge(source, BLOCK_SIZE=256)
        if verdict.correct:
            print(verdict.time_ns.median, verdict.speedup.ratio)
        for text in candidates:
            judge.submit(text)
        for verdict in judge:        # as they are judged
            print(verdict.id, verdict.outcome, verdict.detail)

A candidate that does not compile, crashes, hangs or is wrong is a Verdict, and nothing is raised. All else is an
exception: RequestError for a request that cannot be meant or could not be judged, ServiceError where the program cannot
be started or has ended.
"""

from __future__ import annotations

import json
import os
import shutil
import socket as sockets
import subprocess
import tempfile
from dataclasses import dataclass
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

__all__ = [
    "Build",
    "Checked",
    "Judge",
    "JudgeError",
    "Kernel",
    "Limit",
    "RequestError",
    "ServiceError",
    "Speedup",
    "Time",
    "Verdict",
]

Value = Union[bool, int, float, str]


class JudgeError(Exception):
    """What is no verdict."""


class RequestError(JudgeError):
    """A request was refused, or could not be judged; `id` is its id, where it has one."""

    def __init__(self, message: str, id: Optional[int] = None) -> None:
        super().__init__(message)
        self.id = id


class ServiceError(JudgeError):
    """The program cannot be started, or has ended; the text is what it said."""


@dataclass(frozen=True)
class Time:
    """Nanoseconds of one execution: the median of the samples and its 95 % interval."""

    median: float
    low: float
    high: float
    samples: int


@dataclass(frozen=True)
class Speedup:
    """The baseline's median over the candidate's, with its 95 % interval. Above 1 the candidate is faster."""

    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class Limit:
    """The roofline bound that is nearest: the least time that the device needs, and its share of the time."""

    name: str
    time_ns: float
    share: Optional[float]


@dataclass(frozen=True)
class Checked:
    """A compared buffer: its worst comparison, and when there was one: "before", "while" and "after" timing."""

    buffer: str
    norm: str
    tolerance: Optional[float]
    worst_error: Optional[float]
    passed: bool
    phases: Tuple[str, ...]
    detail: str


@dataclass(frozen=True)
class Kernel:
    """A launch. What is None is not known: on the CPU device without target= there is no machine code of a GPU."""

    name: str
    grid: Tuple[int, int, int]
    block: Tuple[int, int, int]
    registers: Optional[int]
    spill_bytes: Optional[int]
    static_shared_bytes: Optional[int]
    dynamic_shared_bytes: int
    blocks_per_sm: Optional[int]


@dataclass(frozen=True)
class Build:
    compiler: str
    target: str
    options: str
    seconds: float
    from_cache: bool


@dataclass(frozen=True)
class Verdict:
    """What became of one candidate. docs/judging.md has the members of `json`, the whole answer."""

    id: int
    outcome: str
    unverified: str  # why nothing says whether it is right; empty: it was verified
    detail: str
    kernel_output: str
    time_ns: Optional[Time]
    speedup: Optional[Speedup]
    limit: Optional[Limit]
    checked: Tuple[Checked, ...]
    draws: int
    kernels: Tuple[Kernel, ...]
    build: Optional[Build]
    compiler_log: str
    parameters: Mapping[str, Value]
    problem: Mapping[str, Value]
    reused: bool
    json: Mapping[str, Any]

    @property
    def correct(self) -> bool:
        return self.outcome == "correct"


_MOST_LINE_BYTES = 4 << 20


def _line(request: Dict[str, Any]) -> bytes:
    """As the service reads it. What it could not read would be refused without an id, and waited for for ever."""
    for values in (request, request.get("params", {}), request.get("problem", {})):
        for name, value in values.items():
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise ValueError(f"{name}: {value} does not fit 64 bits")
    try:
        line = json.dumps(request, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"a text that is no UTF-8: {error}") from error
    if len(line) > _MOST_LINE_BYTES:
        raise ValueError(f"a request of {len(line)} bytes: a line has at most {_MOST_LINE_BYTES}")
    return line + b"\n"


def _sizes(numbers: Sequence[int]) -> Tuple[int, int, int]:
    return (numbers[0], numbers[1], numbers[2])


def _verdict(answer: Dict[str, Any]) -> Verdict:
    time, speedup, limit, build = (answer[key] for key in ("time_ns", "speedup", "limit", "build"))
    return Verdict(
        id=answer["id"],
        outcome=answer["outcome"],
        unverified=answer["unverified"],
        detail=answer["detail"],
        kernel_output=answer["kernel_output"],
        time_ns=time and Time(time["median"], time["low"], time["high"], time["samples"]),
        speedup=speedup and Speedup(speedup["ratio"], speedup["low"], speedup["high"]),
        limit=limit and Limit(limit["name"], limit["time_ns"], limit["share"]),
        checked=tuple(
            Checked(
                buffer=one["buffer"],
                norm=one["norm"],
                tolerance=one["tolerance"],
                worst_error=one["worst_error"],
                passed=one["passed"],
                phases=tuple(one["phases"]),
                detail=one.get("detail", ""),
            )
            for one in answer["checked"]["buffers"]
        ),
        draws=answer["checked"]["draws"],
        kernels=tuple(
            Kernel(
                name=one["kernel"],
                grid=_sizes(one["grid"]),
                block=_sizes(one["block"]),
                registers=one.get("registers"),
                spill_bytes=one.get("spill_bytes"),
                static_shared_bytes=one.get("static_shared_bytes"),
                dynamic_shared_bytes=one["dynamic_shared_bytes"],
                blocks_per_sm=one.get("blocks_per_sm"),
            )
            for one in answer["kernels"]
        ),
        build=build
        and Build(build["compiler"], build["target"], build["options"], build["seconds"], build["from_cache"]),
        compiler_log=answer["compiler_log"],
        parameters=answer["parameters"],
        problem=answer["problem"],
        reused=answer["reused"],
        json=answer,
    )


def _pairs(values: Mapping[str, Value]) -> str:
    words = []
    for name, value in values.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "," in text:
            raise ValueError(f"{name}: a value with a comma cannot be a default")
        words.append(f"{name}={text}")
    return ",".join(words)


class Judge:
    """A service of one's own, or with `socket` one that others have started there. To be used by one thread.

    Options are those of `tailwave judge`; `program` is looked up in $TAILWAVE, then on the PATH.
    """

    def __init__(
        self,
        system: Union[str, Sequence[str], None] = None,
        *,
        variant: Optional[str] = None,
        params: Optional[Mapping[str, Value]] = None,
        problem: Optional[Mapping[str, Value]] = None,
        baseline: Optional[str] = None,
        baseline_params: Optional[Mapping[str, Value]] = None,
        device: str = "auto",
        target: Optional[str] = None,
        samples: Optional[int] = None,
        deadline_s: Optional[float] = None,
        draw: Optional[int] = None,
        database: Union[str, "os.PathLike[str]", None] = None,
        program: Optional[str] = None,
        folder: Union[str, "os.PathLike[str]", None] = None,
        socket: Union[str, "os.PathLike[str]", None] = None,
        arguments: Sequence[str] = (),
    ) -> None:
        if (system is None) == (socket is None):
            raise ValueError("either a system to be judged or the socket of a service")
        self._socket_path = socket
        self._folder = folder
        self._command: List[str] = []
        if system is not None:
            self._command = [program or os.environ.get("TAILWAVE") or "tailwave"]
            self._command += ["judge", "--serve", "--device", device]
            for name in [system] if isinstance(system, str) else system:
                self._command += ["--system", name]
            options: Dict[str, Any] = {
                "--variant": variant,
                "--params": _pairs(params or {}) or None,
                "--problem": _pairs(problem or {}) or None,
                "--baseline": baseline,
                "--baseline-params": _pairs(baseline_params or {}) or None,
                "--target": target,
                "--samples": samples,
                "--deadline": deadline_s,
                "--draw": draw,
                "--db": database,
            }
            for option, value in options.items():
                if value is not None:
                    self._command += [option, str(value)]
            self._command += arguments
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._socket: Optional[sockets.socket] = None
        self._errors: Optional[IO[bytes]] = None
        self._requests: Optional[IO[bytes]] = None
        self._answers: Optional[IO[bytes]] = None
        self._last_id = 0
        self._waited_for: Dict[int, Optional[Dict[str, Any]]] = {}  # without an answer, or with one not taken

    def __enter__(self) -> "Judge":
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def start(self) -> None:
        """Starts the service, or connects to it."""
        if self._requests is not None:
            return
        if self._socket_path is not None:
            self._connect()
            return
        program = shutil.which(self._command[0])
        if program is None:
            raise ServiceError(f"the program '{self._command[0]}' is not there: name it with program= or $TAILWAVE")
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                [os.path.abspath(program), *self._command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=self._folder,
            )
        except OSError as error:
            self.close()
            raise ServiceError(f"{program}: cannot be started: {error}") from error
        self._requests, self._answers = self._process.stdin, self._process.stdout

    def _connect(self) -> None:
        assert self._socket_path is not None
        connection = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        try:
            connection.connect(os.fspath(self._socket_path))
        except OSError as error:
            connection.close()
            raise ServiceError(f"{os.fspath(self._socket_path)}: {error.strerror or error}") from error
        self._socket = connection
        self._requests, self._answers = connection.makefile("wb"), connection.makefile("rb")

    def close(self) -> None:
        """Ends the service when it has finished what is under way, or leaves one that is not its own."""
        for stream in (self._requests, self._answers):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass  # the other side is gone, which was said where it mattered
        self._requests = self._answers = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self._process.wait()
            self._process = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        self._waited_for.clear()

    def submit(
        self,
        source: str,
        *,
        system: Optional[str] = None,
        variant: Optional[str] = None,
        problem: Optional[Mapping[str, Value]] = None,
        samples: Optional[int] = None,
        reuse: bool = False,
        name: Optional[str] = None,
        params: Optional[Mapping[str, Value]] = None,
        **more_params: Value,
    ) -> int:
        """Asks for a judgement and does not wait for it: the id of the Verdict to come. Parameters of the variant are
        keywords, or in `params` where their names are taken. ValueError or TypeError: what no request can have."""
        self.start()
        request: Dict[str, Any] = {"id": self._last_id + 1, "source": source}
        optional = {"system": system, "variant": variant, "problem": problem, "samples": samples, "name": name}
        request.update({key: value for key, value in optional.items() if value is not None})
        parameters = {**(params or {}), **more_params}
        if parameters:
            request["params"] = parameters
        if reuse:
            request["reuse"] = True
        line = _line(request)
        self._last_id += 1
        self._waited_for[self._last_id] = None
        # Who only writes while the other side only writes waits for ever.
        while len([answer for answer in self._waited_for.values() if answer is None]) > self._MOST_UNREAD:
            self._read_answer()
        assert self._requests is not None
        try:
            self._requests.write(line)
            self._requests.flush()
        except OSError:
            self._fail()
        return self._last_id

    _MOST_UNREAD = 100

    def judge(self, source: str, **options: Any) -> Verdict:
        """submit() and the Verdict."""
        return self.wait(self.submit(source, **options))

    def wait(self, id: int) -> Verdict:
        """The Verdict of what was submitted; others that come before it are kept."""
        if id not in self._waited_for:
            raise KeyError(f"nothing with the id {id} is under way")
        while self._waited_for[id] is None:
            self._read_answer()
        return self._taken(id)

    def __iter__(self) -> Iterator[Verdict]:
        """Verdicts of all that was submitted, also meanwhile, as they come. A RequestError ends a loop; another one
        goes on with what is left."""
        while self._waited_for:
            ready = [id for id, answer in self._waited_for.items() if answer is not None]
            if ready:
                yield self._taken(ready[0])
            else:
                self._read_answer()

    def _taken(self, id: int) -> Verdict:
        answer = self._waited_for.pop(id)
        assert answer is not None
        if "error" in answer:
            raise RequestError(answer["error"], id)
        return _verdict(answer)

    def _read_answer(self) -> None:
        assert self._answers is not None
        try:
            line = self._answers.readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            self._fail()
        try:
            answer = json.loads(line)
            id = answer.get("id")
            is_answer = "error" in answer or "outcome" in answer
        except (ValueError, AttributeError):
            is_answer = False
        if not is_answer:
            raise ServiceError(f"this is no answer of tailwave judge: {line[:200].decode(errors='replace')!r}")
        if id in self._waited_for:
            self._waited_for[id] = answer
        elif id is None:
            raise ServiceError(answer["error"])  # it could not begin, or a request is lost

    def _fail(self) -> None:
        """Says why there is nobody any more."""
        said = ""
        if self._process is not None and self._errors is not None:
            status = self._process.wait()
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip()
            if status <= 0 or not said:  # it does not know that this is wrong
                said = f"it ended with status {status}" + (f": {said}" if said else "")
        raise ServiceError(said or "the service is gone")
