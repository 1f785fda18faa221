"""What the core hands to Python, as dicts: plans, graphs, topologies, progress, manifests.

Generated from structures of the Rust crates and their comments by `tools/docs.py --write` (`make docs`): change those.
Names end in their unit; numbers without one are counts or ratios.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class PlannedFault(TypedDict):
    """Something that breaks during a run: one `[[fault]]` of its file, with what was drawn for it."""

    at_ps: int
    """When it breaks, in picoseconds of simulated time."""
    until_ps: int | None
    """When it works again; None if it stays broken until the run ends."""
    targets: list[str]
    """What breaks: names of links or nodes."""
    effect: str
    """What it does then, in words: `"down"`, `"bit error rate 1e-9"`, `"down for 1 ms every 5 ms"`."""


class PlannedWorkload(TypedDict):
    """One workload as it would run."""

    name: str
    """Its name."""
    kind: str
    """Its kind, as experiment files have it."""
    transport: str
    """The kind of transport of its flows."""
    description: str
    """What it sends, in a line."""
    flows: int | None
    """How many flows it starts if every flow that has an end does end in time: exact for lists, the mean for arrivals
    at random; None if it depends on the network."""
    mean_bytes: float | None
    """Mean size; None if the flows never end."""
    offered_load: float | None
    """Payload that it offers over the sum of all hosts' link rates; None if it waits for the network."""
    offered_bps: float | None
    """Payload bits a second that it offers, whatever the network carries; None if it waits for the network."""


class Worth(TypedDict):
    """What a run's network can carry, draws and costs; in files with `[compare]`."""

    bisection_bps: int | None
    """What half of the hosts can send to the other half, in b/s; None if that is not known."""
    bisection: str
    """What of the topology is counted for it, or why it is not known."""
    power_w: float | None
    """What switches and links draw, in W; None if one of the two is not given."""
    power_switches_w: float | None
    """What switches alone draw."""
    power_not_given: str
    """Why the power of something is not given; empty if all is."""
    cost_usd: float | None
    """What switches and links cost, in USD; None if one of the two is not given."""
    cost_switches_usd: float | None
    """What switches alone cost."""
    cost_not_given: str
    """Why the price of something is not given; empty if all is."""
    counted: str
    """What power and cost include, and what they leave out."""
    prices: list[str]
    """Prices and powers that were used, with their dates and sources, in words."""


class PlannedRun(TypedDict):
    """One run as it would go, and roughly what it would cost."""

    name: str
    """Its name."""
    variant: str | None
    """The variant that it is of."""
    sweep: dict[str, Any]
    """Full key of each swept axis, and the value in this run."""
    seed: int
    """Where all its chance comes from."""
    hosts: int
    """Hosts of its topology."""
    switches: int
    """Switches of its topology."""
    links: int
    """Links of its topology; the two directions of a cable are two."""
    topology: str
    """Its topology in words."""
    fabric: str
    """The kind of its fabric."""
    transport: str
    """The kinds of its transports."""
    duration_ps: int
    """When it ends at the latest, in picoseconds."""
    warmup_ps: int
    """From when on everything is measured, in picoseconds."""
    faults: list[PlannedFault]
    """What would break."""
    workloads: list[PlannedWorkload]
    """Its workloads, in the order of the file."""
    estimated_hops: float
    """Frames over links, acknowledgements too: an order of magnitude."""
    estimated_core_s: float
    """Seconds of one core that these take: an order of magnitude."""
    estimated_memory_bytes: int
    """Memory that it takes, in bytes."""
    worth: NotRequired[Worth | None]
    """What its network can carry, draws and costs, in files with `[compare]`."""


class Plan(TypedDict):
    """What an experiment would run."""

    title: str | None
    """The experiment's title."""
    runs: list[PlannedRun]
    """Its runs, in their order."""
    warnings: list[str]
    """What a person should know, though nothing is wrong."""


RunStatus: TypeAlias = Literal["not-started", "running", "done", "stopped", "stalled", "out-of-time", "failed"]
"""How a run ended.

- `not-started`: It has not begun.
- `running`: It goes on.
- `done`: It did what it was to do.
- `stopped`: It was stopped; its results go as far as it came.
- `stalled`: Nothing moved any more; the message says who waits for what.
- `out-of-time`: The budget of wall-clock time was spent; its results go as far as it came.
- `failed`: It could not go on; the message says why.
"""


class RunProgress(TypedDict):
    """How far a run is."""

    name: str
    """Its name."""
    status: RunStatus
    """Whether it has begun, or how it ended."""
    simulated_ps: int
    """Simulated time so far, in picoseconds."""
    duration_ps: int
    """Simulated time that was asked for."""
    hops: int
    """Frames over links so far."""
    flows: int
    """Flows that have ended so far, in this job."""
    expected_flows: int | None
    """Flows of which it is over once all have ended, as expected; none if it goes on for all of its time, or if it
    depends on the network how many there are."""
    earlier: bool
    """An earlier job did it, with whose results this one goes on."""


class Progress(TypedDict):
    """How far all runs are.

    A hop is one frame over one link.
    """

    runs: list[RunProgress]
    """Each run."""
    hops: int
    """Frames over links so far, of all runs."""
    elapsed_s: float
    """Seconds since the start."""


class Digest(TypedDict):
    """How long a file is, and the SHA-256 of its bytes."""

    bytes: int
    """Its length in bytes."""
    sha256: str
    """SHA-256 (FIPS 180-4) in hexadecimal digits."""


class Machine(TypedDict):
    """A machine."""

    cpu: str
    """Its processor."""
    cores: int
    """Processors that may be used."""
    os: str
    """Operating system and architecture."""


ExperimentStatus: TypeAlias = Literal["running", "done", "stopped", "failed"]
"""How an experiment ended.

- `running`: It goes on.
- `done`: Every run is done.
- `stopped`: It was stopped.
- `failed`: A run failed or stalled.
"""


EqualSpec: TypeAlias = Literal["bisection", "cost", "power"]
"""What networks can have alike.

- `bisection`: What half of the hosts can send to the other half over all links, for the worst halves. Half of it
  with Shoal, whose cells cross the rack twice; with XFabric that of the torus that it begins as.
- `cost`: Price of switches and links by the planner's book, NICs aside.
- `power`: Power of switches and transceivers by the planner's book, NICs aside.
"""


class CompareSpec(TypedDict):
    """What is to be alike for all variants, and what flows are compared with.

    For files whose variants are different networks: their report leads with a table of all of them, and with what each
    draws and costs.
    """

    equal: EqualSpec | None
    """What all networks must have alike. It is counted from the topology of each before anything runs, and a file whose
    variants differ by more than `within` is refused. A network of which it is not known is not refused but named."""
    within: float
    """By what share of the largest value they may differ."""
    reference: str | None
    """A variant: the slowdown of a flow in the report's first table is its completion time over what it would take
    alone in the network of this one. By default each network is compared with itself, which favours those in which a
    flow alone is slow."""


class RunEntry(TypedDict):
    """A run: how it was made, and how it ended."""

    name: str
    """Its name."""
    folder: str
    """Its folder, from that of the experiment."""
    variant: str | None
    """Its variant."""
    sweep: dict[str, Any]
    """Its place on the axes of the sweep."""
    seed: int
    """Its seed."""
    plan: str
    """SHA-256 of what was checked of its file, with the files that it reads: by this and its version it is known again.
    Empty in manifests of versions that knew none."""
    gossamer: str
    """Version that ran it."""
    faults: list[PlannedFault]
    """What broke during it."""
    status: RunStatus
    """How it ended."""
    message: str | None
    """What there is to say of that."""
    core_s: float
    """Seconds of processor time."""
    hops: int
    """Frames over links."""
    simulated_ps: int
    """Simulated time at the end, in picoseconds."""
    tables: dict[str, Digest]
    """Its tables that are closed, and what is in their files."""
    worth: NotRequired[Worth | None]
    """What its network can carry, draws and costs, in files with `[compare]`."""


class Manifest(TypedDict):
    """`manifest.json` of a results folder: what was run, on what, and how each run ended."""

    gossamer: str
    """Version that ran it."""
    title: str | None
    """The experiment's title."""
    file: str
    """Its file, without folders."""
    overrides: list[str]
    """What `--set` changed, as `key=value`."""
    inputs: dict[str, Digest]
    """The other files that it reads, as it names them."""
    started: str
    """When it was started (RFC 3339)."""
    wall_s: float
    """Seconds since."""
    threads: int
    """Runs at once."""
    machine: Machine
    """What it ran on."""
    status: ExperimentStatus
    """How it ended."""
    message: NotRequired[str | None]
    """What there is to say of that. Only in memory: it says why the file could not be written."""
    compare: NotRequired[CompareSpec | None]
    """What is to be alike for all runs, and what their flows are compared with."""
    runs: list[RunEntry]
    """Its runs."""


ArbiterRole: TypeAlias = Literal["standby", "claiming", "active", "retiring"]
"""What an arbiter is doing.

- `standby`: Another one is in charge, as far as it knows.
- `claiming`: It is asking voters.
- `active`: It hands out slots.
- `retiring`: It hands out what it has leased and ends then, while another one takes over.
"""


class ArbiterRefused(TypedDict):
    """Requests that no host of the pod can have made.

    They change nothing.
    """

    unknown_host: int
    """From or for a host that is not of the pod."""
    to_itself: int
    """From a host for slots to itself."""
    from_the_future: int
    """From a host whose slot is after the arbiter's."""


class ArbiterMalformed(TypedDict):
    """Datagrams that were refused, by the first thing that was wrong with them."""

    short: int
    """Shorter than a header and a tag."""
    long: int
    """Longer than any datagram of this format."""
    magic: int
    """Not of this format at all: they begin with other bytes."""
    version: int
    """Of another version."""
    length: int
    """Cut off, or with something behind them: another length than their header says."""
    tag: int
    """Forged or damaged, or made with another key."""
    slot_length: int
    """From a sender whose slots are of another length."""
    kind: int
    """Of no kind that there is."""
    body: int
    """With a body that its kind cannot have."""
    value: int
    """With a number that means nothing where it stands."""


class ArbiterLatency(TypedDict):
    """How long something took, in nanoseconds.

    Quantiles are right to 0.4 %.
    """

    count: int
    """How many were measured."""
    p50_ns: int | None
    """The median."""
    p99_ns: int | None
    """What 99 % do not exceed."""
    p999_ns: int | None
    """What 99.9 % do not exceed."""
    max_ns: int | None
    """The longest, exactly."""


class ArbiterMetrics(TypedDict):
    """What an arbiter has done since it began."""

    address: str
    """The address that it listens on."""
    role: ArbiterRole
    """What it is doing."""
    epoch: int
    """The number of its epoch, the last one that it has claimed; 0 if it has claimed none."""
    times_in_charge: int
    """How often it has taken charge."""
    uptime_ns: int
    """Since it began, in nanoseconds."""
    slot: int
    """The slot that it is."""
    slot_ps: int
    """How long a slot lasts, in picoseconds."""
    hosts: int
    """Hosts of the pod."""
    hosts_heard: int
    """Hosts that have asked."""
    request_datagrams: int
    """Datagrams of requests that came."""
    requests: int
    """Requests that came: one for each destination that a host wants slots for."""
    refused: ArbiterRefused
    """Requests that were refused."""
    allocations: int
    """Slots that were given to hosts."""
    resends: int
    """Allocations that were sent once more because a host did not hold them in time."""
    allocation_datagrams: int
    """Datagrams of allocations that were sent."""
    slots_behind: int
    """Slots that passed before the arbiter's thread had its turn; allocations are made ahead, so none of them need be
    lost."""
    most_slots_behind: int
    """The most of these at once."""
    slots_lost: int
    """Slots that passed while it was in charge and that it handed out to nobody: it was behind by more than it works
    ahead, or voters had not leased them."""
    beats_sent: int
    """Beats that were sent."""
    beats_heard: int
    """Beats of others that came."""
    leases_asked: int
    """Leases that voters were asked for."""
    votes_granted: int
    """Votes for it."""
    votes_refused: int
    """Votes against it."""
    malformed: ArbiterMalformed
    """Datagrams that were refused, by what is wrong with them."""
    misplaced: int
    """Datagrams that are for somebody else: a question to a voter, say."""
    strangers: int
    """Beats and votes from addresses that are none of the other arbiters' and voters'."""
    overruns: int
    """Datagrams that were dropped because too many waited."""
    kernel_drops: int | None
    """Datagrams that the kernel dropped because the socket's buffer was full; None where it does not tell."""
    send_failures: int
    """Datagrams that the system would not send."""
    latency: ArbiterLatency
    """From when a request for more slots to a destination came until the first of them was given."""


class VoterMetrics(TypedDict):
    """What a voter has done since it began."""

    address: str
    """The address that it listens on."""
    epoch: int
    """The number of the epoch that it obeys."""
    arbiter: int
    """The number of the arbiter whose epoch that is."""
    until: int
    """The first slot that it has leased to nobody."""
    uptime_ns: int
    """Since it began, in nanoseconds."""
    granted: int
    """Leases that it granted."""
    refused: int
    """Leases that it refused."""
    unwritten: int
    """Leases that it could not answer because what it has to remember could not be written."""
    malformed: ArbiterMalformed
    """Datagrams that were refused, by what is wrong with them."""
    misplaced: int
    """Datagrams that are not for a voter."""
    overruns: int
    """Datagrams that were dropped because too many waited."""
    kernel_drops: int | None
    """Datagrams that the kernel dropped because the socket's buffer was full; None where it does not tell."""
    send_failures: int
    """Datagrams that the system would not send."""


class ArbiterLatencyBin(TypedDict):
    """One bin of a histogram of latencies."""

    from_ns: int
    """The shortest that it has."""
    to_ns: int
    """The shortest that it has not any more."""
    count: int
    """How many."""


class ArbiterLoad(TypedDict):
    """What hosts asked for and were given."""

    hosts: int
    """Hosts of the pod."""
    slot_ps: int
    """How long a slot lasts, in picoseconds."""
    load: float
    """Share of its slots that a host asks for in the mean."""
    elapsed_ns: int
    """For how long demands came, in nanoseconds."""
    slots: int
    """Slots that passed in that time."""
    demands: int
    """Demands that came: each some slots for one destination."""
    wanted: int
    """Slots that hosts wanted."""
    allocations: int
    """Allocations that hosts took."""
    allocations_per_s: float
    """Allocations a second, while demands came."""
    allocated_bps: float
    """Bits a second that could be sent in these slots, each as long as it is, at the rate of a host's link."""
    packets_bps: float
    """Bits a second if each allocation is one packet of 1500 B, as Fastpass counts."""
    unmet: int
    """Slots that hosts want and do not have at the end."""
    surplus: int
    """Slots that hosts were given beyond what they wanted, as a takeover can bring about."""
    used: int
    """Slots with an allocation that a host used in time."""
    missed: int
    """Slots with an allocation that had passed when the host's thread had its turn."""
    out_of_reach: int
    """Allocations that came too late for their slot, or too early to be held."""
    repeated: int
    """Allocations that came once more."""
    contradictions: int
    """Allocations that contradict one that the host has."""
    collisions: int
    """Pairs of allocations, of all hosts, that use a link in one slot. There are none if arbiters are right."""
    epochs: int
    """Arbiters that hosts were given slots by, counted by epochs."""
    longest_gap: int
    """The most slots in a row, between the first and the last, for which no host was given an allocation."""
    request_datagrams: int
    """Datagrams of requests that were sent, one for each arbiter."""
    allocation_datagrams: int
    """Datagrams of allocations that came."""
    malformed: ArbiterMalformed
    """Datagrams that were refused, by what is wrong with them."""
    misplaced: int
    """Datagrams that are not for a host."""
    overruns: int
    """Datagrams that were dropped because too many waited."""
    kernel_drops: int | None
    """Datagrams that the kernel dropped because the socket's buffer was full; None where it does not tell."""
    send_failures: int
    """Datagrams that the system would not send."""
    allocation_latency: ArbiterLatency
    """From when a demand came until its host had the first allocation of it."""
    demand_latency: ArbiterLatency
    """From when a demand came until the host had all allocations of it."""
    allocation_histogram: list[ArbiterLatencyBin]
    """The first of these as a histogram."""


class SettingWord(TypedDict):
    """A word that a setting may be."""

    name: str
    """The word."""
    meaning: str
    """What it means."""


class Setting(TypedDict):
    """A setting as a reference lists it."""

    name: str
    """The key."""
    meaning: str
    """What it is, from the comment of its field."""
    default: str
    """What it is if it is not set."""
    value: str
    """What stands for a value in the help of a command: `N`, `RATE`, `paper|modern`."""
    words: list[SettingWord]
    """The words that it may be, if it is one of some, or some of them."""


class KnownKind(TypedDict):
    """A kind of fabric, transport, workload or topology."""

    name: str
    """Its name in experiment files."""
    summary: str
    """What it is, in a sentence."""


class KnownSizes(TypedDict):
    """A published distribution of flow sizes."""

    name: str
    """Its name in experiment files."""
    summary: str
    """What was measured, in a sentence."""
    mean_bytes: float
    """Mean size of a flow."""
    source: str
    """Who measured it, and the repository and path of the points."""


class Catalogue(TypedDict):
    """What an experiment file can use, by the names that it uses."""

    fabrics: list[KnownKind]
    """Kinds of `[fabric]`."""
    transports: list[KnownKind]
    """Kinds of `[transport]`."""
    workloads: list[KnownKind]
    """Kinds of `[[workload]]`."""
    topologies: list[KnownKind]
    """Kinds of `[topology]`."""
    sizes: list[KnownSizes]
    """Published distributions of flow sizes."""


class GraphNode(TypedDict):
    """A host or a switch."""

    name: str
    """What faults, workloads and results call it."""
    kind: Literal["host", "switch"]
    """What it is."""
    tier: int
    """0 for hosts, 1 for switches next to hosts, more above."""
    links: int
    """Links that leave it."""


GraphLink = TypedDict(
    "GraphLink",
    {
        "name": str,
        "source": str,
        "target": str,
        "class": str,
        "direction": Literal["up", "down", "flat"],
        "rate_bps": int,
        "delay_ps": int,
        "queue_bytes": int | None,
    },
)
"""One direction of a cable.

- `name`: What faults, `measure.watch` and results call it: `leaf-0 -> spine-1`.
- `source`: The node that it leaves.
- `target`: The node that it leads to.
- `class`: Its name under `[topology.links]`.
- `direction`: Seen from the hosts.
- `rate_bps`: Its rate.
- `delay_ps`: How long a bit is on its way.
- `queue_bytes`: The buffer before it, where the topology's own file says it.
"""


class Graph(TypedDict):
    """The graph of a run, with the rates and delays that the experiment gives it."""

    run: str
    """The run's name."""
    description: str
    """The graph in words."""
    nodes: list[GraphNode]
    """Hosts first."""
    links: list[GraphLink]
    """Both directions of every cable."""
    node_link: str
    """The same as node-link JSON, for a file that `[topology] kind = "file"` reads."""


class Graphs(TypedDict):
    """The runs of an experiment, and the graph of one of them."""

    runs: list[str]
    """Names of all runs."""
    graph: Graph | None
    """The graph of the run that was asked for; None if there is no such run."""


class PipelineTally(TypedDict):
    """How much of something."""

    units: int
    """Packets or cells that the data path moves."""
    packets: int
    """Packets, counted with the unit that has the last byte."""
    payload: int
    """Bytes of packets."""
    line_bytes: int
    """Bytes of the lines, preamble and gap included."""


class PipelineMeasured(TypedDict):
    """What one data path has given, with the numbers that are quotients."""

    clocks: int
    """Clocks of the window."""
    clock_hz: int
    """Clock, in Hz."""
    lines_bps: int
    """Rate of all lines together, in b/s."""
    offered: PipelineTally
    """What the lines brought in the window."""
    delivered: PipelineTally
    """What left the data path in the window."""
    dropped: PipelineTally
    """What found no room at its port in the window."""
    capacity: int
    """Bytes of packets that what the lines brought could have held: more than they did hold where cells are padded."""
    paused_line_bytes: int
    """Bytes that the lines could have brought while they waited for room."""
    whole: list[PipelineTally]
    """Over the whole run: brought, delivered, dropped, and still inside at its end."""
    throughput: float
    """Share of what full lines could bring that was delivered as bytes of packets: gaps and cells' headers are the
    lines' own, what pads a cell is lost."""
    line_share: float
    """Share of the line rate that the data path keeps up with, padding or not."""
    keeps_up: bool
    """Nothing was dropped, and no line waited."""
    goodput_bps: float
    """Bits a second of the packets that were delivered."""
    packets_per_second: float
    """Packets a second that were delivered."""
    pipelines_needed: float
    """How many such data paths side by side the lines need."""


PipelineMixPart = TypedDict(
    "PipelineMixPart",
    {
        "from": int,
        "to": int,
        "weight": int,
    },
)
"""Some of the packets: evenly between two sizes, both included.

- `from`: Smallest size, in bytes: the whole frame, from the address to the check sequence.
- `to`: Largest size, in bytes.
- `weight`: How many of the packets, in relation to the other parts.
"""


class PipelineMix(TypedDict):
    """A mix that comes with the program."""

    name: str
    """Name."""
    source: str
    """What of it is published, and what is ours."""
    parts: list[PipelineMixPart]
    """The sizes."""


class System(TypedDict):
    """A system that can be planned."""

    name: str
    """What it is called."""
    summary: str
    """What is planned, in a few words."""


StardustCounting: TypeAlias = Literal["ports", "regular"]
"""How the devices of a fabric that is not full are counted.

- `ports`: As many as have the ports (App. A).
- `regular`: As many as a regular pattern of cables takes.
"""


StardustOptics: TypeAlias = Literal["cheapest", "single"]
"""Which transceivers Stardust's links have.

- `cheapest`: Those that are cheapest a link, several links in one (§7).
- `single`: One a link.
"""


Edition: TypeAlias = Literal["paper", "modern", "none"]
"""Which entries come first.

- `paper`: What the papers state; public data since then where they state nothing.
- `modern`: Public data since then; what the papers state where there is none.
- `none`: No entry of the book: only what is set.
"""


class StardustInput(TypedDict):
    """A Stardust fabric, beside fat-trees of packet switches.

    What is not set is of the hardware that has prices in Table 3: devices of 6.4 Tb/s with links of 25 Gb/s.
    """

    hosts: int
    """Hosts that are wanted."""
    hosts_per_adapter: int
    """Hosts on an edge device, a Fabric Adapter or a ToR."""
    host_rate: str
    """Rate of a host's port."""
    switch_bandwidth: str
    """Bandwidth of a ToR or switch, over all its ports; also of adapters and elements, if theirs is not set."""
    adapter_bandwidth: str
    """Bandwidth of a Fabric Adapter, its hosts and its uplinks; that of a switch if not given."""
    element_bandwidth: str
    """Bandwidth of a Fabric Element; that of a switch if not given."""
    link_rate: str
    """Rate of a serial link."""
    bundles: list[int]
    """Serial links in a port of the fat-trees to compare with."""
    oversubscription: float
    """Bandwidth of an edge device's hosts over that of its uplinks."""
    fabric_oversubscription: float
    """Bandwidth down over bandwidth up, of every element below the last tier."""
    counting: StardustCounting
    """How devices are counted: see above."""
    cell: str
    """A cell."""
    credit: str
    """A credit; a warning says if it is too small."""
    priorities: int
    """Traffic classes, each with VOQs of its own."""
    element_memory: int
    """The cell memory of an element, in cells for each of its links: so many may wait for one."""
    utilisation: float
    """Share of the fabric in use, for the queues."""
    clock_ghz: float
    """f, the devices' clock, in GHz."""
    clocks_per_packet: float
    """c, clocks that a pipeline takes a packet."""
    clocks_per_credit: float
    """Clocks that a scheduler takes a credit."""
    packet_gap: str
    """G, preamble and gap of a packet on the wire."""
    packets: list[int]
    """Sizes of packets, in bytes, for which the packet rate is given."""
    reachability_clocks: int
    """c, clocks between reachability messages on a link."""
    reachability_bitmap: int
    """b, adapters that a reachability message speaks of."""
    reachability_message: str
    """B, a reachability message."""
    reachability_threshold: int
    """th, reachability messages that must say the same until it is believed."""
    delay_near: str
    """Delay of a link that is not of the last tier of several."""
    delay_far: str
    """Delay of a link of the last tier of several."""
    buffer: str
    """Packet buffer of an adapter."""
    incast_burst: str
    """What every adapter sends to one port, in the incast that is calculated."""
    element_area: float
    """Area of an element over a switch's, for the same bandwidth."""
    element_power: float
    """Power of an element over a switch's, for the same bandwidth."""
    optics: StardustOptics
    """Stardust's transceivers: see above."""
    prices: Edition
    """Prices and power: an edition of the book, or a TOML file of your own."""
    switch_power_w: float | None
    """Power of a ToR or switch, in W."""
    transceiver_power_w: float | dict[str, float] | None
    """Power of transceivers, in W: of every rate (`2.5`), or by rate (`400 Gb/s: 9, 800 Gb/s: 17`)."""
    price_switch: float | None
    """Price of a ToR or switch, in USD."""
    price_element_ratio: float
    """Price of an element's platform over a switch's, for the same bandwidth: the relation of their areas (§7)."""
    price_server_cable: float | None
    """Price of the cable to a host."""
    price_transceivers: float | dict[str, float] | None
    """Prices of transceivers by rate: `400 Gb/s: 700, 800 Gb/s: 1250`; others stay the book's."""
    price_fibre_near: float | None
    """Price of a fibre of 10 m."""
    price_fibre_far: float | None
    """Price of a fibre of 100 m, in the last tier of several."""


StardustDesignKind: TypeAlias = Literal["stardust", "fat-tree"]
"""Cells or packets.

- `stardust`: Fabric Adapters and Fabric Elements.
- `fat-tree`: ToRs and ordinary switches.
"""


class StardustLimit(TypedDict):
    """How many hosts a number of tiers can join."""

    tiers: int
    """n."""
    hosts: int
    """The most hosts."""


class StardustLevel(TypedDict):
    """One tier of a design."""

    elements: int
    """Devices in it."""
    bundles: int
    """Bundles below it."""
    links: int
    """Serial links below it."""
    cables: int
    """Cables below it, each with two transceivers."""
    far: bool
    """Whether those are long: of the last tier of several."""


class StardustSum(TypedDict):
    """Area or power: of a whole network, and of its fabric alone."""

    network: float
    """Of all devices."""
    fabric: float
    """Of those in the fabric alone: without adapters and ToRs."""


class StardustCost(TypedDict):
    """What a network costs, by part, in USD."""

    adapters_usd: float
    """Adapters or ToRs."""
    server_cables_usd: float
    """Cables to servers."""
    elements_usd: float
    """Elements or switches."""
    transceivers_usd: float
    """Transceivers, two a cable."""
    fibres_usd: float
    """Fibres."""


class StardustDesign(TypedDict):
    """One way to build the network: Stardust, or a fat-tree of ordinary switches with bundles of so many links."""

    name: str
    """What a person calls it."""
    kind: StardustDesignKind
    """Cells or packets."""
    bundle: int
    """l, serial links in a bundle."""
    port_rate_bps: int
    """Rate of a port: of a bundle."""
    radix: int
    """k, ports of a device in the fabric."""
    uplinks: int
    """t, ports up of an adapter or ToR."""
    speed_up: float
    """Bandwidth of an adapter's uplinks over that of its hosts (fs)."""
    tiers: int
    """n; 0 where one adapter has all the hosts."""
    limits: list[StardustLimit]
    """Most hosts with 1 to 4 tiers."""
    adapters: int
    """Fabric Adapters or ToRs."""
    elements: int
    """Fabric Elements or switches."""
    elements_by_ports: int
    """Those that have the ports (App. A)."""
    elements_regular: int | None
    """Those that a regular pattern takes; None with more than four tiers."""
    devices: int
    """Adapters and elements."""
    levels: list[StardustLevel]
    """From the first tier to the last."""
    links: int
    """Serial links in the fabric; those to hosts are not counted."""
    links_per_adapter: float
    """Serial links in the fabric per adapter: n t l in a full one."""
    cables: int
    """Cables in the fabric."""
    transceivers: int
    """Transceivers in the fabric."""
    area: StardustSum
    """Silicon of adapters and elements, in ToRs."""
    power: StardustSum | None
    """Power of devices and of the fabric's transceivers, in W; None where one is not known."""
    cost: StardustCost | None
    """What it costs, in USD; None where a price is missing."""
    cost_usd: float | None
    """The sum of it."""
    cost_missing: str | None
    """Which prices or powers are missing; never any unless `prices` is none."""
    table_bits: int
    """Bits of the look-up table in a device of the fabric (App. C)."""
    link_failure_bps: int
    """Capacity that goes with one serial link that fails (§5.9)."""


class StardustPacketRate(TypedDict):
    """Packets a second of one size."""

    bytes: int
    """Size of the packet, without preamble and gap."""
    per_second: float
    """R, how many a second (Eq. 1)."""
    parallelism: float
    """P, how many are processed at the same time (Eq. 3)."""


class StardustRecovery(TypedDict):
    """What follows for a network in which a link has failed."""

    interval_ps: int
    """t' = c / f, from message to message on a link."""
    messages: int
    """M, messages for the whole table."""
    hops: int
    """Hops that the news travels: 2n - 1."""
    one_update_ps: int
    """t = t' M (2n - 1): one update to the farthest adapter."""
    updates_ps: int
    """t th: as many updates as it takes to be believed."""
    with_propagation_ps: int
    """The same with each hop's propagation delay on every message, as the last equation of App. E has it."""
    overhead: float
    """Share of a link's rate that messages take."""


class StardustIncast(TypedDict):
    """What becomes of a burst that every adapter sends to one port."""

    admitted_bps: int
    """What the destination's credits let into the fabric, from all sources together."""
    ingress_bytes: float
    """The most that waits at each source: when its burst has come in whole."""
    waiting: float
    """Share of a burst that waits then."""
    held: bool
    """Whether the sources' buffers hold it, so that nothing is lost."""
    buffer_bytes: int
    """Buffer for this destination with Stardust: of all sources."""
    pushed_bytes: float
    """The most that would wait at the destination's ToR in a fabric that pushes everything there."""
    overflow_bytes: float
    """What such a ToR would have no room for, and drop or answer with pause."""


class StardustQueues(TypedDict):
    """Queues of an element's links, as M/D/1 (§4.2.1)."""

    utilisation: float
    """Share of the links in use."""
    mean_cells: float
    """Mean, with the cell that is being sent."""
    p99_cells: int
    """Exceeded in one of a hundred."""
    p999999_cells: int
    """Exceeded in one of a million."""
    decay: float
    """By what the probability of a queue falls for each cell more, in a long queue."""
    decay_estimate: float
    """The paper's estimate of it, fs^-2."""
    tail: list[float]
    """P(n cells or more) for n = 0, 1, .., as far as it is above 1e-9."""


class StardustFabric(TypedDict):
    """What is Stardust's own."""

    voqs: int
    """VOQs of an adapter."""
    voq_memory_bytes: int
    """Their memory."""
    minimum_credit_bytes: int
    """The smallest credit (§4.1)."""
    element_memory_bytes: int
    """Cell memory of an element (§6.2)."""
    element_latency_ps: int
    """The longest a cell waits in one."""
    fabric_latency_ps: int
    """The longest way through the fabric: all queues full, and the links' delays."""
    reachability_bits: int
    """Bits of an element's reachability table (§5.8)."""
    packet_rates: list[StardustPacketRate]
    """What a switch of that bandwidth has to process (App. B)."""
    recovery: StardustRecovery
    """After a link has failed."""
    incast: StardustIncast
    """Every adapter sends a burst to one port."""
    queues: StardustQueues
    """Queues of an element's links."""


PricedPart: TypeAlias = Literal[
    "switch",
    "transceiver",
    "host-cable",
    "fibre-near",
    "fibre-far",
    "packet-switch",
    "circuit-switch",
    "crosspoint-port",
    "nic",
    "access-switch",
    "an3-switch",
    "an3-switch-design",
    "an3-fpga-nic",
    "an3-fpga-nic-design",
    "an3-asic-nic",
    "an3-asic-nic-design",
    "sata-cable",
    "copper-cable",
    "optical-port",
]
"""What an entry is about.

- `switch`: A packet switch, a ToR or an adapter, by the bandwidth of all its ports.
- `transceiver`: A transceiver, by its rate.
- `host-cable`: The cable to a host, by its rate.
- `fibre-near`: A fibre in a tier that is not the last, or in the only one.
- `fibre-far`: A fibre in the last tier of several.
- `packet-switch`: Shoal's packet switch, by the bandwidth of all its ports.
- `circuit-switch`: Shoal's circuit switch, by the bandwidth of all its ports.
- `crosspoint-port`: A port of XFabric's crosspoints.
- `nic`: A NIC that is bought.
- `access-switch`: The ToR and aggregation switch beside AN3.
- `an3-switch`: AN3's L1 switch.
- `an3-switch-design`: What it costs once to design it.
- `an3-fpga-nic`: AN3's NIC with an FPGA.
- `an3-fpga-nic-design`: What it costs once to design it.
- `an3-asic-nic`: AN3's NIC with an ASIC.
- `an3-asic-nic-design`: What it costs once to design it.
- `sata-cable`: The cable between two of AN3's NICs.
- `copper-cable`: The copper cable to a ToR switch.
- `optical-port`: An end of an optical link: a transceiver and its half of the cable.
"""


class Used(TypedDict):
    """The number of one item, and where it is from."""

    part: PricedPart
    """What it is about."""
    rate_bps: int | None
    """Its rate, in b/s."""
    unit: Literal["usd", "w"]
    """What the number is of: a price in USD, or a power in W."""
    value: float
    """The number."""
    date: str
    """Of the price or the document; empty for what was set."""
    undated: bool
    """Whether the document has no date, so that `date` says when it was read."""
    source: str
    """Where it is from."""
    note: str
    """How it is to be read."""


class StardustCoefficients(TypedDict):
    """The coefficients of a row of Table 2."""

    tors: float
    """Most ToRs, in k^n."""
    switches: float
    """Most switches, in t k^(n-1)."""
    bundles: float
    """Link bundles, in t k^n."""
    links_per_tor: float
    """Serial links per ToR, in t l."""


class StardustSizeRow(TypedDict):
    """A row of Table 2, for a number of tiers: as printed, by the general row, and as built."""

    tiers: int
    """n."""
    printed: StardustCoefficients
    """The row of the table."""
    general: StardustCoefficients
    """The general row, for this n."""
    built: StardustCoefficients
    """Counted in fat-trees that were built link by link."""


class StardustPlan(TypedDict):
    """Stardust beside fat-trees, for the same hosts."""

    system: Literal["stardust"]
    """What was planned."""
    input: StardustInput
    """Every setting, also those that were left out."""
    designs: list[StardustDesign]
    """Stardust first, then a fat-tree for each bundle."""
    fabric: StardustFabric
    """What is Stardust's own: credits, VOQs, queues, recovery."""
    prices: list[Used]
    """Prices and powers that were used, with their dates and sources."""
    table2: list[StardustSizeRow]
    """Table 2 of the paper, as printed and as built. The same for every input."""
    warnings: list[str]
    """What a person should know before believing it."""


ShoalOrder: TypeAlias = Literal["rearranged", "cyclic"]
"""In which order an epoch goes through the schedule.

- `rearranged`: Rearranged so that the two directions of a pair are half an epoch apart, and feedback is fresh in
  spite of propagation (App. A).
- `cyclic`: The next node, the one after it, and so on (Fig. 3).
"""


class ShoalInput(TypedDict):
    """A Shoal rack, beside a packet-switched network for the same nodes."""

    nodes: int
    """Nodes of the rack, N."""
    node_rate: str
    """Rate of a node's interface, over all its channels."""
    channels: int
    """Channels of a node, each with a schedule of its own."""
    switch_ports: int
    """Ports of a circuit switch and of a packet switch, k."""
    switch_port_rate: str
    """Rate of a switch's port."""
    packet_node_rate: str
    """Rate of a node's interface in the packet-switched network."""
    usable_slot: str
    """What a slot has for a cell, without the guard band."""
    reconfiguration: str
    """Time that a circuit switch takes to change its circuits (§4.1, §7.1)."""
    propagation_variation: str
    """By how much propagation delays differ (§3.4: links within 2 cm)."""
    synchronisation_error: str
    """By how much clocks differ (§3.4)."""
    overhead: str
    """What the link layer adds to each cell; 24 B of MAC in the prototype (§6.1)."""
    schedule: ShoalOrder
    """In which order an epoch goes through the schedule: see above."""
    wire_delay: str
    """All wires between two nodes (§3.4: 10 to 15 ns)."""
    clock_mhz: float
    """The devices' clock, in MHz (§4.1, at 50 Gb/s)."""
    switch_cycles: int
    """Clocks from port to port of a switch (§4.1)."""
    nic_cycles: int
    """Clocks of MAC and PHY, at both nodes together (§6.2)."""
    id_bits: int
    """Width of source and destination each, in the header of a cell."""
    sequence_bits: int
    """Width of the sequence number."""
    feedback_bits: int
    """Width of the rate-limit feedback."""
    crc_bits: int
    """Width of the checksum; three flags come on top."""
    incast_senders: int
    """Nodes that send to one, in the incast that is calculated; all others if not given."""
    incast_burst: str
    """What each of them sends."""
    packet_switch_w: float
    """Power of a packet switch, in W; the book's if not given."""
    circuit_switch_w: float
    """Power of a circuit switch, in W; the book's if not given."""
    packet_nic_w: float
    """Power of the packet network's NIC, in W; in proportion to `packet_node_rate` if not given."""
    shoal_nic_w: float
    """Power of Shoal's NIC, in W; in proportion to `node_rate` if not given. The paper prints 1.37."""
    rack_w: float
    """What the rack may draw, in W."""
    price_nic: float
    """Price of the packet network's NIC, in packet switches."""
    price_circuit_switch: float
    """Price of a circuit switch, in packet switches (§5: half of the 30 % of a chip's area that is serial I/O)."""
    nic_multiple_low: float
    """Price of Shoal's NIC, in NICs of the packet network, at the lowest."""
    nic_multiple_high: float
    """And at the highest."""
    saving: float
    """Share of the packet network's cost that Shoal is to save."""
    prices: Edition
    """Prices and power: an edition of the book, or a TOML file of your own."""


class ShoalPlane(TypedDict):
    """A two-stage Clos of switches with k ports and no more spines than it takes.

    Where leaves are few, several uplinks of a leaf end in one spine; for `Clos` each of them is a spine of its own.
    """

    nodes: int
    """Nodes that it joins."""
    switch_ports: int
    """k, ports of a switch; even."""
    leaves: int
    """Switches that nodes are connected to."""
    spines: int
    """Switches that join leaves."""
    trunk: int
    """Links from one leaf to one spine: as many to each, but for a last spine that has fewer."""


class ShoalNetwork(TypedDict):
    """A whole network: planes of switches."""

    plane: ShoalPlane
    """One plane of it."""
    planes: int
    """How many there are."""
    switches: int
    """Switches in all planes."""
    node_links: int
    """Links between nodes and leaves."""
    spine_links: int
    """Links between leaves and spines."""


class ShoalPower(TypedDict):
    """Of one network, in W."""

    switches_w: float
    """All switches."""
    nics_w: float
    """All NICs."""
    total_w: float
    """Both."""
    of_rack: float
    """Share of what the rack may draw."""


class ShoalDesign(TypedDict):
    """Shoal, or the packet-switched network for the same nodes."""

    network: ShoalNetwork
    """Its switches and links."""
    power: ShoalPower
    """What it draws."""


class ShoalCost(TypedDict):
    """Cost for a price of a Shoal NIC."""

    nic_multiple: float
    """A Shoal NIC, in packet NICs."""
    relative: float
    """Shoal over the packet network, at the price of a circuit switch that is set."""
    break_even: float | None
    """Price of a circuit switch with which both cost the same; None if none does."""
    saves: float | None
    """With which Shoal saves as much as is set; None if none does."""


class ShoalDerivation(TypedDict):
    """One of the four ratios of §5, and the NIC's price that follows from it.

    The paper does not print that price.
    """

    nic_multiple: float
    """A Shoal NIC, in packet NICs."""
    saving: float
    """What is saved."""
    printed: float
    """Price of a circuit switch, as §5 prints it."""
    nic: float
    """A packet NIC's price that gives it."""


class ShoalCosts(TypedDict):
    """What circuit switches cost, against packet switches."""

    designs: list[ShoalCost]
    """With Shoal's NIC at its lowest and at its highest price."""
    derivations: list[ShoalDerivation]
    """What the four ratios that the paper prints say about a NIC's price. The same for every input."""


class ShoalEpoch(TypedDict):
    """An epoch of whole slots."""

    order: ShoalOrder
    """The order of its slots."""
    slots: int
    """Slots of every channel."""
    empty_slots: int
    """Slots of a node, over all channels, in which it sends to nobody."""
    epoch_ps: int
    """From a slot with a node to the next with the same."""
    gap_slots: int
    """Slots from i's slot to j until j's to i, at least. A slot in which both send counts as a whole epoch."""
    share: float
    """Share of slots that are not empty."""


class ShoalTiming(TypedDict):
    """A slot, an epoch, and what a node's rate comes to."""

    channel_bps: int
    """Rate of a channel."""
    guard_ps: int
    """Guard band: reconfiguration, variation of propagation and error of synchronisation."""
    slot_ps: int
    """From slot to slot."""
    guard_share: float
    """Share of the slot that is guard band."""
    cell_bytes: int
    """A cell with its header."""
    payload_bytes: int
    """What it carries."""
    epoch_ps: int
    """(N-1) slots over channels, as §3.4 has it."""
    schedules: list[ShoalEpoch]
    """Schedules of whole slots: cyclic, and rearranged for the propagation delay. The rest of the plan is for the one
    that is set."""


class ShoalThroughput(TypedDict):
    """What a node can send."""

    peak_bps: int
    """The interface's rate, less guard band: the paper's maximum."""
    cells_bps: int
    """Of which cells fill."""
    payload_bps: int
    """And their payload, in slots that are not empty."""
    worst_peak_bps: int
    """The peak for any traffic, with detours: at least this (§3.3.1)."""
    worst_payload_bps: int
    """And its payload."""
    worst_share: float
    """Lower bound of the share of the peak."""
    permutation_share: float
    """Share of the peak if all nodes send, each to one other (§7.2, Fig. 12)."""
    feedback_share: float
    """Share of its rate that a subflow has where feedback takes longer than an epoch: one cell in so many epochs
    (§6.2)."""


class ShoalLatency(TypedDict):
    """Times of a cell from its release into a queue of its source to its last bit at the destination."""

    delay_ps: int
    """From node to node: wires, switches, MAC and PHY."""
    delay_slots: int
    """That in slots: the k of App. A, which must not be more than the schedule's gap."""
    feedback_epochs: int
    """Epochs from a cell of a subflow to its next."""
    direct_ps: int
    """Empty queues, and the next slot is the destination's: one hop."""
    zero_load_ps: int
    """Empty queues, over another node, and half an epoch there."""
    zero_load_worst_ps: int
    """Empty queues, over another node, and a whole epoch there."""
    alone_ps: int
    """A flow to a node that nobody else sends to: the second queue has one local cell before this one (§7.2)."""
    worst_ps: int
    """Both queues at their bound, N cells (Eq. 5)."""


class ShoalIncast(TypedDict):
    """So many nodes send so much to one at once."""

    senders: int
    """Nodes that send."""
    cells: int
    """Cells of each."""
    queue_cells: int
    """The longest that the queue for the destination gets, at every node (Eq. 5)."""
    epochs: float
    """Epochs in which the destination gets a cell from every other node."""
    optimum_ps: int
    """The least in which the last cell can come: those epochs, and two ways from node to node."""


class ShoalMemory(TypedDict):
    """Bounds of a node's queues, and the memory for them."""

    queues: int
    """Queues, one for each other node."""
    queue_cells: int
    """The longest that one gets, in cells: 1 + incast degree of its node, at most N (Eq. 5)."""
    ready_flows: int
    """Flows that wait in a ready queue, at most (Eq. 4)."""
    most_feedback: int
    """What a node reports of a queue, at most: len(Q) + len(R) - 1 (Eq. 6)."""
    buffer_bytes: int
    """All queues at their bound (§3.3.4)."""
    cache_bytes: int
    """What of it must be on the chip: the next cell of each queue (§3.3.4)."""
    feedback_bits: int
    """Feedback of every other node for every flow: (N-1) x (N-1) numbers (§4.2)."""
    last_cell_bits: int
    """The subflow of the last cell to, and the queue of the last cell from, every other node (§4.2)."""
    reorder_cells: int
    """Cells of one flow that may overtake another of its cells: a cell waits for 2N epochs at most, and the flow sends
    one over every other node in each of them."""


class ShoalHeader(TypedDict):
    """A header's size, and what its fields need for so many nodes."""

    bits: int
    """All fields."""
    bytes: int
    """In whole bytes."""
    id_needed: int
    """Width that ids of so many nodes need."""
    feedback_needed: int
    """Width that the largest feedback needs."""
    sequence_needed: int
    """Width with which a cell and one that it was overtaken by are told apart: twice the cells that may lie between."""
    most_nodes: int
    """The most nodes that all fields allow."""


ShoalComponent: TypeAlias = Literal["node", "node-leaf-link", "leaf", "leaf-spine-link", "spine"]
"""What has failed.

- `node`: A node.
- `node-leaf-link`: The link between a node and its leaf.
- `leaf`: A leaf.
- `leaf-spine-link`: A link between a leaf and a spine.
- `spine`: A spine.
"""


class ShoalFailed(TypedDict):
    """Share of the slots of nodes that are not cut off, where one component of a plane has failed."""

    component: ShoalComponent
    """What has failed."""
    printed: float
    """Table 1's approximation."""
    one_way: float
    """Slots whose own path crosses it. With spines or links that carry unequally many, the mean over them."""
    both_ways: float
    """Slots that are not used: a node that no longer hears another stops sending to it, so a pair is given up both
    ways."""
    rack: float
    """That of all slots of the rack: each plane has a part of them, and a node is in all planes."""


class ShoalPlan(TypedDict):
    """Shoal for a rack, beside a packet-switched network for the same nodes."""

    system: Literal["shoal"]
    """What was planned."""
    input: ShoalInput
    """Every setting, also those that were left out."""
    most_nodes: int
    """The most nodes that two stages of such switches join."""
    shoal: ShoalDesign
    """Shoal."""
    packet: ShoalDesign
    """The packet-switched network."""
    power_saving: float
    """Share of the packet network's power that Shoal saves."""
    cost: ShoalCosts
    """What both cost."""
    timing: ShoalTiming
    """Slots and epochs."""
    throughput: ShoalThroughput
    """Rates."""
    latency: ShoalLatency
    """Times of a cell."""
    incast: ShoalIncast
    """A burst to one node."""
    memory: ShoalMemory
    """Queues and memory of a node."""
    chip_bytes: int
    """All that must be on its chip, in bytes."""
    header: ShoalHeader
    """The cells' header."""
    failures: list[ShoalFailed]
    """Table 1."""
    failures_nodes: int
    """Nodes for which its slots are counted: those of full leaves."""
    prices: list[Used]
    """Power of the switches, with dates and sources; prices are the ratios of §5."""
    warnings: list[str]
    """What a person should know before believing it."""


class XFabricInput(TypedDict):
    """An XFabric rack, beside a fabric in which any port can be joined with any other."""

    socs: int
    """SoCs of the rack, n."""
    soc_ports: int
    """Internal ports of a SoC, d."""
    uplinks: int
    """Uplinks of the rack, l; at most one a SoC."""
    asic_ports: int
    """Ports of the largest crosspoint switch that is one ASIC (§2: what the authors believe possible; 160 could be
    bought)."""
    clos_factor: int
    """Ports of a folded Clos for each that it offers."""
    port_usd: float
    """Price of a crosspoint's port, in USD; the book's if not given."""
    port_w: float
    """Power of a crosspoint's port, in W; the book's if not given."""
    rack_w: float
    """What the rack may draw, in W (§1: 9 to 16 kW)."""
    port_rate: str
    """Rate of a port."""
    switching: str
    """Time that a crosspoint takes to change its circuits (§6.6; 70 ns at most in the one of §3)."""
    prices: Edition
    """Prices and power: an edition of the book, or a TOML file of your own."""


class XFabricSwitches(TypedDict):
    """Circuit switches, and what they cost and draw."""

    ports: int
    """Ports of all of them."""
    asics: int
    """ASICs that they take."""
    usd: float
    """Ports at their price."""
    w: float
    """Ports at what they draw."""
    of_rack: float
    """Share of what the rack may draw."""


class XFabricLoss(TypedDict):
    """What a reconfiguration costs a full-duplex link (§6.6)."""

    bytes: int
    """Bytes that pass in one direction while the crosspoint switches, rounded up."""
    worst_frames: int
    """Frames of the shortest length that these can belong to, in both directions; the gap between frames is not
    counted, as the paper does not."""


class XFabricPlan(TypedDict):
    """XFabric beside one large circuit switch."""

    system: Literal["xfabric"]
    """What was planned."""
    input: XFabricInput
    """Every setting, also those that were left out."""
    soc_ports: int
    """Internal ports of all SoCs: what a fully reconfigurable fabric offers."""
    circuits: int
    """Circuits inside the rack: two ports each."""
    fixed_circuits: int
    """Circuits of these that are fixed, because crosspoints have an odd number of ports (§6.1)."""
    unused_ports: int
    """Ports that no circuit can use."""
    xfabric: XFabricSwitches
    """XFabric's internal crosspoints; uplinks are apart, as in Table 1."""
    uplinks: XFabricSwitches
    """XFabric's uplink crosspoint: a port of each SoC and of each uplink (§6.1)."""
    clos: XFabricSwitches
    """The fully reconfigurable fabric, as a folded Clos."""
    ratio: float
    """How much less XFabric's internal crosspoints draw and cost: the folded Clos over them."""
    loss: XFabricLoss
    """At a reconfiguration."""
    prices: list[Used]
    """Price and power of a port, with their dates and sources."""
    warnings: list[str]
    """What a person should know before believing it."""


class FastpodInput(TypedDict):
    """Pods of switches without buffers, beside the same network of buffered ones."""

    ports: int
    """k, the ports of a switch of the fat-tree whose pod is planned; even. Racks, hosts of each, uplinks and core
    switches of a plane are k/2 unless set."""
    racks: int
    """ToR switches of a pod."""
    hosts_per_rack: int
    """Hosts below a ToR switch, N."""
    uplinks: int
    """Aggregation switches of a pod, to each of which every ToR switch has a link."""
    pods: int
    """Pods. With more than one, buffered core switches join them (§3.4)."""
    cores_per_plane: int
    """Core switches above each aggregation switch, if there are several pods."""
    rate: str
    """Rate of every link."""
    packet: str
    """A data packet on the wire: all are equally long (§3.2)."""
    header: str
    """What of it is no payload."""
    control: str
    """A request (RTS) or an answer (SCHD) on the wire."""
    host_delay: str
    """Cable from a host to its ToR switch, one way: 5 ns a metre."""
    rack_delay: str
    """Cable from a ToR switch to an aggregation switch."""
    arbiter_delay: str
    """Cable from a ToR switch to an arbiter."""
    core_delay: str
    """Cable from an aggregation switch to a core switch."""
    switch_latency: str
    """Time that a packet takes through a switch, which cuts through."""
    path_variation: str
    """By how much paths differ that hosts cannot compensate for: those over one aggregation switch and over another."""
    clock_error: str
    """How far each host's clock is off at most, whatever is done."""
    clock_drift: float
    """How fast it runs away at most, in parts per million, until the next answer of the arbiter sets it right."""
    clock_resolution: str
    """The resolution of the clocks' stamps."""
    guard: str
    """Each of a slot's three guard bands (§4)."""
    batch: int
    """Slots that an arbiter allocates at once."""
    suspicion: int
    """Slots in a row of which a host's request is missing until the arbiter takes its link for broken."""
    arbiters: int
    """Arbiters of a pod: with 2, one takes over from the other."""
    arbiter_cores: int
    """Processor cores of an arbiter."""
    load: float
    """Share of slots in which a host sends, for the arbiter's load."""
    allocation_ns: float
    """Time that a core takes to find a slot for a pair of hosts, in nanoseconds."""
    path_ns: float
    """Time that a core takes to find the path of a pair of hosts in a slot, in nanoseconds."""
    arbiter_latency: str
    """Time from when an arbiter has all requests of a slot until it answers."""
    epoch_hosts: int
    """Servers on a round-robin schedule without an arbiter, to compare with (§2.2)."""
    epoch_channels: int
    """Channels of each of them, which share `rate`; a slot of their schedule has a packet of `control`."""
    zero_buffer_area: float
    """Area of a switch without buffers over a buffered one's, for the same bandwidth (§2.1)."""
    zero_buffer_power: float
    """Power of a switch without buffers over a buffered one's, for the same bandwidth (§2.1)."""
    price_zero_buffer_ratio: float
    """Price of a switch without buffers over a buffered one's, for the same bandwidth: the relation of their areas, as
    the paper has no price."""
    prices: Edition
    """Prices and power: an edition of the book, or a TOML file of your own."""
    switch_power_w: float | None
    """Power of a buffered switch, in W, whatever its bandwidth."""
    transceiver_power_w: float | dict[str, float] | None
    """Power of transceivers, in W: of every rate (`2.5`), or by rate (`400 Gb/s: 9, 800 Gb/s: 17`)."""
    arbiter_power_w: float | None
    """Power of an arbiter, in W."""
    price_switch: float | None
    """Price of a buffered switch, in USD, whatever its bandwidth."""
    price_server_cable: float | None
    """Price of the cable to a host."""
    price_transceivers: float | dict[str, float] | None
    """Prices of transceivers by rate: `400 Gb/s: 700, 800 Gb/s: 1250`; others stay the book's."""
    price_fibre_near: float | None
    """Price of a fibre of 10 m, within a pod."""
    price_fibre_far: float | None
    """Price of a fibre of 100 m, to a core switch."""
    price_arbiter: float | None
    """Price of an arbiter, in USD."""


class FastpodSwitches(TypedDict):
    """Switches of one kind."""

    count: int
    """How many there are, in all pods."""
    ports: int
    """Ports of each."""
    bandwidth_bps: int
    """Bandwidth of each, over all its ports."""


class FastpodLinks(TypedDict):
    """Links, each in both directions."""

    hosts: int
    """To hosts."""
    racks: int
    """Between ToR and aggregation switches."""
    cores: int
    """Between aggregation and core switches."""
    arbiters: int
    """Between ToR switches and arbiters."""


class FastpodPower(TypedDict):
    """What a network draws, in W."""

    switches_w: float
    """Switches of all kinds."""
    transceivers_w: float
    """Transceivers."""
    arbiters_w: float
    """Arbiters, if their power is known."""
    total_w: float
    """All of it."""


class FastpodCost(TypedDict):
    """What a network costs, by part, in USD."""

    switches_usd: float
    """Switches of all kinds."""
    host_cables_usd: float
    """Cables to hosts."""
    transceivers_usd: float
    """Transceivers, two a link between switches or to an arbiter."""
    fibres_usd: float
    """Fibres, one for each of these links."""
    arbiters_usd: float
    """Arbiters, if they have a price."""
    total_usd: float
    """All of it."""


class FastpodDesign(TypedDict):
    """One of the two networks."""

    tors: FastpodSwitches
    """ToR switches."""
    aggregations: FastpodSwitches
    """Aggregation switches."""
    cores: FastpodSwitches
    """Core switches, which are buffered in both networks; none for one pod."""
    switches: int
    """All switches."""
    links: FastpodLinks
    """Links."""
    transceivers: int
    """Transceivers."""
    area_tbps: float
    """Silicon of all switches: what buffered switches have for so many Tb/s."""
    power: FastpodPower | None
    """What it draws; None where a power is missing."""
    cost: FastpodCost | None
    """What it costs; None where a price is missing."""


class FastpodSilicon(TypedDict):
    """Shares of a switch chip, and what is left of it without buffers."""

    memory: float
    """Share of a buffered switch's area that is memory."""
    processing: float
    """Share that is packet processing."""
    serial_io: float
    """Share that is serial I/O."""
    area: float
    """Area of a switch without buffers over a buffered one's, for the same bandwidth."""
    power: float
    """The same for power."""
    least_area: float
    """The least of the area: serial I/O alone, if nothing of packet processing were left."""
    bandwidth: float
    """Bandwidth of a chip without buffers over that of a buffered chip of the same size."""


class FastpodSlot(TypedDict):
    """A time slot (§3.2)."""

    slot_ps: int
    """From one to the next."""
    packets: int
    """Data packets in it: one less than hosts below a ToR switch."""
    data_ps: int
    """What each of these takes."""
    control_ps: int
    """What each of its two control packets takes."""
    guard_ps: int
    """Each of its three guard bands."""
    data_share: float
    """Share of a host's link that data packets can have."""
    payload_share: float
    """Share that their payload can have."""
    control_share: float
    """Share that control packets have."""
    guard_share: float
    """Share that guard bands have."""
    payload_bps: int
    """Rate of a host's payload, if its rack has links upwards for it."""
    upward_share: float
    """Share of a rack's slots for which it has links upwards."""


class FastpodClocks(TypedDict):
    """Clocks, and the guard bands for them (§4)."""

    off_ps: int
    """How far they can be off: what stays, their resolution, and what they run away in a slot."""
    needed_guard_ps: int
    """The guard band that this takes, with paths of different lengths."""
    absorbed_ps: int
    """How far they may be off with the guard bands that there are, on the same paths."""
    largest_guard_ps: int
    """The largest guard band for which a slot has room."""
    most_absorbed_ps: int
    """How far clocks may be off with that, on the same paths."""
    share_per_ns: float
    """Share of a link that clocks cost which are off by another nanosecond, about."""


class FastpodBudget(TypedDict):
    """What the average of a scheduled packet is made of."""

    asking_ps: int
    """Until the gap for the next request."""
    round_trip_ps: int
    """To the arbiter and back."""
    arbiter_ps: int
    """What the arbiter takes."""
    slots_ps: int
    """Until requests of the whole slot are there, until the gap for the answer, and until the slot that was given."""
    passage_ps: int
    """From host to host, with the length of the packet."""


class FastpodLatency(TypedDict):
    """How long things take.

    What is scheduled is a packet by itself: a pod in which nothing else is sent.
    """

    passage_ps: int
    """From host to host, beyond the length of a packet: the same for every pair."""
    round_trip_ps: int
    """From a host to its arbiter and back, beyond the length of control packets and what the arbiter takes."""
    round_trip_slots: float
    """The same in slots."""
    ahead_slots: int
    """From the slot in which a host asks to the first that it can be given."""
    most_ahead_slots: int
    """The most that hosts and arbiters of the simulator have numbers for."""
    optimistic_ps: int
    """A packet that is sent at once."""
    least_ps: int
    """A scheduled packet at the best."""
    mean_ps: int
    """On average."""
    most_ps: int
    """At the worst."""
    budget: FastpodBudget
    """What the average is made of."""
    failure_ps: int
    """From when a host's link breaks until its arbiter takes it for broken, at most."""


class FastpodWork(TypedDict):
    """What slots and paths take."""

    slots_ps: int
    """To find who sends to whom in a slot."""
    paths_ps: int
    """To find the paths of a slot."""
    busy_cores: float
    """Both, over the length of a slot: cores that are busy on average."""
    cores: int
    """Cores that keep up: one for both if both together take no longer than a slot; else each has its own, and as many
    as slots pass while it works on one."""


class FastpodLargest(TypedDict):
    """The pod of a fat-tree."""

    ports: int
    """Ports of its switches."""
    hosts: int
    """Its hosts."""


class FastpodArbiter(TypedDict):
    """What an arbiter has to do."""

    ports: int
    """Its ports: one for each ToR switch (§3.2)."""
    port_bps: int
    """What control packets take of each, either way."""
    port_share: float
    """Share of each."""
    requests_per_second: float
    """Requests a second, and as many answers: one a host in every slot."""
    allocations_per_second: float
    """Slots given to pairs of hosts, a second."""
    allocated_bps: int
    """Data packets of these."""
    work: FastpodWork
    """What it takes to find slots and paths."""
    core_bps: int
    """The same as allocated data of a busy core."""
    request_cores: float
    """Cores that the whole machine would be busy on, requests included, if every host asked in every slot."""
    request_ns: float
    """What a request takes it, in nanoseconds, slots and paths included."""
    cores: int
    """Cores that there are."""
    keeps_up: bool
    """Whether slots and paths are found on them as fast as slots pass."""
    largest: FastpodLargest | None
    """The largest fat-tree pod for which they are; None if there is none from 4 ports on."""
    source: str
    """Where its times were measured."""


class FastpodRoundRobin(TypedDict):
    """A round-robin schedule without an arbiter (§2.2)."""

    slot_ps: int
    """A slot of it: a packet of control on one channel."""
    epoch_ps: int
    """An epoch, and so the longest that a packet waits, for the servers to compare with."""
    own_epoch_ps: int
    """For the hosts of this plan."""


class FastpodCore(TypedDict):
    """Core switches between pods (§3.4)."""

    switches: int
    """How many there are."""
    heard_slots: int
    """Slots until nothing more comes of what was given before arbiters knew of a stop."""
    stop_slots: int
    """Slots in which a pod can still send to a core switch that has said stop."""
    stop_bytes: int
    """Room above the mark at which it says stop, for all pods."""
    wait_slots: int
    """Slots that a packet waits at least until it is told when to go on."""
    wait_bytes: int
    """What waits for that, if all ports are busy."""
    buffer_bytes: int
    """Both: the least buffer of a core switch that is never idle and never overflows."""
    all_buffers_bytes: int
    """Of all core switches."""


class FastpodPlan(TypedDict):
    """Pods of switches without buffers, beside the same network of buffered ones."""

    system: Literal["fastpod"]
    """What was planned."""
    input: FastpodInput
    """Every setting, also those that were left out."""
    pod_hosts: int
    """Hosts of a pod."""
    hosts: int
    """Hosts of all pods."""
    fastpod: FastpodDesign
    """Pods of switches without buffers."""
    buffered: FastpodDesign
    """The same network of buffered switches, without arbiters."""
    silicon: FastpodSilicon
    """What is on a switch chip."""
    slot: FastpodSlot
    """A time slot."""
    clocks: FastpodClocks
    """Clocks."""
    latency: FastpodLatency
    """Times."""
    arbiter: FastpodArbiter
    """The arbiter of one pod."""
    round_robin: FastpodRoundRobin
    """A schedule without arbiter, to compare with."""
    core: FastpodCore | None
    """Core switches; None for one pod."""
    prices: list[Used]
    """Prices and powers that were used, with their dates and sources."""
    warnings: list[str]
    """What a person should know before believing it."""


An3Nic: TypeAlias = Literal["fpga", "asic"]
"""What an L0 NIC is made of.

- `fpga`: An FPGA: little to design, much for each.
- `asic`: An ASIC: the other way round.
"""


class An3Input(TypedDict):
    """AN3 beside ToR and aggregation switches for the same servers and oversubscription."""

    servers: int
    """Servers, each with a NIC."""
    oversubscription: float
    """Bandwidth of the servers below a ToR switch over that of its links up."""
    discount: float
    """What is taken off the prices of NICs and switches that are bought; 0.75 takes three quarters."""
    nic: An3Nic
    """What AN3's NICs are made of."""
    switch_ports: int
    """Ports of a ToR or aggregation switch."""
    l1_ports: int
    """Ports of an L1 switch; half of them lead to egress NICs."""
    rate: str
    """Rate of links to servers and between switches; links between NICs of AN3 have half of it."""
    prices: Edition
    """Prices and power: an edition of the book, or a TOML file of your own."""
    price_nic: float | None
    """Price of a NIC that is bought, in USD, before the discount."""
    price_switch: float | None
    """Price of a ToR or aggregation switch, before the discount."""
    price_l1: float | None
    """Price of an L1 switch."""
    price_l0: float | None
    """Price of an L0 NIC, of the kind that is chosen."""
    design_l1: float | None
    """What it costs once to design the L1 switch."""
    design_l0: float | None
    """What it costs once to design the L0 NIC, of the kind that is chosen."""
    price_sata_cable: float | None
    """Price of a cable between two NICs."""
    price_copper_cable: float | None
    """Price of a copper cable from a server to its ToR switch."""
    price_optical_port: float | None
    """Price of each end of an optical link: a transceiver and its half of the cable."""
    nic_power_w: float | None
    """Power of a NIC, bought or AN3's, in W."""
    switch_power_w: float | None
    """Power of a ToR or aggregation switch, in W."""
    l1_power_w: float | None
    """Power of an L1 switch, in W."""


class An3Links(TypedDict):
    """Links, each in both directions."""

    sata: int
    """Between NICs of an L0 network: two for each NIC, which has four ports."""
    copper: int
    """From servers to ToR switches."""
    up: int
    """From ToR to aggregation switches, or from egress NICs to L1 switches."""
    between: int
    """Between L1 switches."""


class An3Power(TypedDict):
    """What a network draws, in W."""

    nics_w: float
    """NICs."""
    switches_w: float
    """Switches of all kinds."""
    total_w: float
    """Both."""


class An3Cost(TypedDict):
    """What a network costs, by part, in USD."""

    nics_usd: float
    """NICs."""
    switches_usd: float
    """Switches of all kinds."""
    links_usd: float
    """Cables and transceivers."""
    design_usd: float
    """What it costs once to design the parts."""
    total_usd: float
    """All of it."""
    port_usd: float
    """For each server, which has one port."""


class An3Design(TypedDict):
    """One of the two networks."""

    tiers: int
    """Tiers of switches."""
    nics: int
    """NICs, one a server."""
    tors: int
    """ToR switches; none in AN3."""
    aggregations: int
    """Aggregation switches; none in AN3."""
    l1: int
    """L1 switches; none in the network beside it."""
    links: An3Links
    """Links."""
    bisection_bps: int
    """What links up carry from half of the racks, one way."""
    power: An3Power | None
    """What it draws; None where a power is missing."""
    cost: An3Cost | None
    """What it costs; None where a price is missing."""


class An3Frame(TypedDict):
    """What a link of an L1 switch carries (§3)."""

    slots: int
    """Slots, each with a control cell and a data cell."""
    control_bytes: int
    """A control cell."""
    data_bytes: int
    """A data cell."""
    frame_ps: int
    """A frame, with the rate as that of the payload."""
    slot_bps: int
    """What a slot of every frame carries of data."""


class An3Switch(TypedDict):
    """An L1 switch (§4)."""

    ports: int
    """Ports."""
    line_cards: int
    """Line cards, and ringmasters."""
    crossbar_bps: int
    """What its crossbar carries, both ways together."""
    requests_per_second: float
    """Set-ups and tear-downs that its ring can process in a second, in closed form."""


class An3L0Network(TypedDict):
    """The fat-tree of 22 NICs (§5).

    Hops are links between NICs.
    """

    nics: int
    """NICs."""
    links_per_nic: int
    """Links of each to others."""
    mean_hops: float
    """From a NIC to another, on average."""
    egress_hops: int
    """From a NIC to the nearest egress NIC, at most."""
    most_hops: int
    """From a NIC to another, at most."""


class An3Largest(TypedDict):
    """The largest network (§2.2)."""

    containers: int
    """Containers."""
    networks: int
    """L0 networks of each."""
    hosts: int
    """Servers of each of these."""
    servers: int
    """All servers."""
    bisection_bps: int
    """What links of L1 switches carry between two halves of the containers, one way."""


class An3Plan(TypedDict):
    """AN3 beside ToR and aggregation switches."""

    system: Literal["an3"]
    """What was planned."""
    input: An3Input
    """Every setting, also those that were left out."""
    servers_per_rack: float
    """Servers below a ToR switch, and of an L0 network."""
    uplinks_per_rack: float
    """Links up of each; in AN3 those of its egress NICs."""
    an3: An3Design
    """AN3."""
    baseline: An3Design
    """ToR and aggregation switches."""
    cheaper: float | None
    """What a port of the baseline costs over one of AN3; None where a price is missing."""
    frame: An3Frame
    """Frames."""
    switch: An3Switch
    """An L1 switch."""
    l0: An3L0Network
    """The paper's L0 network."""
    largest: An3Largest
    """The largest network."""
    prices: list[Used]
    """Prices and powers that were used, with their dates and sources."""
    warnings: list[str]
    """What a person should know before believing it."""


class ShoalExamination(TypedDict):
    """What a fabric's schedule and switches do in an epoch."""

    epoch: int
    """Slots of an epoch."""
    each_pair_once: bool
    """Whether each ordered pair of nodes is joined exactly once."""
    decomposes: bool
    """Whether the switches, each set as its own schedule says, carry every cell over leaf, spine and leaf to where the
    fabric's schedule sends it, and no port takes two cells in a slot."""
    least_distance: int
    """Slots between the circuits of a pair, one way and the other: the least, over all pairs."""
    most_distance: int
    """The most, over all pairs."""
    idle_turns: int
    """Of a node: turns in which it sends to nobody, over all channels."""


class ShoalHeaderWidths(TypedDict):
    """Bits of each field of a cell's header (Fig. 5)."""

    source: int
    """The node that sends the cell."""
    destination: int
    """The node that it is for."""
    sequence: int
    """The cell's number among those of its flow."""
    feedback: int
    """The rate-limit feedback."""
    start: int
    """Whether a packet begins in it."""
    end: int
    """Whether a packet ends in it."""
    last_dropped: int
    """Whether the cell before it was dropped."""
    crc: int
    """The checksum."""


TieBreak: TypeAlias = Literal["shuffled", "by-number"]
"""`Ties` as a person sets them.

- `shuffled`: Any, drawn at random: where demand does not decide, the topology is like a random graph.
- `by-number`: The one with the lesser SoC.
"""


class XFabricConfigurationInput(TypedDict):
    """What a configuration was made with."""

    soc_ports: int
    """d, internal ports of a SoC."""
    crosspoints: int
    """How many crosspoints."""
    uplinks: int
    """l, uplinks of the rack."""
    weight: float
    """Weight of the latest period's demand; the previous average has the rest."""
    ties: TieBreak
    """Which of pairs with equal demand comes first."""
    seed: int
    """Of shuffled ties and fixed circuits."""
    fixed_circuits: bool
    """Are ports that an odd number leaves over joined for good?"""
    failed: list[str]
    """SoCs and ports (`name:port`) that were left out."""


class XFabricPlug(TypedDict):
    """Where a SoC's port hangs."""

    crosspoint: str
    """The crosspoint's name."""
    port: str
    """What that crosspoint calls the port."""


class XFabricCircuit(TypedDict):
    """Two ports of a crosspoint, joined."""

    ports: list[str]
    """The crosspoint's."""
    socs: list[str]
    """Whose they are."""
    soc_ports: list[int]
    """Which port of each."""
    bytes: int
    """What the two SoCs send each other, what one forwards to the other's uplink among it, in bytes."""
    turn: int
    """In which turn the algorithm chose it, of all crosspoints, from 0."""
    new: bool
    """Was it not there before? True for all where there was nothing before."""


class XFabricCrosspoint(TypedDict):
    """A crosspoint switch."""

    name: str
    """Its name."""
    circuits: list[XFabricCircuit]
    """All that it is to set, the most wanted first."""
    removed: list[list[str]]
    """Pairs of its ports that the previous configuration joined and this one does not."""


class XFabricFixedCircuit(TypedDict):
    """A cable between ports of two crosspoints."""

    socs: list[str]
    """Whose ports it joins."""
    soc_ports: list[int]
    """Which port of each."""
    plugs: list[XFabricPlug]
    """Where these ports would hang."""


class XFabricUplink(TypedDict):
    """An uplink and who uses it."""

    uplink: int
    """From 0."""
    soc: str
    """The SoC whose uplink port it is joined with."""
    ports: list[int]
    """Ports of the uplink crosspoint that are joined: SoCs have the first ones, by number, uplinks those after
    (§6.1)."""
    bytes: int
    """What goes through it both ways, in bytes."""
    used_by: list[str]
    """Who reaches the world through it, its own SoC among them."""


class XFabricForwarding(TypedDict):
    """A SoC's forwarding table."""

    soc: str
    """Whose."""
    gateway: str | None
    """Where traffic to the world goes; None without uplinks."""
    neighbours: list[str | None]
    """By port: who is at the other end; None if nobody is."""
    toward: list[list[int]]
    """By destination, in the order of `socs`: ports that lead there by as few hops as can be."""


class XFabricSummary(TypedDict):
    """What the topology does to the demand.

    Means are over bytes; None without such traffic, or if some of it has no path.
    """

    bytes: int
    """Between SoCs."""
    uplink_bytes: int
    """From and to the world."""
    circuits: int
    """Circuits that crosspoints set."""
    trees: int
    """Spanning trees that these are."""
    connected: bool
    """Can all SoCs reach each other?"""
    diameter: int | None
    """The longest shortest path, in hops."""
    path_length: float | None
    """Hops between SoCs."""
    random_path_length: float | None
    """The same over a random graph of as many ports: what could be had without following demand."""
    previous_path_length: float | None
    """The same over the previous configuration: what would be had without changing anything."""
    uplink_path_length: float | None
    """Hops to and from uplinks."""
    direct: float | None
    """Share of the bytes between SoCs that go over a single circuit."""
    direct_at_most: float | None
    """The most that this share can be with so many ports."""


class XFabricChanges(TypedDict):
    """How many circuits are different."""

    version: int
    """Of the previous configuration."""
    added: int
    """Set now and not before."""
    removed: int
    """Set before and not now."""
    kept: int
    """Set before and now."""


class XFabricDemand(TypedDict):
    """The demand in numbers of SoCs."""

    inside: list[list[int]]
    """From, to, bytes."""
    sent: list[int]
    """To the world, by SoC, in bytes."""
    received: list[int]
    """From the world."""


class XFabricConfiguration(TypedDict):
    """Everything that a controller needs to re-cable the rack."""

    format: Literal["gossamer-xfabric-topology-1"]
    """Says that this is a configuration."""
    version: int
    """Of this configuration: one more than the previous one's (§4.4)."""
    input: XFabricConfigurationInput
    """Its settings."""
    socs: list[str]
    """What SoCs are called, by number."""
    wiring: list[list[XFabricPlug | None]]
    """By SoC and port; None for a port that is not there."""
    crosspoints: list[XFabricCrosspoint]
    """What each crosspoint sets."""
    fixed_circuits: list[XFabricFixedCircuit]
    """Cables that stay: ports that an odd number leaves over, joined for good (§6.1)."""
    uplinks: list[XFabricUplink]
    """Where uplinks go (§4.2)."""
    forwarding: list[XFabricForwarding]
    """Tables, by SoC (§4.3)."""
    update_bytes: int
    """What the controller sends to each SoC, encoded, in bytes (§4.4)."""
    summary: XFabricSummary
    """What it does to this demand."""
    changes: XFabricChanges | None
    """What is different from the previous configuration; None without one."""
    demand: XFabricDemand
    """The demand that it is for, averaged."""
    warnings: list[str]
    """What a person should know before using it."""


XFabricStudyTopology: TypeAlias = Literal["xfabric", "osa", "torus", "random"]
"""The fabrics that are compared (§6.1).

- `xfabric`: Algorithm 1 over partial crosspoints.
- `osa`: OSA's construction over one large circuit switch.
- `torus`: The 3D torus nearest to a cube.
- `random`: A random regular graph.
"""


class XFabricStudyRow(TypedDict):
    """How a topology carries the demand.

    Means are over bytes; `None` without such traffic, or if it was not asked for.
    """

    topology: XFabricStudyTopology
    """Which topology."""
    path_length: float | None
    """Mean path length of what SoCs send each other, in hops (Fig 2a)."""
    uplink_path_length: float | None
    """Mean path length of ingress and egress traffic inside the rack, in hops (Fig 4b)."""
    diameter: int | None
    """The longest shortest path, in hops; `None` if the topology is not connected."""
    direct: float | None
    """Share of the bytes between SoCs that go over a single circuit, from 0 to 1."""
    direct_at_most: float | None
    """Share of the bytes between SoCs of the heaviest pairs, as many as a SoC has ports each: what the best choice of
    pairs could carry over single circuits at most, whatever joins them."""
    effective_pairs: float | None
    """Pairs of SoCs over which the bytes are spread: so many with equal bytes would be as uneven."""
    disjoint_paths: float | None
    """Mean number of disjoint shortest paths (Fig 2b)."""
    bottleneck: float | None
    """Share of the bytes that go over the most loaded link, from 0 to 1 (Fig 2c)."""
    total_load: float | None
    """Bytes times links, as a multiple of all bytes."""
    skew: float | None
    """The most loaded link as a multiple of the mean link."""
