"""Colours by arithmetic: contrast, what others see of them, and how far apart two of them are."""

from __future__ import annotations

import math

Triple = tuple[float, float, float]

# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency", IEEE TVCG
# 15(6), 2009: severity one, applied to linear RGB.
SIGHTS: dict[str, tuple[Triple, Triple, Triple]] = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
_TO_XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE = (0.95047, 1.0, 1.08883)  # D65


def channels(colour: str) -> list[int]:
    """ "#1b1d22" or "#000" -> [27, 29, 34]."""
    digits = colour.lstrip("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    return [int(digits[k : k + 2], 16) for k in (0, 2, 4)]


def linear(colour: str) -> Triple:
    """The light of its three channels."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in channels(colour))
    )
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """WCAG 2's ratio of two colours."""
    darker, lighter = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in map(linear, (one, other))
    )
    return (lighter + 0.05) / (darker + 0.05)


def lab(colour: str, sight: str | None = None) -> Triple:
    """CIE L*a*b* of a colour, as somebody sees it who lacks a kind of cones."""
    light = linear(colour)
    if sight:
        light = _limited(_times(SIGHTS[sight], light))
    x, y, z = (_root(value / white) for value, white in zip(_times(_TO_XYZ, light), _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: Triple, other: Triple) -> float:
    """CIEDE2000 of two colours in L*a*b*."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_chroma = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    factor = 1 + (1 - math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))) / 2
    a1, a2 = a1 * factor, a2 * factor
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 if a or b else 0.0 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if not c1 * c2 else (h2 - h1 + 180) % 360 - 180
    hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    mean = h1 + h2 if not c1 * c2 else (h1 + turn / 2) % 360
    part = (
        1
        - 0.17 * math.cos(math.radians(mean - 30))
        + 0.24 * math.cos(math.radians(2 * mean))
        + 0.32 * math.cos(math.radians(3 * mean + 6))
        - 0.20 * math.cos(math.radians(4 * mean - 63))
    )
    spread = (lightness - 50) ** 2
    by_lightness = (l2 - l1) / (1 + 0.015 * spread / math.sqrt(20 + spread))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = hue / (1 + 0.015 * chroma * part)
    rotation = (
        -2
        * math.sqrt(chroma**7 / (chroma**7 + 25**7))
        * math.sin(math.radians(60 * math.exp(-(((mean - 275) / 25) ** 2))))
    )
    return math.sqrt(by_lightness**2 + by_chroma**2 + by_hue**2 + rotation * by_chroma * by_hue)


def _times(matrix: tuple[Triple, Triple, Triple], vector: Triple) -> Triple:
    first, second, third = (sum(one * other for one, other in zip(row, vector, strict=True)) for row in matrix)
    return first, second, third


def _limited(light: Triple) -> Triple:
    red, green, blue = (min(1.0, max(0.0, value)) for value in light)
    return red, green, blue


def _root(value: float) -> float:
    return math.cbrt(value) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116
