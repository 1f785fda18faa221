"""What checks the claims of XFabric (NSDI 2016). How each is set up, and what the paper leaves open: ../README.md."""

from . import controller as controller
from . import packets as packets
from . import plan as plan
from . import reconfiguration as reconfiguration
from . import sizes as sizes
from . import topologies as topologies
