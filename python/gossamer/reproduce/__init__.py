"""A paper's claims, measured again.

`claims` reads what a paper says, `registry` knows which experiment checks a claim, `packages` loads what a paper's own
folder registers there, `drive` runs it, `verdict` compares, `scoreboard` writes it down. Nothing in here is about one
paper: that is in `papers/NAME`.
"""

from gossamer.reproduce.claims import Claim, Paper, paper, papers
from gossamer.reproduce.drive import reproduce
from gossamer.reproduce.outcome import Outcome
from gossamer.reproduce.verdict import Verdict

__all__ = ["Claim", "Outcome", "Paper", "Verdict", "paper", "papers", "reproduce"]
