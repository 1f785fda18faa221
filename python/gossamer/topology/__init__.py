"""Topologies that follow demand, without simulating a packet.

    from gossamer import topology
    topology.xfabric("demand.csv", uplinks=4)["crosspoints"]                        # circuits for a rack of your own
    topology.study(workload="clustered", cluster=8, topologies="xfabric,torus")     # topologies compared, as dicts

Settings, files and what is measured: docs/topology.md.
"""

from gossamer.topology.configuration import Configuration, xfabric
from gossamer.topology.study import Row, seconds, study

__all__ = ["Configuration", "Row", "seconds", "study", "xfabric"]
