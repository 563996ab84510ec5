"""What a picture is by its first bytes, held against pictures that a library wrote."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from minimal_site import copied, png
from PIL import Image

from sitegen.build import build, inspect
from sitegen.errors import Findings
from sitegen.pictures import Picture, read

SVG = '<?xml version="1.0"?>\n<!-- a plot -->\n<svg xmlns="http://www.w3.org/2000/svg" {}><path d="M0 0"/></svg>'
FOLDER = "content/01-straight-lines"


def saved(kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (31, 17), "grey").save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("PNG", {}),
        ("JPEG", {}),
        ("JPEG", {"progressive": True}),
        ("GIF", {}),
        ("WebP", {}),
        ("WebP", {"lossless": True}),
        ("WebP", {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"}),
    ],
)
def test_kind_and_size_are_read_from_the_first_bytes_and_half_a_file_is_told(kind: str, options: dict[str, object]):
    data = saved(kind, **options)

    assert read(data) == Picture(kind, 31, 17)
    assert read(data[: len(data) * 2 // 3]).wrong == "it ends too early"
    assert read(data[:14]).wrong == "it ends too early" or not read(data[:14]).kind


def test_a_photograph_that_is_turned_has_the_size_it_is_shown_in():
    exif = Image.Exif()
    exif[0x0112] = 6

    assert read(saved("JPEG", exif=exif)) == Picture("JPEG", 17, 31)


@pytest.mark.parametrize(
    ("size", "width", "height"),
    [('width="40px" height="20.4"', 40, 20), ('viewBox="0 0 40 20"', 0, 0), ('width="100%" height="20"', 0, 0)],
)
def test_a_drawing_has_the_size_that_it_says_in_pixels(size: str, width: int, height: int):
    assert read(SVG.format(size).encode()) == Picture("SVG", width, height)


def test_a_drawing_that_is_no_xml_is_told_with_its_line():
    assert read(SVG.format('width="40').encode()).wrong == "line 3 of it is no XML: not well-formed (invalid token)"
    assert read(b'<?xml version="1.0"?><p><svg /></p>').wrong == "its first element is no svg"


def test_what_is_no_picture_has_no_kind():
    assert [read(data).kind for data in (b"", b"words", b"\x89PN", b"RIFF1234WAVE", b"<p><svg /></p>")] == [""] * 5


def with_picture(site: Path, name: str, data: bytes, more: str = "") -> Path:
    (site / FOLDER / name).write_bytes(data)
    with (site / FOLDER / "02-notes.md").open("a", encoding="utf-8") as notes:
        notes.write(f"\n![A plot]({name}){more}\n")
    return site


def test_the_place_of_a_picture_is_kept_until_it_comes_unless_its_author_gives_it_another(tmp_path: Path):
    site = with_picture(copied(tmp_path), "a.png", png(6, 4))
    with_picture(site, "b.png", png(8, 4), "{width=40}")
    build(site)

    page = (site / "build/site/straight-lines/index.html").read_text("utf-8")
    images = [tag.partition(">")[0] for tag in page.split("<img ")[1:] if "media/" in tag.partition(">")[0]]

    assert 'width="6" height="4" alt="A plot"' in images[0]
    assert 'width="40"' in images[1]
    assert "height" not in images[1]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.png", b"", "the image 'a.png' is empty"),
        ("a.jpg", b"words", "the image 'a.jpg' is no picture, whatever its name says"),
        ("a.jpg", png(4, 3), "the image 'a.jpg' is PNG, and its name says JPEG"),
        ("a.png", png(4, 3)[:40], "the image 'a.png' cannot be shown: it ends too early"),
    ],
)
def test_a_picture_that_cannot_be_shown_is_told_where_it_is_written(tmp_path: Path, name: str, data: bytes, said: str):
    site = with_picture(copied(tmp_path), name, data)
    line = (site / FOLDER / "02-notes.md").read_text("utf-8").count("\n")

    with pytest.raises(Findings) as caught:
        build(site)

    assert [f"{one.at}: {one.message}" for one in caught.value.errors] == [f"{FOLDER}/02-notes.md:{line}: {said}"]


def test_a_heavy_picture_is_told_by_its_file(tmp_path: Path):
    noise = Image.effect_noise((1200, 800), 90)
    file = io.BytesIO()
    noise.save(file, "PNG")
    site = with_picture(copied(tmp_path), "a.png", file.getvalue())

    told = [one for one in inspect(site).findings if one.message.startswith("picture weighs")]

    assert [str(one.at) for one in told] == [f"{FOLDER}/a.png"]
