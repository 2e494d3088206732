"""Sockets over simulated TCP in virtual time, for tests of programs that communicate.

>>> network = seamline.Network(text_of_a_scenario)
>>> async def client():
...     with await network.connect("client", ("server", 80)) as socket:
...         await socket.send_all(b"hello")
...         return await socket.receive(100)
>>> network.run(client())
"""

from __future__ import annotations

from collections import deque
from collections.abc import Coroutine, Generator
from heapq import heappop, heappush
from types import TracebackType
from typing import Any, Generic, TypeVar

from . import _seamline
from ._seamline import SocketCore, SocketHandle
from .scenario import Scenario

__all__ = ["Listener", "Network", "Socket", "Stalled", "Task"]

T = TypeVar("T")


class Stalled(RuntimeError):
    """Tasks wait for what never happens, or are not done at the end of the scenario."""


class _Until:
    """An awaitable that hands over what is waited for."""

    def __init__(self, what: Any) -> None:
        self._what = what

    def __await__(self) -> Generator[Any, None, None]:
        yield self._what


class Task(Generic[T]):
    """A program that runs on a network. ``await`` gives its result, and raises what ended it."""

    def __init__(self, program: Coroutine[Any, Any, T]) -> None:
        self._program = program
        self._result: T | None = None
        self._error: BaseException | None = None
        self._waiting: list[Task[Any]] = []
        #: Whether it has come to its end.
        self.done = False

    @property
    def result(self) -> T:
        """What the program has returned; raises what it has raised."""
        if not self.done:
            raise Stalled("the task is not done")
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def __await__(self) -> Generator[Any, None, T]:
        while not self.done:
            yield self
        return self.result


class Socket:
    """One end of a connection. Methods that end in ``_nowait`` raise :class:`BlockingIOError` in place of waiting. It closes itself when
    nothing refers to it."""

    def __init__(self, core: SocketCore, handle: SocketHandle) -> None:
        self._core, self._handle = core, handle
        self._is_open = True

    @property
    def local(self) -> tuple[str, int]:
        """Node and port of this end."""
        return self._core.ends(self._handle)[0]

    @property
    def remote(self) -> tuple[str, int]:
        """Node and port of the other end."""
        return self._core.ends(self._handle)[1]

    async def receive(self, most: int) -> bytes:
        """Receive at least one byte and at most ``most`` bytes. Returns ``b""`` at the end of the stream."""
        while (data := self._core.receive(self._handle, most)) is None:
            await _Until(self._handle)
        return data

    async def receive_exactly(self, count: int) -> bytes:
        """Receive exactly ``count`` bytes.

        Raises:
            EOFError: The other end sends no more.
        """
        parts = []
        while count > 0:
            part = await self.receive(count)
            if not part:
                raise EOFError(f"{count} bytes are missing")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    async def receive_all(self) -> bytes:
        """Everything until the other end sends no more."""
        parts = []
        while part := await self.receive(1 << 20):
            parts.append(part)
        return b"".join(parts)

    async def send(self, data: bytes) -> int:
        """Send as many bytes as there is room for, at least one; how many is returned."""
        while (taken := self._core.send(self._handle, data)) is None:
            await _Until(self._handle)
        return taken

    async def send_all(self, data: bytes) -> None:
        """Send all of it."""
        rest = memoryview(data)
        while rest:
            # The native side copies what it takes, which is at most the send buffer of TCP.
            rest = rest[await self.send(bytes(rest[: 1 << 20])) :]

    def receive_nowait(self, most: int) -> bytes:
        """As :meth:`receive`, without waiting."""
        data = self._core.receive(self._handle, most)
        if data is None:
            raise BlockingIOError("nothing has arrived")
        return data

    def send_nowait(self, data: bytes) -> int:
        """As :meth:`send`, without waiting."""
        taken = self._core.send(self._handle, data)
        if taken is None:
            raise BlockingIOError("there is no room, or no connection yet")
        return taken

    @property
    def connected(self) -> bool:
        """Whether the handshake is complete. Raises the error if it failed."""
        return self._core.connected(self._handle)

    def shutdown(self) -> None:
        """Send no more. The other end learns of it after everything that was sent; this end still receives."""
        self._core.shutdown(self._handle)

    def close(self) -> None:
        """Close it: what was sent still goes to the other end. If there is data that was not received, the other end gets a reset."""
        if self._is_open:
            self._is_open = False
            self._core.close(self._handle)

    def abort(self) -> None:
        """Reset the connection."""
        if self._is_open:
            self._is_open = False
            self._core.abort(self._handle)

    def __enter__(self) -> Socket:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class Listener:
    """Waits for connections at a port. Closed, it resets connections that nobody has accepted."""

    def __init__(self, core: SocketCore, handle: SocketHandle) -> None:
        self._core, self._handle = core, handle

    async def accept(self) -> Socket:
        """The next connection."""
        while (handle := self._core.accept(self._handle)) is None:
            await _Until(self._handle)
        return Socket(self._core, handle)

    def accept_nowait(self) -> Socket:
        """As :meth:`accept`, without waiting."""
        handle = self._core.accept(self._handle)
        if handle is None:
            raise BlockingIOError("nobody has connected")
        return Socket(self._core, handle)

    def close(self) -> None:
        """Listen no more."""
        self._core.close(self._handle)


class Network:
    """A network in virtual time, and the programs that communicate over it.

    The network is described as a scenario is; it needs no flows, and those that it has are background traffic. TCP is that of the
    simulator, by default of Linux 6.12 with CUBIC. The same programs with the same seed take the same virtual time on every computer.
    """

    def __init__(self, scenario: Scenario | str, *, seed: int | None = None) -> None:
        """
        Args:
            scenario: A scenario of one grid cell, or its text.
            seed: In place of the scenario's first seed.
        """
        if isinstance(scenario, str):
            scenario = Scenario.from_toml(scenario, "network.toml")
        settings = [*scenario.settings, *([] if seed is None else [f"seeds=[{seed}]"])]
        self._core = _seamline.SocketCore(scenario.name, scenario.text, settings)
        self._turns: deque[Task[Any]] = deque()
        self._unfinished = 0
        self._at: dict[SocketHandle, list[Task[Any]]] = {}
        self._sleepers: list[tuple[int, int, Task[Any]]] = []
        self._slept = 0

    @property
    def now(self) -> float:
        """Seconds since the start."""
        return self._core.now / 1e9

    @property
    def nodes(self) -> list[str]:
        """The names of the nodes."""
        return self._core.nodes

    def listen(
        self,
        node: str,
        port: int,
        *,
        profile: str | None = None,
        variant: str | None = None,
        handover: str | None = None,
    ) -> Listener:
        """Listen at a port of a node, with this TCP."""
        return Listener(self._core, self._core.listen(node, port, (profile, variant, handover)))

    async def connect(
        self,
        node: str,
        remote: tuple[str, int],
        *,
        profile: str | None = None,
        variant: str | None = None,
        handover: str | None = None,
    ) -> Socket:
        """Connect a node to a port of another one, with this TCP.

        Raises:
            ConnectionRefusedError: Nobody listens there.
            TimeoutError: Nothing came back in time.
        """
        socket = self.connect_nowait(node, remote, profile=profile, variant=variant, handover=handover)
        while not socket.connected:
            await _Until(socket._handle)
        return socket

    def connect_nowait(
        self,
        node: str,
        remote: tuple[str, int],
        *,
        profile: str | None = None,
        variant: str | None = None,
        handover: str | None = None,
    ) -> Socket:
        """Begin to connect. The socket's ``connected`` says when the handshake is over."""
        return Socket(self._core, self._core.connect(node, *remote, (profile, variant, handover)))

    async def sleep(self, seconds: float) -> None:
        """Wait for so long."""
        await _Until(self._core.now + round(seconds * 1e9))

    def spawn(self, program: Coroutine[Any, Any, T]) -> Task[T]:
        """Run a program next to others. It begins when time passes, or when the program that spawns it waits."""
        task = Task(program)
        self._turns.append(task)
        self._unfinished += 1
        return task

    def run(self, program: Coroutine[Any, Any, T] | None = None) -> T | None:
        """Run a program to its end, while others do what they have to do; without one, all that were spawned. Returns the program's result.

        Raises:
            Stalled: Programs wait for what never happens, or are not done at the end of the scenario.
        """
        task = self.spawn(program) if program is not None else None
        end = self._core.duration
        while True:
            self._take_turns()
            if task.done if task is not None else self._unfinished == 0:
                return task.result if task is not None else None
            if self._core.now >= end:
                raise Stalled(f"{self._unfinished} tasks are not done at the end of the scenario, {end / 1e9:g} s")
            if not self._sleepers and not self._core.is_busy():
                raise Stalled(f"{self._unfinished} tasks wait for what never happens")
            self._pass(min(self._sleepers[0][0], end) if self._sleepers else end)

    def run_until(self, seconds: float) -> None:
        """Let time pass until then, since the start. Programs do what is due."""
        end = round(seconds * 1e9)
        while True:
            self._take_turns()
            sleeper = self._sleepers[0][0] if self._sleepers and self._sleepers[0][0] <= end else None
            if not self._pass(end if sleeper is None else sleeper) and sleeper is None:
                return

    def _pass(self, until: int) -> bool:
        """Let time pass until something happens, at most until then; whether something has."""
        ready = self._core.advance(max(until, self._core.now))
        for handle in ready:
            self._turns.extend(self._at.pop(handle, ()))
        while self._sleepers and self._sleepers[0][0] <= self._core.now:
            self._turns.append(heappop(self._sleepers)[2])
        return bool(ready)

    def _take_turns(self) -> None:
        while self._turns:
            task = self._turns.popleft()
            try:
                self._wait(task, task._program.send(None))
            except StopIteration as end:
                self._finish(task, end.value, None)
            except BaseException as error:
                is_awaited = bool(task._waiting)
                self._finish(task, None, error)
                if not is_awaited:
                    raise

    def _finish(self, task: Task[Any], result: Any, error: BaseException | None) -> None:
        task.done, task._result, task._error = True, result, error
        self._unfinished -= 1
        self._turns.extend(task._waiting)

    def _wait(self, task: Task[Any], what: object) -> None:
        """A task waits for something at a socket, a time in nanoseconds, or the end of another task."""
        if isinstance(what, SocketHandle):
            self._at.setdefault(what, []).append(task)
        elif isinstance(what, Task):
            what._waiting.append(task)
        elif isinstance(what, int):
            self._slept += 1
            heappush(self._sleepers, (what, self._slept, task))
        else:
            raise TypeError(f"a program of a network cannot wait for {what!r}: use the methods of the network")
