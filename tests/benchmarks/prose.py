"""An act or page without what only sitegen understands: Markdown that any generator renders."""

from __future__ import annotations

import re


def plain_prose(text: str) -> str:
    title = title_of(text)
    text = re.sub(r"\A\+\+\+\n.*?^\+\+\+\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^```\{.*?^```\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^:{3,}.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\{run\}`([^`]*)`", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\{[^}]*\}", r"\1", text)
    text = re.sub(
        r"\[([^\]]*)\]\(/[^)]*\)", r"\1", text
    )  # links from the root, which each generator writes its own way
    return (f"# {title}\n\n" if title else "") + text.lstrip()


def title_of(text: str) -> str:
    """What its front matter calls it."""
    found = re.search(r'^title = "(.*)"$', text, re.MULTILINE)
    return found[1] if found else ""
