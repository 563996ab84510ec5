"""The theme's templates as Jinja has them, and a mistake in one as an error with its line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sitegen.errors import ThemeError
from sitegen.schema import Location

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment


def environment(templates: Mapping[str, str], compiled: BytecodeCache | None) -> Environment:
    """Where templates are looked up by name; all they show is escaped, and what is not given to them is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def load(name: str) -> tuple[str, str, None] | None:
        return (templates[name], f"templates/{name}", None) if name in templates else None

    return Environment(
        loader=FunctionLoader(load),
        undefined=StrictUndefined,
        autoescape=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=compiled,
    )


def theme_error(error: Exception, template: str) -> ThemeError:
    """A mistake in a template, with the line of the template in which it came up."""
    import traceback

    if isinstance(error, ThemeError) and error.at:
        return error
    at = Location(f"templates/{template}")
    if line := getattr(error, "lineno", None):
        at = Location(getattr(error, "filename", None) or at.path, line)
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith("templates/"):
            at = Location(frame.filename, frame.lineno)
    if isinstance(error, ThemeError):
        return ThemeError(error.message, at=at, hint=error.hint)
    return ThemeError(f"a template cannot be rendered: {error}", at=at)
