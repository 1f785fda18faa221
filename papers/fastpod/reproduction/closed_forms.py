"""Fastpod: the claims that arithmetic settles. How each is read is in papers/fastpod/README.md."""

from collections.abc import Mapping

from gossamer.plan import Setting, ShoalPlan, plan
from gossamer.reproduce.registry import Computation, Measurement

CYCLE: Mapping[str, Setting] = {
    "nodes": 100_000,
    "node_rate": "100 Gb/s",
    "channels": 4,
    "usable_slot": "20.48 ns",
    "reconfiguration": "0 ns",
    "propagation_variation": "0 ns",
    "synchronisation_error": "0 ns",
    "switch_ports": 512,
}
"""§2.2: 100K servers with 4 channels of 25 Gb/s, slots of 64 B (20.48 ns) and nothing between them."""

epoch = Computation("fastpod", "schedule-less-epoch", "gossamer plan shoal", computes=lambda: plan("shoal", **CYCLE))


@epoch.measure
def longest_wait(found: ShoalPlan) -> Measurement:
    """A slot for every other node, spread over the channels."""
    timing, nodes = found["timing"], found["input"]["nodes"]
    guarded = plan("shoal", nodes=nodes, switch_ports=512)["timing"]
    return Measurement(
        {"": timing["epoch_ps"] / 1e6},
        f"{nodes - 1:,} slots of {timing['slot_ps'] / 1e3:.2f} ns over {found['input']['channels']} channels; in slots "
        f"of {guarded['slot_ps'] / 1e3:.2f} ns, as Shoal's guard band has it, {guarded['epoch_ps'] / 1e6:.0f} us",
    )


AREA: Mapping[str, float] = {"memory": 0.5, "packet processing": 0.2, "SerDes": 0.3}
"""§1: shares of a switch's area."""

area = Computation("fastpod", "switch-area", "papers/fastpod/reproduction/closed_forms.py", computes=lambda: AREA)


@area.measure
def without_memory(found: Mapping[str, float]) -> Measurement:
    """What is left of a switch, by what it does without."""
    io, shares = found["SerDes"], ", ".join(f"{name} {share:.0%}" for name, share in found.items())
    return Measurement(
        {"": 1 - found["memory"]},
        f"The paper's shares are its input ({shares}). Without the memory half is left, and twice the bandwidth fits "
        "where there was one; without packet processing as well, which source routing takes away, "
        f"{io:.0%}, and {1 / io:.1f} times the bandwidth. Half is what §2.1 states for both",
    )


def racks_of_a_pod() -> dict[int, int]:
    """ToR switches of one pod of a fat-tree, by its ports k: those that the first one's aggregation switches join."""
    from gossamer.topology import graph

    found = {}
    for ports in (4, 8, 16):
        tree = {"kind": "fat-tree", "k": ports}
        links = graph({"seed": 1, "topology": tree, "workload": [{"kind": "permutation"}]})["links"]
        up = [(link["source"], link["target"]) for link in links if link["class"] == "edge-aggregation"]
        over = {target for source, target in up if source == "edge-0"}
        found[ports] = len({source for source, target in up if target in over})
    return found


control = Computation("fastpod", "control-links", "gossamer topology", computes=racks_of_a_pod)


@control.measure
def ports_of_the_arbiter(found: dict[int, int]) -> Measurement:
    """A port for each ToR switch of the pod."""
    return Measurement(
        {f"k = {ports}": racks for ports, racks in found.items()},
        "ToR switches of a pod, counted in the fat-tree's graph. With a link to every host it would be k^2 / 4 ports: "
        f"{', '.join(f'{ports**2 // 4} for k = {ports}' for ports in found)}",
        stated={f"k = {ports}": ports // 2 for ports in found},
    )
