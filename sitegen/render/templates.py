"""The theme's templates as Jinja has them, and a mistake in one as an error with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sitegen.errors import ThemeError, nearest
from sitegen.schema import Location

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment

_EXTENDS = re.compile(r"""{%-?\+?\s*extends\s+["']([^"']+)["']""")
_LONGEST = 100_000


def environment(templates: Mapping[str, str], compiled: BytecodeCache | None) -> Environment:
    """Where templates are looked up by name; all they show is escaped, and what is not given to them is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined, TemplateNotFound

    def load(name: str) -> tuple[str, str, None]:
        if name in templates:
            return templates[name], f"templates/{name}", None
        missing = TemplateNotFound(name)
        missing.add_note(nearest(name, templates) or "")
        raise missing

    found = Environment(
        loader=FunctionLoader(load),
        undefined=StrictUndefined,
        autoescape=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=compiled,
    )
    found.globals["range"] = _range
    del found.globals["lipsum"], found.filters["random"]  # the same site gives the same bytes
    return found


def _range(*arguments: int) -> range:
    """What a page can be made of: a longer one would be waited for."""
    found = range(*arguments)
    if found[_LONGEST:]:
        raise ValueError(f"a range of more than {_LONGEST:,} numbers")
    return found


def whole(html: str, template: str) -> str:
    """What a template made, if all of it can be written down; else ThemeError."""
    try:
        html.encode()
    except UnicodeEncodeError:
        hint = r"\ud800 to \udfff stand for no character of their own"
        raise ThemeError(
            "this template makes half a character", at=Location(f"templates/{template}"), hint=hint
        ) from None
    return html


def base_of(templates: Environment, name: str) -> str:
    """The template in which one ends that extends another, which extends another."""
    while templates.loader:
        found = _EXTENDS.search(templates.loader.get_source(templates, name)[0])
        if not found:
            break
        name = found[1]
    return name


def theme_error(error: Exception, template: str) -> ThemeError:
    """A mistake in a template, with the line of the template in which it came up."""
    import traceback

    if isinstance(error, ThemeError) and error.at:
        return error
    if isinstance(error, RecursionError) and (deep := _compiled(error)):
        way_out = "give parts of it to macros, or to templates of their own"
        at = Location(f"templates/{deep}")
        return ThemeError("something in this template is nested too deeply", at=at, hint=way_out)
    at = Location(f"templates/{template}")
    if line := getattr(error, "lineno", None):
        at = Location(getattr(error, "filename", None) or at.path, line)
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith("templates/"):
            at = Location(frame.filename, frame.lineno)
    if isinstance(error, ThemeError):
        return ThemeError(error.message, at=at, hint=error.hint)
    message, hint = _told(error)
    return ThemeError(message, at=at, hint=hint)


def _compiled(error: Exception) -> str | None:
    """The template that was being compiled when it came to an error."""
    import traceback

    found: str | None = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename.startswith("templates/"):
            found = None
        elif frame.f_code.co_name == "_load_template":
            found = frame.f_locals["name"]
    return found


def _told(error: Exception) -> tuple[str, str | None]:
    from jinja2 import TemplateNotFound, TemplateSyntaxError, UndefinedError

    if isinstance(error, TemplateNotFound):
        return f"there is no template {error.name!r}", next(iter(getattr(error, "__notes__", ())), None)
    if isinstance(error, RecursionError):
        return "the templates go round without end", "one extends, includes or imports itself, or a macro calls itself"
    hint = None
    if isinstance(error, TemplateSyntaxError):
        hint = "{{ … }} shows a value, {% … %} is a statement, {# … #} a comment"
    elif isinstance(error, UndefinedError):
        hint = "{{ name|default('') }} shows what need not be there"
    return f"a template cannot be rendered: {error}", hint
