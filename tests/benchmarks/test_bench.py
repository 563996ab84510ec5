"""The benchmark compares like with like: mkdocs gets the prose, and nothing that only sitegen understands."""

from __future__ import annotations

from pathlib import Path

from bench import Timed, plain_prose, weigh

ACT = """\
+++
title = "An act"
claims = ["a.metrics.b == 1"]
+++

Lead with [0.5]{.given}.

## A step
```{figure} some-kind
run = "a"
```
It reads {run}`a.metrics.b:.1%` of $x$.

```python
kept = True
```

::: exercise Why?
Think.
:::: answer
Because.
::::
:::
"""


def test_prose_for_mkdocs_keeps_text_and_loses_directives():
    assert plain_prose(ACT) == (
        "# An act\n\nLead with 0.5.\n\n## A step\nIt reads a.metrics.b:.1% of $x$.\n\n"
        "```python\nkept = True\n```\n\nThink.\nBecause.\n"
    )


def test_a_timed_command_is_a_whole_process(tmp_path: Path):
    timed = Timed("sleep", ["sleep", "0.05"])

    timed.once(tmp_path)

    assert 0.05 <= timed.wall[0] < 5
    assert timed.cpu[0] < timed.wall[0]


def test_pages_are_weighed_alone_and_scripts_together(tmp_path: Path):
    (tmp_path / "index.html").write_text("page")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a-run.0123456789ab.json").write_text("{}")
    for name in ("one.js", "two.js"):
        (tmp_path / name).write_text("export {}")

    sizes = weigh(tmp_path)

    assert sorted(sizes) == ["all .js", "data/a-run.json", "index.html"]
    assert 20 < sizes["index.html"] < 30
