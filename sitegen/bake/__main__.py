"""`python -m sitegen.bake JOB`: one recipe to one staged run. Not called by hand: `sitegen train` gives it its
environment."""

from __future__ import annotations

import sys

from sitegen.bake import process
from sitegen.bake.worker import bake

if __name__ == "__main__":
    process.run(sys.argv[1], lambda job, tell: {"digest": bake(job, tell).digest})
