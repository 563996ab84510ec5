"""Are the committed runs what the code produces? Every number is made again, here and by a second engine."""

from sitegen.verify.outcomes import Line, Outcome, Verdict, recorded
from sitegen.verify.plan import CheckDone, verify

__all__ = ["CheckDone", "Line", "Outcome", "Verdict", "recorded", "verify"]
