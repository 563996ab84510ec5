"""Published fonts to the small committed files of `templates/fonts/`: fetched by name, cut to what pages use.

`python -m sitegen.fonts [FOLDER]` needs the extra `fonts`, npm and pip. Every source has one exact version, so the
same call gives the same bytes. A build never runs this; `glyphs` tells it which characters the files can draw.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]


class Package(Struct, frozen=True):
    """An archive of a registry, in one version, and where its licence lies in it."""

    registry: Literal["npm", "pypi"]
    name: str
    version: str
    licence: str | None = None


class Face(Struct, frozen=True):
    """One file we ship: what it is cut from, what is kept, and how the variable axes are narrowed or fixed."""

    file: str
    package: Package
    member: str
    licence: str
    characters: str  # ranges of code points, "20-7E A0"
    features: tuple[str, ...]
    axes: tuple[tuple[str, float | tuple[float, float]], ...] = ()


STIX = Package("npm", "@fontsource-variable/stix-two-text", "5.3.0", "LICENSE")
INTER = Package("npm", "inter-ui", "4.1.1", "LICENSE.txt")
MONO = Package("npm", "@fontsource-variable/jetbrains-mono", "5.3.0", "LICENSE")
ZIAMATH = Package("pypi", "ziamath", "0.13")  # carries the whole STIX Two Math; its licence is STIX's

LATIN = "20-7E A0-FF 152-153 2C6 2DC"
PUNCTUATION = " 2009-200A 2010-2015 2018-201E 2020-2022 2026 202F 2032-2033 2039-203A 20AC 2212"
GREEK = " 391-3A1 3A3-3A9 3B1-3C9 3D1 3D5 3F5"
SYMBOLS = " 2080-2089 2190-2195 2197-2198 21BA-21BB 221A 221E 2248 2260 2264-2265 25B2 25B6 25BC 25C0 2713 2717"
MORE_SYMBOLS = " 1D62 2070 21A9 2C7C"  # not in the stills: their faces are part of what makes a run's bytes
# What math-core writes: letters that MathML turns italic, bold letters and digits, blackboard and some script
# capitals, operators, arrows, accents and fences. The stretched forms follow through the MATH table.
MATHEMATICS = (
    f"20-7E A0 AC AF-B1 B4 B7 D7 F7 131 237 2C6-2C7 2D8-2DA 2DC 302-304 307-308{GREEK} 2016 2032-2034 203E 2061-2064 "
    "20D7 2102 210B 210E 2112-2113 2115 211D 2124 2190-2194 21A6 21D0-21D4 2200 2202-2203 2205-2209 220B 220F "
    "2211-2213 2216-221A 221D-221E 2223-222B 223C 2243 2248 2260-2261 2264-2265 226A-226B 2282-2283 2286-2287 "
    "2295-2297 2299 22A4-22A5 22C5-22C6 22EE-22F1 2308-230B 23DE-23DF 25E6 2713 2717 27E8-27E9 2A7D-2A7E FE00 "
    "1D400-1D467 1D49C 1D49F 1D4A9-1D4AA 1D53B-1D550 1D6A4-1D6A5 1D6E2-1D71B 1D7CE-1D7D8"
)

# What tokens.css takes from the mathematics face wherever another face has no sign.
SIGNS = "370-3FF 2070-209F 2190-21FF 2200-2211 2213-22FF 2300-23FF 25A0-25FF 2713-2717 27E8-27E9"

TEXT_FEATURES = ("kern", "mark", "mkmk", "liga", "ccmp", "locl", "frac", "numr", "dnom", "pnum", "tnum", "lnum", "onum")
FACES = (
    Face(
        "stix-two-text-roman.woff2",
        STIX,
        "files/stix-two-text-latin-wght-normal.woff2",
        "OFL-stix-two.txt",
        LATIN + PUNCTUATION,
        TEXT_FEATURES,
        (("wght", (400, 600)),),
    ),
    Face(
        "stix-two-text-italic.woff2",
        STIX,
        "files/stix-two-text-latin-wght-italic.woff2",
        "OFL-stix-two.txt",
        LATIN + PUNCTUATION,
        TEXT_FEATURES,
        (("wght", (400, 600)),),
    ),
    Face(
        "inter.woff2",
        INTER,
        "variable/InterVariable.woff2",
        "OFL-inter.txt",
        LATIN + PUNCTUATION + GREEK + SYMBOLS + MORE_SYMBOLS,
        ("kern", "mark", "mkmk", "ccmp", "locl", "tnum", "case", "ss03"),
        (("opsz", 14), ("wght", (400, 700))),
    ),
    Face(
        "jetbrains-mono.woff2",
        MONO,
        "files/jetbrains-mono-latin-wght-normal.woff2",
        "OFL-jetbrains-mono.txt",
        LATIN + PUNCTUATION,
        ("mark", "mkmk", "ccmp", "locl"),  # without calt: in teaching code "!=" should look like what one types
        (("wght", (400, 700)),),
    ),
    Face(
        "stix-two-math.woff2",
        ZIAMATH,
        "ziamath/fonts/STIXTwoMath-Regular.ttf",
        "OFL-stix-two.txt",
        MATHEMATICS,
        ("ssty", "dtls", "flac", "ccmp"),
    ),
    # matplotlib reads static TrueType only
    Face(
        "stills/Inter-Regular.ttf",
        INTER,
        "variable/InterVariable.woff2",
        "OFL-inter.txt",
        LATIN + PUNCTUATION + GREEK + SYMBOLS,
        ("kern", "tnum"),
        (("opsz", 14), ("wght", 400)),
    ),
    Face(
        "stills/Inter-SemiBold.ttf",
        INTER,
        "variable/InterVariable.woff2",
        "OFL-inter.txt",
        LATIN + PUNCTUATION + GREEK + SYMBOLS,
        ("kern", "tnum"),
        (("opsz", 14), ("wght", 600)),
    ),
)


def glyphs(record: str) -> Mapping[str, frozenset[int]]:
    """The text of `glyphs.txt` -> font file -> code points it draws."""
    lines = (line.split(maxsplit=1) for line in record.splitlines() if line and not line.startswith("#"))
    return {file: points(ranges) for file, ranges in lines}


def drawn(record: str) -> Mapping[str, frozenset[int]]:
    """The text of `glyphs.txt` -> what is drawn in running text, in code and in formulas."""
    faces = glyphs(record)
    signs = faces["stix-two-math.woff2"] & points(SIGNS)
    text = faces["stix-two-text-roman.woff2"] & faces["stix-two-text-italic.woff2"]
    return {
        "text": text | faces["inter.woff2"] | signs,
        "code": faces["jetbrains-mono.woff2"] | faces["inter.woff2"] | signs,
        "math": faces["stix-two-math.woff2"],
    }


def points(ranges: str) -> frozenset[int]:
    """Ranges in hexadecimal ("20-7E A0") -> the code points."""
    bounds = ([int(end, 16) for end in one.split("-")] for one in ranges.split())
    return frozenset(point for ends in bounds for point in range(ends[0], ends[-1] + 1))


def glyph_record(drawn: Mapping[str, Iterable[int]]) -> str:
    """The text of `glyphs.txt`: one line a font file, its code points as ranges in hexadecimal."""
    head = "# What each font file draws, written by `make fonts`.\n"
    return head + "".join(f"{file} {' '.join(_ranges(one))}\n" for file, one in sorted(drawn.items()))


def _ranges(drawn: Iterable[int]) -> list[str]:
    runs: list[list[int]] = []
    for point in sorted(drawn):
        if runs and point == runs[-1][1] + 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return [f"{first:X}" if first == last else f"{first:X}-{last:X}" for first, last in runs]


def cut(source: Path, face: Face) -> TTFont:
    """The face as a font: axes narrowed, then only its characters, their features and mathematical variants."""
    from fontTools import subset  # type: ignore[import-untyped]
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer  # type: ignore[import-untyped]

    font = TTFont(source, recalcTimestamp=False)
    if face.axes:
        narrowed = io.BytesIO()
        instancer.instantiateVariableFont(font, dict(face.axes), updateFontNames=False).save(narrowed)
        font = TTFont(narrowed, recalcTimestamp=False)  # read back, since the instancer leaves tables half loaded
    options = subset.Options(
        layout_features=list(face.features),
        hinting=False,
        desubroutinize=True,
        notdef_outline=True,
        name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14],
        recalc_timestamp=False,
    )
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=points(face.characters))
    subsetter.subset(font)
    if "tnum" in face.features:
        _tabular_digits_only(font)
    if "fvar" not in font and face.axes:
        _name_instance(font, *Path(face.file).stem.split("-"))
    font.flavor = "woff2" if face.file.endswith(".woff2") else None
    return font


def _tabular_digits_only(font: TTFont) -> None:
    """Inter's tnum also widens hyphens and points, which tears words apart; figures need their digits alike only."""
    features = font["GSUB"].table.FeatureList.FeatureRecord
    lookups = {index for record in features if record.FeatureTag == "tnum" for index in record.Feature.LookupListIndex}
    digits = {font.getBestCmap()[ord(digit)] for digit in "0123456789"}
    for index in lookups:
        for table in font["GSUB"].table.LookupList.Lookup[index].SubTable:
            single = getattr(table, "ExtSubTable", table)
            single.mapping = {glyph: to for glyph, to in single.mapping.items() if glyph in digits}


def _name_instance(font: TTFont, family: str, style: str) -> None:
    """An instance keeps the name of the variable font, and two weights of one name cannot be told apart."""
    names = {1: family, 2: style, 4: f"{family} {style}", 6: f"{family}-{style}"}
    for record in font["name"].names:
        record.string = names.get(record.nameID, record.toUnicode())


def fetch(package: Package, folder: Path) -> Path:
    """The package's files below `folder`, got by the registry's own client."""
    wanted = f"{package.name}@{package.version}" if package.registry == "npm" else f"{package.name}=={package.version}"
    target = folder / package.name.replace("/", "-")
    target.mkdir()
    if package.registry == "npm":
        command = ["npm", "pack", "--silent", wanted]
    else:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", wanted]
    subprocess.run(command, cwd=target, check=True, stdout=subprocess.DEVNULL)
    archive = next(iter(sorted(target.iterdir())))
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(target)
        return target
    with tarfile.open(archive) as tar:
        tar.extractall(target, filter="data")
    return target / "package"


def write(folder: Path) -> None:
    """Every face, licence and record into `folder`."""
    drawn: dict[str, Iterable[int]] = {}
    origins = []
    with tempfile.TemporaryDirectory() as scratch:
        packages = {one.name: fetch(one, Path(scratch)) for one in dict.fromkeys(face.package for face in FACES)}
        for face in FACES:
            source = packages[face.package.name]
            font = cut(source / face.member, face)
            (folder / face.file).parent.mkdir(parents=True, exist_ok=True)
            font.save(folder / face.file)
            drawn[face.file] = font.getBestCmap()
            if face.package.licence:
                shutil.copyfile(source / face.package.licence, folder / face.licence)
            origins.append(_origin(face, font["name"].getDebugName(5)))
    (folder / "glyphs.txt").write_text(glyph_record(drawn), encoding="utf-8")
    (folder / "SOURCES.toml").write_text("\n".join(origins), encoding="utf-8")


def _origin(face: Face, version: str) -> str:
    axes = ", ".join(f"{axis} {list(limit) if isinstance(limit, tuple) else limit}" for axis, limit in face.axes)
    return (
        f'["{face.file}"]\npackage = "{face.package.registry}:{face.package.name}"\n'
        f'version = "{face.package.version}"\n'
        f'member = "{face.member}"\nfont = "{version}"\naxes = "{axes or "as published"}"\nlicence = "{face.licence}"\n'
    )


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "templates/fonts"))
