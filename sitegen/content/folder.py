"""A site folder as content reads it: files as text with places, and the mistakes found on the way."""

from __future__ import annotations

import posixpath
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sitegen import frontmatter, markdown
from sitegen.errors import ContentError, SitegenError
from sitegen.frontmatter import Key, Toml
from sitegen.schema import Location


@dataclass(slots=True)
class Folder:
    """`path` is the site's folder; `errors` grows while it is read. With `files`, path in it -> bytes, nothing else of
    it is there, and no disk is asked."""

    path: Path
    errors: list[SitegenError] = field(default_factory=list)
    raw_html: bool = False
    files: Mapping[str, bytes] | None = None

    def at(self, path: Path) -> Location:
        return Location(path.relative_to(self.path).as_posix())

    def error(self, message: str, at: Location, hint: str | None = None) -> None:
        self.errors.append(ContentError(message, at=at, hint=hint))

    def inline(self, text: str, at: Location) -> str:
        return markdown.inline(text, at, self.errors, raw_html=self.raw_html) if text else ""

    def text(self, path: Path) -> str | None:
        """A file's text with line ends of one kind; None, and an error, if it cannot be read."""
        try:
            shown = self.at(path).path
            return frontmatter.control(frontmatter.decoded(self.content(path), shown), shown, self.errors)
        except ContentError as error:
            self.errors.append(error)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not path.is_symlink():
                hint = "every site has content/site.toml, every chapter chapter.toml"
                self.error(f"{path.name} is missing", self.at(path), hint)
            else:
                link = "it is a link that leads to no file: mend or remove it"
                hint = link if path.is_symlink() else "it must be a file that you may read"
                self.error(f"{path.name} cannot be read: {error.strerror}", self.at(path), hint)
        return None

    def toml(self, path: Path, keys: Mapping[str, Key], what: str) -> tuple[Toml, dict[str, Any]]:
        """The TOML of a file and its checked values; empty values where it cannot be read."""
        text = self.text(path)
        toml = Toml(text or "", self.at(path).path)
        return toml, toml.fields(keys, what, self.errors if text is not None else [])

    def split(self, path: Path) -> tuple[Toml, str, int] | None:
        """Front matter, body and the line on which the body begins; None, and an error, without front matter."""
        text = self.text(path)
        try:
            return None if text is None else frontmatter.split(text, self.at(path).path)
        except ContentError as error:
            self.errors.append(error)
            return None

    def distinct(self, found: Iterable[tuple[Hashable, Location]], what: str, name: str) -> None:
        seen: dict[Hashable, Location] = {}
        for value, at in found:
            if value in seen:
                self.error(f"two {what} have the {name} {value!r}", at, f"the other is {seen[value]}")
            seen.setdefault(value, at)

    def content(self, path: Path) -> bytes:
        if self.files is None:
            return path.read_bytes()
        try:
            return self.files[self.at(path).path]
        except KeyError:
            raise FileNotFoundError(path) from None

    def exists(self, path: Path) -> bool:
        return path.exists() if self.files is None else self.at(path).path in self.files

    def listing(self, folder: Path) -> list[Path]:
        """What is in a folder, by name; what begins with a dot or an underscore is for others."""
        if self.files is not None:
            home = self.at(folder).path
            found = [self.path / path for path in self.files if (posixpath.dirname(path) or ".") == home]
        else:
            found = list(folder.iterdir()) if folder.is_dir() else []
        return sorted((path for path in found if not path.name.startswith((".", "_"))), key=lambda path: path.name)
