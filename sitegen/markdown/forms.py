"""What an author may write beside Markdown's own: each form by its name, how it is written, and what it becomes."""

from __future__ import annotations

from msgspec import Struct


class Form(Struct, frozen=True):
    written: str
    doc: str


CONTAINERS = {
    "answer": Form(":::: answer", "The answer of an exercise; it is shown when the reader asks, or on paper."),
    "aside": Form("::: aside", "A note in the margin; in the text, where there is none."),
    "bridge": Form("::: bridge", "What leads on to the next part; it stands behind the steps of an act."),
    "details": Form("::: details Title", "A part that is closed until a reader opens it."),
    "exercise": Form(
        "::: exercise Title", "A question, behind the steps; a list in it becomes answers to choose from."
    ),
}
DIRECTIVES = {
    "code": Form("```{code} models.package.module:Name", "A class, function or method of `models/`, as it is there."),
    "figure": Form("```{figure} kind", "A figure; the lines below are TOML."),
    "references": Form("```{references}", "The list of what the page cites."),
    "state": Form("```{state}", 'The figure of the step before in another state: `t = 600`, `still = "name"`.'),
}
ROLES = {
    "cite": Form("{cite}`key`", "(Author, year), linked to the references; `one, another` are several, `key:text` "
                 "reads Author (year)."),
    "ref": Form("{ref}`id`", "The number of a figure, formula, step or act, linked; `other-chapter#id` for another "
                "chapter. `[](#id)` is the same."),
    "run": Form("{run}`name.metrics.loss:.3f`", "A value of a run, by its path and a format."),
}  # fmt: skip
SPANS = {
    "cited": Form("[0.88]{.cited key=source}", "A number that a source reports, linked to it."),
    "given": Form("[0.5]{.given}", "A constant that was chosen."),
    "live": Form("[Drag it.]{.live}", "Words for who can move the figure: they are shown with scripts, not on paper."),
    "term": Form("[asks]{.term key=query}", "A word of the glossary; without a key, by its name or an alias."),
}
OTHERS = {
    "formula": Form("$x_i$", "A formula in the line, in LaTeX. No space inside the dollars and no digit beside them "
                    "makes it one, so `$5 and $6` is none; `\\$` is a dollar in any case."),
    "display formula": Form("$$ x = 1 $$ {#label}", "A formula on lines of its own; the label is there to refer to."),
    "heading": Form("## Title", "Level 2 begins a step of an act. In sections, headings have ids: the section's slug "
                    "and their words, `#notes-the-figure`; `+` reads plus, `#` sharp, and equal ones are counted."),
    "footnote": Form("[^name] and, on a line of its own, [^name]: text", "A note at the end of the part."),
    "image": Form("![what it shows](file.png)", "A picture that lies beside the text, of any name."),
    "link": Form("[text](/chapter/#a1-s2)", "Links that begin with a slash count from the root of the site."),
    "comment": Form("<!-- text -->", "Left out of the page."),
}  # fmt: skip
