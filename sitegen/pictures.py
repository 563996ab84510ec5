"""The bytes of a picture to what they are and how large it is, by its first bytes alone: no pixel is decoded."""

from __future__ import annotations

import re

from msgspec import Struct

KINDS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".gif": "GIF", ".webp": "WebP", ".svg": "SVG"}
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # the segments of a JPEG that tell its size
_LENGTH = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)(?:px)?\s*")


class Picture(Struct, frozen=True):
    """Its size in CSS pixels as it is shown; 0 × 0 where a file does not tell. `wrong`: what is damaged, or ""."""

    kind: str
    width: int = 0
    height: int = 0
    wrong: str = ""


def read(data: bytes) -> Picture:
    """What some bytes are; of no `kind`, if they are none of the pictures that all browsers show."""
    for kind, signature, look in (
        ("PNG", rb"\x89PNG\r\n\x1a\n", _png),
        ("JPEG", rb"\xff\xd8\xff", _jpeg),
        ("GIF", rb"GIF8[79]a", _gif),
        ("WebP", rb"RIFF....WEBP", _webp),
        ("SVG", rb"(?:\xef\xbb\xbf)?\s*<(?:[?!][^\x00]*?)?(?:[\w-]+:)?svg[\s/>]", _svg),
    ):
        if re.match(signature, data, re.DOTALL):
            try:
                return look(data)
            except IndexError:  # behind the last byte
                return Picture(kind, wrong="it ends too early")
    return Picture("")


def _number(data: bytes, at: int, size: int, *, little: bool = False) -> int:
    if at + size > len(data):
        raise IndexError
    return int.from_bytes(data[at : at + size], "little" if little else "big")


def _png(data: bytes) -> Picture:
    size = _number(data, 16, 4), _number(data, 20, 4)
    at = 8
    while data[at + 4 : at + 8] != b"IEND":
        at += 12 + _number(data, at, 4)
    return Picture("PNG", *size)


def _gif(data: bytes) -> Picture:
    size = _number(data, 6, 2, little=True), _number(data, 8, 2, little=True)
    return Picture("GIF", *size, wrong="" if b";" in data[-64:] else "it ends too early")


def _webp(data: bytes) -> Picture:
    whole = 8 + _number(data, 4, 4, little=True) <= len(data)
    if data[12:16] == b"VP8X":
        size = 1 + _number(data, 24, 3, little=True), 1 + _number(data, 27, 3, little=True)
    elif data[12:16] == b"VP8L":
        bits = _number(data, 21, 4, little=True)
        size = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    else:
        size = _number(data, 26, 2, little=True) & 0x3FFF, _number(data, 28, 2, little=True) & 0x3FFF
    return Picture("WebP", *size, wrong="" if whole else "it ends too early")


def _jpeg(data: bytes) -> Picture:
    at, turned = 2, False
    while True:
        if _number(data, at, 1) != 0xFF:
            return Picture("JPEG", wrong="it is damaged")
        marker = _number(data, at + 1, 1)
        if marker == 0xFF:  # a byte that fills
            at += 1
            continue
        length = _number(data, at + 2, 2)
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            turned = _lies_on_its_side(data[at + 10 : at + 2 + length])
        if marker in _FRAMES:
            height, width = _number(data, at + 5, 2), _number(data, at + 7, 2)
            wrong = "" if b"\xff\xd9" in data[at:] else "it ends too early"
            return Picture("JPEG", *((height, width) if turned else (width, height)), wrong=wrong)
        at += 2 + length


def _lies_on_its_side(exif: bytes) -> bool:
    """Whether a camera was held upright: browsers turn such a picture."""
    little = exif[:2] == b"II"
    try:
        start = _number(exif, 4, 4, little=little)
        for entry in range(start + 2, start + 2 + 12 * _number(exif, start, 2, little=little), 12):
            if _number(exif, entry, 2, little=little) == 0x0112:
                return _number(exif, entry + 8, 2, little=little) >= 5
    except IndexError:
        pass
    return False


def _svg(data: bytes) -> Picture:
    """Without a size of its own it is as wide as its place."""
    from xml.parsers import expat

    root: dict[str, str] = {}

    def begin(name: str, attributes: dict[str, str]) -> None:
        if not root:
            root.update({"": name, **attributes})

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        return Picture("SVG", wrong=f"line {error.lineno} of it is no XML: {expat.ErrorString(error.code)}")
    if root.get("", "").rpartition(":")[2] != "svg":
        return Picture("SVG", wrong="its first element is no svg")
    sizes = [_LENGTH.fullmatch(root.get(name, "")) for name in ("width", "height")]
    width, height = (round(float(one[1])) if one else 0 for one in sizes)
    return Picture("SVG", width, height) if width and height else Picture("SVG")
