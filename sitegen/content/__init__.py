"""The folder `content/` to a Site: chapters with their acts and sections, and the pages beside them.

A site is read as a whole: what cannot be understood is left out and told, so that every mistake comes at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from msgspec.structs import replace

from sitegen import frontmatter, markdown
from sitegen.content import bibliography, glossary, rooms
from sitegen.content.folder import Folder
from sitegen.content.keys import ACT, CHAPTER, PAGE, PART, SITE
from sitegen.content.strays import meetings, strays
from sitegen.errors import ContentError, Findings, SitegenError, nearest
from sitegen.frontmatter import Toml
from sitegen.markdown import directives
from sitegen.schema import Act, Chapter, Claim, CodeRef, CoverRef, Location, Page, Reference, Section, Site, Term

_TEMPLATES = ("index", "404", "glossary", "verification")  # pages with a template of their own
_KINDS = ("act", "opening", "section")
_COVER = re.compile(r"([^/\s]+)/([^/\s]+)")
_NUMBERED = re.compile(r"([0-9]{1,9})-([a-z0-9]+(?:-[a-z0-9]+)*)")
_NUMBER = r"[-+]?[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?"
_CLAIM = re.compile(rf"(.+?)\s*(==|!=|<=|>=|<|>)\s*({_NUMBER})", re.DOTALL)


def read(site_dir: Path) -> Site:
    """The site of a folder; raises Findings with every mistake in it."""
    site, errors = gather(site_dir)
    if errors:
        raise Findings(errors)
    return site


def gather(site_dir: Path) -> tuple[Site, list[SitegenError]]:
    """What can be read of the site, and what is wrong with the rest."""
    return Reader(site_dir).site()


def is_address(url: str) -> bool:
    """Whether a site can be published there: paths can be put behind it, so it has no query and no fragment."""
    try:
        return bool(re.fullmatch(r"https?://[^/\s?#<>\"\\]+(/[^\s?#<>\"\\]*)?", url) and urlsplit(url).hostname)
    except ValueError:  # a bracket that is not closed
        return False


class Reader(Folder):
    """Reads chapters and pages; `site` gives what there is."""

    def site(self) -> tuple[Site, list[SitegenError]]:
        site = self.settings()
        site = replace(site, chapters=tuple(self.chapter(*found) for found in self.chapter_folders()))
        site = replace(site, pages=tuple(self.pages(site)))
        self.beside(site)
        return site, self.errors

    def beside(self, site: Site) -> None:
        """What is wrong between files: two pages of one address, of which readers get one, and what no one reads."""
        for path, message, hint in strays(self.path / "content", self.listing):
            self.error(message, self.at(path), hint)
        chapters = {chapter.slug: chapter.at for chapter in site.chapters}  # two of one slug are told as such
        addresses = [*chapters.items(), *((page.slug, page.at) for page in site.pages)]
        for address, at, before in meetings(addresses):
            what = f"the other is {before.path}" if before else "the site has a folder of that name for its files"
            self.error(f"the address {address!r} is taken", Location(at.path), f"{what}; rename one of them")

    def settings(self) -> Site:
        """The site without its chapters and pages."""
        toml, values = self.toml(self.path / "content" / "site.toml", SITE, "the site")
        self.raw_html = bool(values["html"])
        if values["url"] and not is_address(values["url"]):
            self.error(
                f"{values['url']!r} is no address of a site", toml.at("url"), "write https://host/path/ or leave it out"
            )
        return Site(
            title=values["title"],
            description=values["description"],
            url=values["url"],
            language=values["language"],
            repository=values["repository"],
            footer=self.inline(values["footer"], toml.at("footer")),
            raw_html=self.raw_html,
            chapters=(),
            pages=(),
            bibliography=self.bibliography(),
            at=toml.at(),
            glossary=self.glossary(),
            system_fonts=values["system_fonts"],
        )

    def bibliography(self) -> dict[str, Reference] | None:
        path = self.path / "content" / "bibliography.toml"
        text = self.text(path) if self.exists(path) else None
        return bibliography.read(text, self.at(path).path, self.errors) if text else {}

    def glossary(self) -> dict[str, Term] | None:
        path = self.path / "content" / "glossary.toml"
        text = self.text(path) if self.exists(path) else None
        return glossary.read(text, self.at(path).path, self.inline, self.errors) if text else {}

    # ------------------------------------------------------------------------------------------ chapters

    def chapter_folders(self) -> Iterator[tuple[int, str, Path]]:
        """(number, slug, folder) in order of the number."""
        folders = [path for path in self.listing(self.path / "content") if path.is_dir() and path.name != "pages"]
        found: list[tuple[int, str, Path]] = []
        for path in folders:
            name = _NUMBERED.fullmatch(path.name)
            if name:
                found.append((int(name[1]), name[2], path))
            elif any(path.glob("*.md")) or (path / "chapter.toml").exists():
                self.error(
                    "a chapter's folder is named by number and slug", self.at(path), "rename it like 01-first-steps"
                )
        self.distinct(((slug, self.at(path)) for _, slug, path in found), "chapters", "slug")
        self.distinct(((number, self.at(path)) for number, _, path in found), "chapters", "number")
        yield from sorted(found, key=lambda one: one[0])

    def chapter(self, number: int, slug: str, folder: Path) -> Chapter:
        toml, values = self.toml(folder / "chapter.toml", CHAPTER, "a chapter")
        opening: Section | None = None
        parts: list[Act | Section] = []
        last_act = 0
        for path in self.numbered_files(folder):
            part = self.part(path, last_act + 1)
            if isinstance(part, Act):
                last_act = part.number
            if isinstance(part, Section) and part.kind == "opening":
                if opening:
                    self.error("a chapter has one opening", part.at, f"the other is {opening.at.path}")
                opening = part
            elif part:
                parts.append(part)
        self.distinct(((part.slug, part.at) for part in parts), "parts of this chapter", "slug")
        self.distinct(((part.number, part.at) for part in parts if isinstance(part, Act)), "acts", "number")
        return Chapter(
            number=number,
            slug=slug,
            title=values["title"],
            kicker=values["kicker"],
            description=values["description"],
            attribution=self.inline(values["attribution"], toml.at("attribution")),
            models=values["models"],
            opening=opening,
            parts=tuple(parts),
            at=toml.at(),
            cover=self.cover(values["cover"], toml.at("cover")),
            published=values["published"] or values["updated"],
            outcomes=self.outcomes(values["outcomes"], toml),
            updated=self.updated(values["published"], values["updated"], toml.at("updated")),
            rooms=self.rooms(folder / "rooms.toml"),
        )

    def rooms(self, path: Path) -> dict[str, str]:
        text = self.text(path) if self.exists(path) else None
        return rooms.read(text, self.at(path).path, self.errors) if text else {}

    def outcomes(self, value: list[Any], toml: Toml) -> tuple[str, ...]:
        return tuple(self.inline(one, toml.at(one)) for one in self.strings(value, "outcomes", toml))

    def cover(self, text: str, at: Location) -> CoverRef | None:
        found = _COVER.fullmatch(text)
        if text and not found:
            self.error(f"{text!r} is no picture of a run", at, 'write cover = "run/picture"')
        return CoverRef(found[1], found[2], at) if found else None

    def updated(self, published: date | None, updated: date | None, at: Location) -> date | None:
        if published and updated and updated < published:
            self.error("the chapter was updated before it was published", at, f"it was published on {published}")
        return updated or published

    def numbered_files(self, folder: Path) -> Iterator[Path]:
        for path in self.listing(folder):
            if path.suffix != ".md":
                continue
            if _NUMBERED.fullmatch(path.stem):
                yield path
            else:
                self.error(
                    "a part's file is named by number and name", self.at(path), "rename it like 01-first-steps.md"
                )

    def part(self, path: Path, number: int) -> Act | Section | None:
        found = self.split(path)
        if not found:
            return None
        toml, body, line = found
        with suppress(ContentError):  # told when the fields are read
            toml = replace(toml, values=toml.read())
        kind = self.kind_of(toml)
        values = toml.fields(ACT if kind == "act" else PART, f"{'an' if kind[0] in 'ao' else 'a'} {kind}", self.errors)
        slug = values["slug"] or path.stem.split("-", 1)[1]
        if kind == "section" and re.fullmatch(r"a[0-9]+|main", slug):
            self.error(f"{slug!r} is the name of another part of the page", toml.at("slug"), "give it another slug")
        if not directives.NAME.fullmatch(slug):
            self.error(f"{slug!r} is no slug", toml.at("slug"), "a slug is lower-case words joined by hyphens")
        code = self.code(values["code"], toml)
        claims = tuple(self.claims(values["claims"], toml))
        at = Location(toml.path, 1)
        if kind != "act":
            source = markdown.Source(body, toml.path, line, slug, int(kind == "section"), self.raw_html)
            text = markdown.section(source)
            self.errors += text.errors
            one = cast(Literal["section", "opening"], kind)
            return Section(slug, values["title"], one, text.html, text.figures, code + text.quotes, claims, at)
        if values["number"] is not None and not 1 <= values["number"] <= 999:
            self.error("an act's number is from 1 to 999", toml.at("number"), "leave it out: acts are counted")
            values["number"] = None
        number = values["number"] or number
        source = markdown.Source(body, toml.path, line, f"a{number}", 1, self.raw_html)
        act = markdown.act(source, slug)
        self.errors += act.errors
        # Code quoted in the text is found on the page by its marker; the chip shows what the front matter names.
        return Act(number, slug, f"a{number}", values["title"], act.lead, act.steps, act.after, code, claims, at)

    def kind_of(self, toml: Toml) -> str:
        try:
            kind = toml.read().get("kind", "act")
        except ContentError:
            return "act"  # told when the fields are read
        if kind not in _KINDS:
            self.error(f"there is no kind {kind!r} of part", toml.at("kind"), nearest(str(kind), _KINDS))
            return "section"
        return str(kind)

    def strings(self, value: str | list[Any], name: str, toml: Toml) -> tuple[str, ...]:
        return frontmatter.strings(value, name, toml, self.errors)

    def code(self, value: str | list[Any], toml: Toml) -> tuple[CodeRef, ...]:
        targets = self.strings(value, "code", toml)
        return tuple(directives.code_ref(target, toml.at(target), self.errors) for target in targets)

    def claims(self, value: list[Any], toml: Toml) -> Iterator[Claim]:
        for text in self.strings(value, "claims", toml):
            found = _CLAIM.fullmatch(text.strip())
            if found:
                yield Claim(found[1], found[2], float(found[3]), text, toml.at(text))
            else:
                hint = 'write "run.metrics.name >= 0.99"'
                self.error(f"{text!r} is no claim", toml.at(text), hint)

    # --------------------------------------------------------------------------------------------- pages

    def pages(self, site: Site) -> Iterator[Page]:
        files = self.page_files()
        yield from filter(None, (self.page(path, site.description) for path in files))
        yield from self.pages_not_written(site, {path.stem for path in files})

    def page_files(self) -> list[Path]:
        files = [path for path in self.listing(self.path / "content" / "pages") if path.suffix == ".md"]
        for path in files:
            if not directives.NAME.fullmatch(path.stem):
                self.error(
                    "a page's file is named by its slug", self.at(path), "use lower-case words joined by hyphens"
                )
        return files

    def page(self, path: Path, description: str) -> Page | None:
        """`description` is that of the site, for a page without one."""
        found = self.split(path)
        if not found:
            return None
        toml, body, line = found
        values = toml.fields(PAGE, "a page", self.errors)
        text = markdown.section(markdown.Source(body, toml.path, line, path.stem, 0, self.raw_html))
        self.errors += text.errors
        slug = "" if path.stem == "index" else path.stem
        template = f"{path.stem}.html.j2" if path.stem in _TEMPLATES else "page.html.j2"
        told = values["description"] or description
        return Page(slug, values["title"], told, template, text.html, Location(toml.path, 1), text.figures)

    def pages_not_written(self, site: Site, names: Collection[str]) -> Iterator[Page]:
        """Those that every site has; `names` are those of the files that there are."""
        if "index" not in names:
            yield Page("", site.title, site.description, "index.html.j2", "", site.at)
        if site.glossary and "glossary" not in names:
            told = f"The terms and symbols of {site.title}."
            at = Location("content/glossary.toml")
            yield Page("glossary", "Glossary", told, "glossary.html.j2", "", at)
        if "404" not in names:
            yield Page("404", "Page not found", site.description, "404.html.j2", "", site.at)
