"""A number and a format to HTML: `d`, `,d`, `.2f`, `,.2f`, `.1%`, `.2e`, or an upper bound, `<=.1e` or `<=e`."""

from __future__ import annotations

import math
import re
from html import escape
from typing import Any

from sitegen.errors import FigureError
from sitegen.schema import Location

_FORMAT = re.compile(r"(<=)?(,?)(?:\.(\d{1,2}))?([def%]?)")
FORMATS = "a format is d, ,d, .2f, .1%, .2e, or an upper bound like <=.1e or <=e"
_THIN = "\u202f"  # a narrow space that does not break
_MINUS = "\u2212"


def formatted(value: Any, spec: str, at: Location) -> str:
    """A value as HTML by a format; without one, as it is, if it is short."""
    found = _FORMAT.fullmatch(spec)
    if not found:
        raise FigureError(f"{spec!r} is no format", at=at, hint=FORMATS)
    bound, comma, precision, kind = found[1], found[2], found[3], found[4]
    if int(precision or 0) > 17:
        raise FigureError(f"{spec!r} asks for too many digits", at=at, hint="a number has 17 of them at most")
    if isinstance(value, list) and not spec:
        return " ".join(formatted(one, "", at) for one in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        if spec:
            raise FigureError(f"{value!r} is no number, so {spec!r} does not fit", at=at, hint="leave the format out")
        return escape("none" if value is None else str(value).lower() if isinstance(value, bool) else str(value))
    if precision is not None and kind not in ("f", "e", "%"):
        raise FigureError(f"{spec!r} is no format", at=at, hint=FORMATS)
    if kind == "d" or (not kind and not bound and isinstance(value, int)):
        if value != int(value):
            raise FigureError(f"{value!r} is no whole number, so {spec!r} does not fit", at=at, hint=FORMATS)
        return _minus(format(int(value), f"{comma}d"))
    if not kind and not bound and value != float(format(value, ".6g")):
        hint = f"write how many digits readers see, for example :.3f, which gives {value:.3f}"
        raise FigureError(f"{value!r} is too long to be read", at=at, hint=hint)
    text = _upper_bound(value, precision, kind) if bound else _plain(value, comma, precision, kind)
    return f"≤{_THIN}{text}" if bound else text


def _plain(value: int | float, comma: str, precision: str | None, kind: str) -> str:
    if kind == "%":
        return _minus(format(value, f"{comma}.{precision or 0}%")[:-1]) + f"{_THIN}%"
    if kind == "e":
        mantissa, exponent = format(value, f".{precision or 0}e").split("e")
        return _minus(mantissa) + _power(int(exponent)) if value else "0"
    if kind == "f":
        return _minus(format(value, f"{comma}.{6 if precision is None else precision}f"))
    return _minus(repr(value))


def _upper_bound(value: int | float, precision: str | None, kind: str) -> str:
    """Rounded away from zero, so that "≤" stays true; `<=e` is the next power of ten."""
    if not value:
        return "0"
    if kind != "e":
        digits = int(precision or 0) + (2 if kind == "%" else 0)
        raised = math.ceil(value * 10**digits - 1e-9) / 10**digits
        return _plain(raised, "", precision, kind or "f")
    exponent = math.floor(math.log10(abs(value)))
    if precision is None:
        exact = math.isclose(abs(value), 10.0**exponent, rel_tol=1e-12)
        return _power(exponent if exact else exponent + 1).lstrip(f"{_THIN}×")
    scale = 10 ** int(precision)
    mantissa = math.ceil(value / 10.0**exponent * scale - 1e-9) / scale
    return _plain(mantissa * 10.0**exponent, "", precision, "e")


def significant(value: object, digits: int = 3) -> str:
    """A number for a table: whole numbers whole, others to some significant digits; other values as text."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        return _minus(str(value))
    text = format(value, f".{digits}g")
    if "e" in text and 1e-4 <= abs(value) < 1e9:
        text = format(float(text), ".0f")
    return _minus(text)


def _power(exponent: int) -> str:
    return f"{_THIN}×{_THIN}10<sup>{_minus(str(exponent))}</sup>"


def _minus(text: str) -> str:
    return text.replace("-", _MINUS)


def exact(value: Any) -> str:
    """A value as it is, to its last digit."""
    return "true" if value is True else "false" if value is False else str(value)
