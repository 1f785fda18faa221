"""A paper's claims, measured again.

`claims` reads what a paper says, `registry` knows which experiment checks a claim, `drive` runs it, `verdict`
compares, `scoreboard` writes it down. Modules named for a paper register its experiments: `stardust`, `shoal_plan`.
"""

from gossamer.reproduce import shoal as shoal
from gossamer.reproduce import shoal_failures as shoal_failures
from gossamer.reproduce import shoal_plan as shoal_plan
from gossamer.reproduce import shoal_sharing as shoal_sharing
from gossamer.reproduce import shoal_structure as shoal_structure
from gossamer.reproduce import shoal_workloads as shoal_workloads
from gossamer.reproduce import stardust as stardust
from gossamer.reproduce import stardust_completion as stardust_completion
from gossamer.reproduce import stardust_pipeline as stardust_pipeline
from gossamer.reproduce import stardust_plan as stardust_plan
from gossamer.reproduce import stardust_push_pull as stardust_push_pull
from gossamer.reproduce import stardust_queues as stardust_queues
from gossamer.reproduce import stardust_recovery as stardust_recovery
from gossamer.reproduce import stardust_system as stardust_system
from gossamer.reproduce import xfabric as xfabric
from gossamer.reproduce import xfabric_controller as xfabric_controller
from gossamer.reproduce import xfabric_packets as xfabric_packets
from gossamer.reproduce import xfabric_plan as xfabric_plan
from gossamer.reproduce import xfabric_reconfiguration as xfabric_reconfiguration
from gossamer.reproduce import xfabric_sizes as xfabric_sizes
from gossamer.reproduce.claims import Claim, Paper, paper, papers
from gossamer.reproduce.drive import reproduce
from gossamer.reproduce.outcome import Outcome
from gossamer.reproduce.verdict import Verdict

__all__ = ["Claim", "Outcome", "Paper", "Verdict", "paper", "papers", "reproduce"]
