"""`python -m sitegen.verify`: the checks of one run that compute. Not called by hand: `sitegen verify` gives it its job
and its environment."""

from __future__ import annotations

from sitegen.bake import process
from sitegen.verify.examine import examine

if __name__ == "__main__":
    process.run(examine)
