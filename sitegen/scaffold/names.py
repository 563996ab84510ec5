"""What a new chapter, act or run may be called, and how a title is written into TOML."""

from __future__ import annotations

import json
import keyword
import re
import unicodedata

from sitegen.errors import ScaffoldError
from sitegen.markdown.directives import NAME

LONGEST = 60  # letters; a name becomes a file's name and a part of addresses


def checked(name: str, *, titled: bool = True) -> str:
    """A name as it is, or a ScaffoldError that says what it should be. `titled`: whether it may have a title too."""
    if NAME.fullmatch(name) and len(name) <= LONGEST:
        return name
    hint = _way_out(name) + ("; --title has room for any words" if titled else "")
    raise ScaffoldError(f"{name!r} is no name: lower-case words of a-z and 0-9, joined by hyphens", hint=hint)


def _way_out(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", re.sub(r"^[^a-z]+", "", plain))
    near = ""
    for word in words:
        if len(near) + len(word) < LONGEST:
            near += f"-{word}" if near else word
    if near:
        return f"{near}, perhaps"
    return "such as first-steps"


def titled(name: str) -> str:
    """The title that a name suggests: first-steps -> First steps."""
    words = name.replace("-", " ")
    return words[0].upper() + words[1:]


def in_toml(title: str) -> str:
    """A title as a string of TOML."""
    if not title.strip():
        raise ScaffoldError("the title is empty", hint="leave --title out: the name gives one")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in title):
        raise ScaffoldError(f"the title {title!r} has a control character", hint="a title is one line of text")
    return json.dumps(title, ensure_ascii=False)


def module_of(name: str, what: str) -> str:
    """The Python name that goes with a name: first-steps -> first_steps. `what` it is the name of."""
    module = name.replace("-", "_")
    if keyword.iskeyword(module):
        hint = f"{module}-{what}, perhaps"
        raise ScaffoldError(f"{name!r} is a word of Python and can be no module", hint=hint)
    return module
