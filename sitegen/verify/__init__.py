"""Are the committed runs what the code produces? Every number is made again, here and by a second engine."""

from sitegen.verify.outcomes import Outcome, Verdict, recorded, unrecorded
from sitegen.verify.plan import CheckDone, verify

__all__ = ["CheckDone", "Outcome", "Verdict", "recorded", "unrecorded", "verify"]
