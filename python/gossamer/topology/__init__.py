"""The graphs of experiments, and topologies that follow demand, without simulating a packet.

    from gossamer import topology
    topology.graph("experiments/quickstart.toml")["links"]                          # names, classes, rates, delays
    topology.xfabric("demand.csv", uplinks=4)["crosspoints"]                        # circuits for a rack of your own
    topology.study(workload="clustered", cluster=8, topologies="xfabric,torus")     # topologies compared, as dicts

Settings, files and what is measured: docs/topology.md.
"""

from gossamer.topology.configuration import xfabric
from gossamer.topology.graph import graph
from gossamer.topology.study import seconds, study
from gossamer.types import Graph
from gossamer.types import GraphLink as Link
from gossamer.types import GraphNode as Node
from gossamer.types import XFabricConfiguration as Configuration
from gossamer.types import XFabricStudyRow as Row

__all__ = ["Configuration", "Graph", "Link", "Node", "Row", "graph", "seconds", "study", "xfabric"]
