"""What checks the claims of AN3. How each is set up, and what the paper leaves open: ../README.md."""

from . import circuits as circuits
from . import faults as faults
from . import plan as plan
from . import rounds as rounds
from . import sort as sort
from . import waiting as waiting
