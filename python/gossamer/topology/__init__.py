"""Topologies that follow demand, without simulating a packet.

    from gossamer import topology
    topology.study(workload="clustered", cluster=8, topologies="xfabric,torus")     # rows, as dicts

`study` compares topologies under a workload. Settings and what is measured: docs/topology.md.
"""

from gossamer.topology.study import Row, seconds, study

__all__ = ["Row", "seconds", "study"]
