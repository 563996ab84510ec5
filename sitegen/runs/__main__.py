"""`python -m sitegen.runs [folder]` writes run.schema.json, the JSON Schema of run.json, into build/runs."""

import sys
from pathlib import Path

from sitegen.runs.files import replace_file
from sitegen.runs.json_schema import json_schema

if __name__ == "__main__":
    replace_file(Path(*sys.argv[1:2] or ["build/runs"]) / "run.schema.json", json_schema().encode())
