"""The code to REFERENCE.md: what stands in it is taken from where it is used, so that it cannot be wrong for long.

Files: `commands` (from click), `writing` (keys of TOML and forms of Markdown), `runs` (classes of the schema), `kinds`
(figure.toml), `mistakes` (the classes of errors and what they say).
"""

from __future__ import annotations

from pathlib import Path

from sitegen.reference import commands, kinds, mistakes, runs, writing

_HEAD = """\
# Reference

What can be written, called and read, piece by piece. This page is made from the code by `make reference`, and a test
holds the two together. [Your first lesson](content/pages/guide.md) is the way in; [ARCHITECTURE.md](ARCHITECTURE.md)
tells how it works.

{contents}
"""


def reference(site_dir: Path) -> str:
    """The whole page; `site_dir` says which figure kinds there are."""
    parts = {
        "Commands": commands.text(),
        "Front matter and TOML": writing.keys(),
        "Markdown": writing.forms(),
        "Values of runs": writing.values(),
        "Recipes": runs.recipes(),
        "The format of a run": runs.format_of_runs(),
        "Testing your bakes": runs.testing(),
        "Figure kinds": kinds.text(site_dir),
        "Errors": mistakes.text(),
    }
    contents = " · ".join(f"[{title}](#{title.lower().replace(' ', '-')})" for title in parts)
    body = "\n".join(f"## {title}\n\n{text.strip()}\n" for title, text in parts.items())
    return f"{_HEAD.format(contents=contents)}\n{body}"
