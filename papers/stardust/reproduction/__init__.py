"""What checks the claims of Stardust (NSDI 2019). How each is set up, and what the paper leaves open: ../README.md."""

from . import completion as completion
from . import permutations as permutations
from . import pipeline as pipeline
from . import plan as plan
from . import push_pull as push_pull
from . import queues as queues
from . import recovery as recovery
from . import system as system
