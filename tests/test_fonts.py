"""The committed font files: small, licensed, reproducible, and able to draw what pages hold."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from sitegen.fonts import FACES, SIGNS, drawn, glyph_record, glyphs, points

FONTS = Path(__file__).parent.parent / "templates" / "fonts"


def test_ranges_become_code_points():
    assert points("41-43 A0") == frozenset({0x41, 0x42, 0x43, 0xA0})


def test_a_glyph_record_reads_back_as_it_was_written():
    drawn = {"a.woff2": {0x41, 0x42, 0x43, 0x1D400}, "b.woff2": {0x20}}

    record = glyph_record(drawn)

    assert record.splitlines()[1:] == ["a.woff2 41-43 1D400", "b.woff2 20"]
    assert glyphs(record) == {file: frozenset(one) for file, one in drawn.items()}


def test_the_web_fonts_together_weigh_at_most_185_kilobytes():
    assert sum(path.stat().st_size for path in FONTS.glob("*.woff2")) <= 185_000


def test_every_face_is_committed_with_its_licence_and_its_origin():
    origins = tomllib.loads((FONTS / "SOURCES.toml").read_text(encoding="utf-8"))

    assert set(origins) == {face.file for face in FACES}
    for face in FACES:
        assert (FONTS / face.file).is_file()
        assert "SIL Open Font License" in (FONTS / face.licence).read_text(encoding="utf-8")
        assert origins[face.file]["version"] == face.package.version


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.file)
def test_a_face_draws_what_the_record_says(face):
    pytest.importorskip("brotli")
    ttlib = pytest.importorskip("fontTools.ttLib")
    recorded = glyphs((FONTS / "glyphs.txt").read_text(encoding="utf-8"))[face.file]

    with ttlib.TTFont(FONTS / face.file) as font:
        assert frozenset(font.getBestCmap()) == recorded


def test_text_and_mathematics_are_covered():
    drawn = glyphs((FONTS / "glyphs.txt").read_text(encoding="utf-8"))
    mathematics = drawn["stix-two-math.woff2"]

    assert set(map(ord, "Attention — “reads” … 8×8 naïve")) <= drawn["stix-two-text-roman.woff2"]
    assert set(map(ord, "∑√⊤∈𝐪𝐤𝐐𝛼𝑑ℝ∞⟨⟩→")) <= mathematics
    assert set(map(ord, "step 128 → 600 ✓ σ = 0.5 ▶")) <= drawn["inter.woff2"]


def test_the_mathematics_face_keeps_its_stretchy_forms_and_script_variants():
    pytest.importorskip("brotli")
    ttlib = pytest.importorskip("fontTools.ttLib")

    with ttlib.TTFont(FONTS / "stix-two-math.woff2") as font:
        variants = font["MATH"].table.MathVariants
        features = {record.FeatureTag for record in font["GSUB"].table.FeatureList.FeatureRecord}
        assert {"parenleft", "radical", "summation"} <= set(variants.VertGlyphCoverage.glyphs)
        assert "ssty" in features


def test_the_faces_for_the_pictures_are_static_truetype():
    ttlib = pytest.importorskip("fontTools.ttLib")

    for weight, file in ((400, "stills/Inter-Regular.ttf"), (600, "stills/Inter-SemiBold.ttf")):
        with ttlib.TTFont(FONTS / file) as font:
            assert "fvar" not in font
            assert font["OS/2"].usWeightClass == weight


def test_signs_are_those_that_the_style_takes_from_the_mathematics_face():
    tokens = (FONTS.parent / "css" / "tokens.css").read_text("utf-8")
    ranges = re.search(r'"Signs".*?unicode-range: ([^;]*);', tokens, re.DOTALL)[1]  # type: ignore[index]

    assert points(ranges.replace("U+", "").replace(",", " ")) == points(SIGNS)


def test_what_is_drawn_depends_on_where_it_stands():
    faces = drawn((FONTS / "glyphs.txt").read_text(encoding="utf-8"))

    assert ord("✗") in faces["text"]
    assert ord("✗") not in faces["math"]
    assert 0x1D45E in faces["math"], "an italic q"
    assert 0x1D45E not in faces["text"]
