"""What checks the claims of Shoal (NSDI 2019). How each is set up, and what the paper leaves open: ../README.md."""

from . import failures as failures
from . import plan as plan
from . import rack as rack
from . import sharing as sharing
from . import structure as structure
from . import torus as torus
from . import workloads as workloads
