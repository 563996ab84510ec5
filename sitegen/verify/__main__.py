"""`python -m sitegen.verify JOB`: the checks of one run that compute. Not called by hand: `sitegen verify` gives it its
environment."""

from __future__ import annotations

import sys

from sitegen.bake import process
from sitegen.verify.examine import examine

if __name__ == "__main__":
    process.run(sys.argv[1], examine)
