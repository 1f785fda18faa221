"""The Rust core, through the binding in `crates/python`: strings and JSON go across, nothing else.

People use `gossamer.run`, `gossamer.check` and the command line; this module is what those are made of.
"""

from typing import final

__all__ = [
    "ArbiterTask",
    "InputError",
    "Job",
    "Planned",
    "arbiter_settings",
    "catalogue",
    "nearest",
    "pipeline_lowest_clock",
    "pipeline_mixes",
    "pipeline_run",
    "plan",
    "plan_settings",
    "plans",
    "reference",
    "schema",
    "shoal_examine",
    "shoal_header_decode",
    "shoal_header_encode",
    "shoal_header_widths",
    "template",
    "template_companion",
    "topology",
    "types",
    "version",
    "xfabric_configure",
    "xfabric_configure_settings",
    "xfabric_seconds",
    "xfabric_study",
    "xfabric_study_settings",
]

class InputError(Exception):
    """Something in the input is wrong. `str(error)` is the whole message for a person."""

@final
class ArbiterTask:
    """An arbiter, a voter or a load that has been started. It goes on by itself on threads of its own."""

    @staticmethod
    def start(role: str, settings: str) -> ArbiterTask:
        """Start what `role` says: "serve", "voter" or "load". `settings`: a JSON object; keys left out have defaults.

        Raises `InputError` where a key is unknown, a value out of its range, or the address cannot be had.
        """

    def report(self) -> str:
        """What it has done by now, as JSON."""

    def lines(self) -> list[str]:
        """What has happened since this was last asked, in sentences."""

    def stop(self) -> None:
        """Have it end: an arbiter in charge hands over before it does. The second time it ends at once."""

    def wait(self, timeout_s: float) -> bool:
        """Wait, without the interpreter lock, until it has ended; true when it has. `InputError` if it failed."""

@final
class Planned:
    """An experiment that was read and checked, and can be run."""

    @staticmethod
    def read(text: str, file: str, overrides: list[str], threads: int, memory: str | None) -> Planned:
        """Read an experiment. Raises `InputError` where it is wrong, or does not fit into memory."""

    def check(self) -> str:
        """What would run, as JSON."""

    def start(self, out: str | None, resume: bool, threads: int, wall_limit_s: float | None) -> Job:
        """Start its runs. With `out` None, tables are kept in memory."""

@final
class Job:
    """Runs that have been started. They go on by themselves on threads of their own."""

    def progress(self) -> str:
        """How far every run is, as JSON: `{"runs": [...], "hops": n, "elapsed_s": f}`."""

    def news(self) -> list[str]:
        """What happened beside the runs since the last call, in sentences: which are done again, and why."""

    def stop(self) -> None:
        """Ask all runs to end soon, keeping what they have. Returns at once."""

    def wait(self, timeout_s: float) -> bool:
        """Wait, without the interpreter lock, until all runs have ended; true when they have."""

    def manifest(self) -> str:
        """The manifest as JSON: what was run, on what, and how each run ended."""

    def table(self, run: int, name: str) -> bytes:
        """One table of one run as an Arrow IPC stream; only where the runs were kept in memory."""

def schema() -> str:
    """JSON Schema of experiment files."""

def reference() -> str:
    """Every key of an experiment file, as Markdown."""

def template(kind: str) -> str:
    """A commented experiment file to start from."""

def template_companion(kind: str) -> tuple[str, str] | None:
    """The name and the text of a file that such an experiment file reads from its own folder, if it reads one."""

def arbiter_settings(role: str) -> str:
    """The settings of an arbiter, a voter or a load, as JSON; see `plan_settings`."""

def topology(text: str, file: str, overrides: list[str], wanted: str | None) -> str:
    """The runs of an experiment and the graph of one of them, as JSON: `{"runs": [...], "graph": {...} or null}`.

    Without `wanted` it is the first run; null where no run is called `wanted`.
    """

def catalogue() -> str:
    """Fabrics, transports, workloads, topologies and flow sizes there are, as JSON."""

def nearest(word: str, known: list[str]) -> str | None:
    """Which of these a person most likely meant by `word`; None if none is near enough."""

def types() -> str:
    """What all JSON looks like that this module hands out: a JSON Schema, from which `gossamer.types` is generated.

    Under `properties` it has what each function returns, under `$defs` the types by their names.
    """

def version() -> str:
    """Version of the simulator."""

def pipeline_run(specs: str, seed: int) -> str:
    """Run packet-processing data paths, given as a JSON list; what each measured, as JSON in the same order."""

def pipeline_lowest_clock(search: str, seed: int) -> int | None:
    """The lowest clock in Hz at which a data path keeps up at all sizes. None where `most_hz` is too slow."""

def pipeline_mixes() -> str:
    """The mixes of packet sizes there are, as JSON."""

def plan(system: str, settings: str) -> str:
    """What a network of a system is made of and does, as JSON. `settings`: a JSON object; keys left out have defaults.

    Raises `InputError` where a key is unknown, a value out of its range, or the network cannot be.
    """

def plan_settings(system: str) -> str:
    """The settings of a system's plan, as JSON; `InputError` if there is no such system.

    A list of `{"name", "meaning", "default", "value", "words": [{"name", "meaning"}]}`; `value` is for help.
    """

def plans() -> str:
    """The systems that can be planned, as JSON: `[{"name": ..., "summary": ...}]`."""

def shoal_examine(nodes: int, channels: int, ports: int, schedule: str) -> str:
    """What an epoch of a Shoal fabric looks like, as JSON; `InputError` if there is no such fabric or schedule."""

def shoal_header_widths(nodes: int) -> str:
    """Bits of each field of a cell's header, as JSON."""

def shoal_header_encode(nodes: int, fields: list[int], flags: list[bool], payload: bytes) -> bytes:
    """A cell's header on the wire, with its CRC."""

def shoal_header_decode(nodes: int, header: bytes, payload: bytes) -> tuple[list[int], list[bool]] | None:
    """What a header says, or None if its CRC does not fit."""

def xfabric_configure(
    demand: tuple[str, str],
    wiring: tuple[str, str] | None,
    previous: tuple[str, str] | None,
    failed: list[str],
    settings: str,
) -> str:
    """A configuration for a rack, as JSON. Files are `(name, text)`; the name is for messages.

    Raises `InputError` where a file cannot be read, a key is unknown or a value out of its range.
    """

def xfabric_configure_settings() -> str:
    """The settings of a configuration, as JSON; see `plan_settings`."""

def xfabric_study(settings: str) -> str:
    """How topologies carry a workload, a row each, as JSON. `settings`: a JSON object; keys left out have defaults.

    Raises `InputError` where a key is unknown or a value out of its range.
    """

def xfabric_study_settings() -> str:
    """The settings of a study, as JSON; see `plan_settings`."""

def xfabric_seconds(settings: str, rounds: int) -> str:
    """Seconds of one core to find each topology of a study, the least of `rounds`, as a JSON object by topology."""
