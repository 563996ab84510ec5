"""Compiled templates, kept from one build to the next: compiling them takes longer than all the rest of rendering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.build import program

if TYPE_CHECKING:
    from jinja2 import BytecodeCache


def compiled_templates() -> BytecodeCache:
    """Where Jinja keeps its bytecode, by name and checksum of the source. What came to harm is compiled again."""
    from jinja2.bccache import Bucket, BytecodeCache

    class Kept(BytecodeCache):
        def load_bytecode(self, bucket: Bucket) -> None:
            if body := program.kept(bucket.key, "templates"):
                bucket.bytecode_from_string(bytes(body))

        def dump_bytecode(self, bucket: Bucket) -> None:
            program.keep(bucket.key, bucket.bytecode_to_string(), "templates")

    return Kept()
