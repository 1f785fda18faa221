"""What checks the claims of Fastpod. How each is set up, and what the paper leaves open: ../README.md."""

from . import closed_forms as closed_forms
from . import failures as failures
from . import inter_pod as inter_pod
from . import pod as pod
from . import slots as slots
