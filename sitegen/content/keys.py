"""What a site's TOML may say, key by key: each with its type, its default and a sentence for the reference."""

from __future__ import annotations

from datetime import date

from sitegen.frontmatter import Key

SITE = {
    "title": Key(str, doc="Of the whole site; it stands in the head of each page."),
    "description": Key(str, doc="One sentence for search engines and for whom the site is shared with."),
    "url": Key(str, "", "Where it will be published: `https://host/path/`. Feed, sitemap and shared pictures need it."),
    "language": Key(str, "en", "The language of the texts, as HTML names it."),
    "repository": Key(str, "", "The address of the source, linked from the pages."),
    "footer": Key(str, "", "A line of Markdown at the end of each page."),
    "system_fonts": Key(
        bool,
        False,
        "Whether characters that no face of the theme has may be drawn by the readers' own fonts; else `sitegen check` "
        "tells each.",
    ),
    "html": Key(bool, False, "Whether HTML in the Markdown passes; else it is shown as text."),
}
CHAPTER = {
    "title": Key(str, doc="Of the chapter."),
    "kicker": Key(str, "", 'A few words above the title: "Chapter 1".'),
    "description": Key(str, doc="One sentence: what the chapter is about."),
    "attribution": Key(str, "", "A line of Markdown: whose structure and facts the chapter follows."),
    "models": Key(str, "", "The package under `models/` whose recipes bake the runs of this chapter."),
    "cover": Key(str, "", "The picture that stands for the chapter where it is shared: `run/picture`."),
    "published": Key(date, None, "The day it was published, which puts it into the feed."),
    "updated": Key(date, None, "The day of the last change that readers should hear of."),
    "outcomes": Key(list, [], "Lines of Markdown for the first page: what readers will be able to do."),
}
PART = {
    "kind": Key(str, "act", "`act`; `section`, a part that is not counted; or `opening`, what stands before all acts."),
    "title": Key(str, doc="Of the part."),
    "slug": Key(str, "", "Its name in addresses, instead of that of its file."),
    "code": Key((str, list), [], "Code shown with the part, `models.package.module:Name`; one or several."),
    "claims": Key(list, [], 'What must hold of the runs, `"run.metrics.name >= 0.99"`; a false one fails the build.'),
}
ACT = {**PART, "number": Key(int, None, "Where counting starts; else an act counts on from the one before.")}
PAGE = {
    "title": Key(str, doc="Of the page."),
    "description": Key(str, "", "One sentence about it; else that of the site."),
}
REFERENCE = {
    "authors": Key(list, doc='`["Family, Given", …]`; a last one, "others", stands for those not named.'),
    "title": Key(str, doc="Of the work."),
    "year": Key(int, doc="When it appeared."),
    "venue": Key(str, "", "Where it appeared: a journal with its volume, a conference, a publisher."),
    "doi": Key(str, "", "`10.1137/1109020`; of doi, arxiv and url the first that is there is linked."),
    "arxiv": Key(str, "", "Its number there: `1706.03762`."),
    "url": Key(str, "", "Its address, where it has neither."),
}
TERM = {
    "term": Key(str, doc="The word itself."),
    "aliases": Key((str, list), [], "Other forms that a text may mark: plurals, verbs."),
    "symbols": Key((str, list), [], "What stands for it in formulas, in LaTeX."),
    "local": Key(dict, {}, 'Symbols that stand for it in one chapter or act: `{ "chapter#a6" = ["Q"] }`.'),
    "role": Key(str, "", "A word of the theme that has a colour, for its symbols and for marks in figures."),
    "definition": Key(str, doc="A sentence or two of Markdown."),
    "see": Key((str, list), [], "Keys of other terms."),
}
