"""What a site gives to those who link to it: addresses, pictures, a feed, a map of it, and icons."""

from __future__ import annotations

import json
import re
import struct
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from minimal_site import copied, png
from msgspec.structs import replace

from sitegen import runs
from sitegen.build import assemble, build
from sitegen.errors import Findings
from sitegen.schema import Image

URL = "https://example.org/minimal/"
CHAPTER = "content/01-straight-lines/chapter.toml"
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def edited(site: Path, path: str, old: str, new: str) -> Path:
    before = (site / path).read_text("utf-8")
    assert old in before
    (site / path).write_text(before.replace(old, new), "utf-8")
    return site


def without_address(folder: Path) -> Path:
    return edited(copied(folder), "content/site.toml", f'url = "{URL}"', 'url = ""')


class Head(HTMLParser):
    """`metas`: name or property -> content; `links`: rel -> the others of its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.metas: dict[str, str] = {}
        self.links: dict[str, list[dict[str, str | None]]] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "meta" and (name := given.get("name") or given.get("property")):
            self.metas[name] = given["content"] or ""
        elif tag == "link":
            self.links.setdefault(given.pop("rel") or "", []).append(given)


def head(site: Path, path: str, url: str = "") -> Head:
    return Head(assemble(site, url).files[path].decode())


# ------------------------------------------------------------------------------------------------------- pages


def test_a_chapter_is_shared_with_its_title_its_words_and_its_cover(tmp_path: Path):
    site = copied(tmp_path)
    digest = runs.load(runs.runs_folder(site) / "line-fit").digest[:12]

    found = head(site, "straight-lines/index.html")

    shared = {name: text for name, text in found.metas.items() if name.startswith(("og:", "twitter:"))}
    assert shared == {
        "og:type": "article",
        "og:site_name": "A minimal site",
        "og:title": "Straight lines",
        "og:description": "A slope learned from three points.",
        "og:url": f"{URL}straight-lines/",
        "og:image": f"{URL}data/line-fit.{digest}-curve.png",
        "og:image:type": "image/png",
        "og:image:width": "4",
        "og:image:height": "3",
        "og:image:alt": "The loss falls.",
        "twitter:card": "summary_large_image",
    }
    assert found.links["canonical"] == [{"href": f"{URL}straight-lines/"}]


@pytest.mark.parametrize(
    ("path", "canonical", "subject"),
    [
        ("index.html", URL, "A minimal site"),
        ("about/index.html", f"{URL}about/", "About"),
        ("figures/trace-again/index.html", f"{URL}straight-lines/", "Notes"),
    ],
)
def test_every_page_says_what_it_is_and_where_its_home_is(path: str, canonical: str, subject: str, tmp_path: Path):
    found = head(copied(tmp_path), path)

    assert found.links["canonical"] == [{"href": canonical}]
    assert found.metas["og:title"] == subject
    assert found.metas["og:image"].endswith("-curve.png")


def test_the_page_for_lost_addresses_has_none_of_its_own(tmp_path: Path):
    found = head(copied(tmp_path), "404.html")

    assert "canonical" not in found.links
    assert "og:url" not in found.metas


def test_a_cover_is_published_though_no_figure_shows_it(tmp_path: Path):
    site = edited(copied(tmp_path), CHAPTER, "line-fit/curve", "line-fit/card")
    folder = runs.runs_folder(site) / "line-fit"
    files = {name: (folder / name).read_bytes() for name in ("curve.png", "weights.bin")} | {"card.png": png(40, 21)}
    run = runs.load(folder)
    card = Image("card.png", sha256(files["card.png"]).hexdigest(), 40, 21, "A card.")
    runs.write(folder, replace(run, images={**run.images, "card": card}), files)

    published = assemble(site).files

    shared = Head(published["straight-lines/index.html"].decode()).metas["og:image"]
    assert published[shared.removeprefix(URL)] == files["card.png"]


def test_without_an_address_of_its_own_a_site_names_none(tmp_path: Path):
    files = assemble(without_address(tmp_path)).files

    found = Head(files["straight-lines/index.html"].decode())
    assert {"canonical", "alternate"} & found.links.keys() == set()
    assert {"og:url", "og:image"} & found.metas.keys() == set()
    assert found.metas["og:title"] == "Straight lines"
    assert {"sitemap.xml", "feed.xml"} & files.keys() == set()
    assert files["robots.txt"] == b"User-agent: *\nAllow: /\n"


def test_a_build_may_be_told_where_the_site_will_be_published(tmp_path: Path):
    site = without_address(tmp_path)

    out = build(site, out=tmp_path / "out", url="https://other.example/deep/down").out

    page = Head((out / "straight-lines/index.html").read_text("utf-8"))
    assert page.links["canonical"] == [{"href": "https://other.example/deep/down/straight-lines/"}]
    assert 'href="/deep/down/index.html"' in (out / "404.html").read_text("utf-8")
    assert (out / "robots.txt").read_text("utf-8").endswith("\nSitemap: https://other.example/deep/down/sitemap.xml\n")


def test_what_an_author_writes_is_text_wherever_it_is_shared(tmp_path: Path):
    site = edited(copied(tmp_path), CHAPTER, 'title = "Straight lines"', "title = 'Lines & \"<b>slopes</b>'")
    edited(site, "content/site.toml", 'title = "A minimal site"', "title = 'One & \"</script>'")

    files = assemble(site).files

    title = 'Lines & "<b>slopes</b>'
    assert Head(files["straight-lines/index.html"].decode()).metas["og:title"] == title
    assert ElementTree.fromstring(files["feed.xml"]).findtext("a:entry/a:title", namespaces=ATOM) == title
    assert json.loads(files["site.webmanifest"])["name"] == 'One & "</script>'


# --------------------------------------------------------------------------------------------------- documents


def test_the_feed_has_the_chapters_with_a_date_the_latest_news_first(tmp_path: Path):
    site = copied(tmp_path)
    for folder, lines in {"02-later": "published = 2026-01-01\nupdated = 2026-03-04", "03-undated": ""}.items():
        (site / "content" / folder).mkdir()
        text = f'title = "{folder}"\ndescription = "D."\n{lines}\n'
        (site / "content" / folder / "chapter.toml").write_text(text, "utf-8")

    feed = ElementTree.fromstring(assemble(site).files["feed.xml"])

    entries = [
        [entry.findtext(f"a:{name}", namespaces=ATOM) for name in ("id", "published", "updated", "summary")]
        for entry in feed.findall("a:entry", ATOM)
    ]
    assert entries == [
        [f"{URL}later/", "2026-01-01T00:00:00Z", "2026-03-04T00:00:00Z", "D."],
        [f"{URL}straight-lines/", "2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z", "A slope learned from three points."],
    ]
    assert feed.findtext("a:id", namespaces=ATOM) == URL
    assert feed.findtext("a:updated", namespaces=ATOM) == "2026-03-04T00:00:00Z"
    assert feed.findtext("a:author/a:name", namespaces=ATOM) == "A minimal site"
    assert [(link.get("rel"), link.get("href")) for link in feed.findall("a:link", ATOM)] == [
        (None, URL),
        ("self", f"{URL}feed.xml"),
    ]


def test_a_site_whose_chapters_have_no_date_has_no_feed(tmp_path: Path):
    site = edited(copied(tmp_path), CHAPTER, "published = 2026-01-02\n", "")

    files = assemble(site).files

    assert "feed.xml" not in files
    assert "alternate" not in Head(files["index.html"].decode()).links


def test_the_map_of_the_site_has_every_page_but_the_lost_one_and_those_of_figures(tmp_path: Path):
    sitemap = ElementTree.fromstring(assemble(copied(tmp_path)).files["sitemap.xml"])

    found = [[part.text for part in url] for url in sitemap]
    assert found == [[URL], [f"{URL}straight-lines/", "2026-01-02"], [f"{URL}about/"]]


def test_a_host_that_makes_pages_of_markdown_leaves_the_site_alone(tmp_path: Path):
    assert assemble(copied(tmp_path)).files[".nojekyll"] == b""


def test_a_document_that_fails_is_told_with_the_line_of_its_template(tmp_path: Path):
    site = copied(tmp_path)
    (site / "templates" / "feed.xml.j2").write_text("<feed>\n{{ nothing }}\n</feed>\n", "utf-8")

    with pytest.raises(Findings, match=r"^templates/feed.xml.j2:2: a template cannot be rendered: 'nothing'"):
        build(site)


# ------------------------------------------------------------------------------------------------------- icons


def test_the_icons_that_a_site_names_are_there_in_the_size_they_are_said_to_have(tmp_path: Path):
    files = assemble(copied(tmp_path)).files
    manifest = json.loads(files["site.webmanifest"])
    links = Head(files["index.html"].decode()).links

    said = {icon["src"]: icon["sizes"] for icon in manifest["icons"] if icon["type"] == "image/png"}
    assert said == {src: "{}x{}".format(*struct.unpack(">II", files[src][16:24])) for src in said}
    assert sorted(said.values()) == ["192x192", "512x512", "512x512"]
    assert struct.unpack(">II", files[links["apple-touch-icon"][0]["href"]][16:24]) == (180, 180)
    assert [link["href"] for link in links["icon"]] == ["favicon.ico", manifest["icons"][0]["src"]]
    assert manifest["start_url"].removeprefix("./") in files


def test_the_icon_of_old_is_one_picture_of_32_pixels(tmp_path: Path):
    icon = assemble(copied(tmp_path)).files["favicon.ico"]

    assert struct.unpack("<HHH", icon[:6]) == (0, 1, 1)
    width, height, *_, size, offset = struct.unpack("<BBBBHHII", icon[6:22])
    assert (width, height, size, offset) == (32, 32, len(icon) - 22, 22)
    assert struct.unpack(">II", icon[22 + 16 : 22 + 24]) == (32, 32)


def test_the_paper_of_the_icons_and_the_manifest_is_the_pages(tmp_path: Path):
    from tests.browser.icons import PAPER

    root = Path(__file__).resolve().parent.parent
    paper = re.search(r"--paper: (#\w+);", (root / "templates/css/tokens.css").read_text("utf-8"))
    manifest = json.loads(assemble(copied(tmp_path)).files["site.webmanifest"])

    assert paper
    assert {PAPER, manifest["theme_color"], manifest["background_color"]} == {paper[1]}
