"""The JSON Schema of run.json, made from the classes it is decoded into."""

from __future__ import annotations

import json

import msgspec

from sitegen.schema import FORMAT_VERSION, Run


def json_schema() -> str:
    """The text of build/runs/run.schema.json."""
    schema = msgspec.json.schema(Run)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = f"A baked run, format {FORMAT_VERSION}"
    return json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
