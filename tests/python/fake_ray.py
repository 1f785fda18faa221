"""As much of Ray as `gossamer.cluster` uses, in threads of this process, for where Ray is not installed."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import ModuleType, SimpleNamespace
from typing import Any


class RayError(Exception):
    pass


class RayTaskError(RayError):
    pass


class WorkerCrashedError(RayError):
    pass


class TaskCancelledError(RayError):
    pass


class Handle:
    """An actor: its methods are called with `.remote`."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(remote=lambda *arguments: getattr(self._actor, name)(*arguments))


class Task:
    """A function or a class that is called with `.remote`."""

    def __init__(self, called: Any, ray: "FakeRay") -> None:
        self._called = called
        self._ray = ray
        self._name = ""

    def options(self, *, name: str, **_: Any) -> "Task":
        self._name = name
        return self

    def remote(self, *arguments: Any) -> Any:
        if isinstance(self._called, type):
            return Handle(self._called(*arguments))
        future: Future[Any] = Future()

        def work() -> None:
            with self._ray.cpus:
                try:
                    self._ray.before(self._name)
                    found = self._called(*arguments)
                except Exception as error:
                    future.set_exception(error if isinstance(error, RayError) else RayTaskError(str(error)))
                else:
                    future.set_result(found)

        threading.Thread(target=work, daemon=True).start()
        return future


class FakeRay(ModuleType):
    """The module `ray`."""

    def __init__(self, before: Callable[[str], None] = lambda _: None, cpus: int = 2) -> None:
        """`before` is called with the name of each task in its worker; what it raises is what becomes of the task."""
        super().__init__("ray")
        self.before = before
        self.cpus = threading.Semaphore(cpus)
        self.running = False
        self.addresses: list[str | None] = []
        self.exceptions = SimpleNamespace(
            RayError=RayError, RayTaskError=RayTaskError, TaskCancelledError=TaskCancelledError
        )

    def is_initialized(self) -> bool:
        return self.running

    def init(self, address: str | None, **_: Any) -> None:
        self.addresses.append(address)
        if address == "ray://nowhere:1":
            raise ConnectionError("ray client connection timeout\nmore")
        self.running = True

    def shutdown(self) -> None:
        self.running = False

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def put(self, value: Any) -> Any:
        return value

    def get(self, value: Any) -> Any:
        return value.result() if isinstance(value, Future) else value

    def wait(self, refs: Sequence[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        assert num_returns == 1
        done = threading.Event()
        for ref in refs:
            ref.add_done_callback(lambda _: done.set())
        done.wait(timeout)
        ready = [ref for ref in refs if ref.done()][:1]
        return ready, [ref for ref in refs if ref not in ready]

    def cancel(self, ref: Any) -> None:
        """A thread cannot be cancelled; it asks the board and does nothing."""

    def remote(self, called: Any = None, **_: Any) -> Any:
        return Task(called, self) if called is not None else lambda each: Task(each, self)
