"""TOML with places."""

from __future__ import annotations

import pytest

from sitegen.errors import ContentError, SitegenError
from sitegen.frontmatter import Key, Toml, is_of, split, strings
from sitegen.schema import Location


def test_front_matter_and_body_know_their_lines():
    toml, body, line = split('+++\ntitle = "T"\n\nslug = "s"\n+++\nText.\n', "a.md")

    assert (toml.text, toml.line, body, line) == ('title = "T"\n\nslug = "s"', 2, "Text.\n", 6)
    assert toml.at("slug") == Location("a.md", 4)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\nb = \n", 11), ("a = 1\n\nb = [1,\n", 12), ('a = "x\n', 10), ("a = 1\na = 2\n", 11)],
)
def test_broken_toml_is_told_with_its_line_in_the_file(text: str, line: int):
    with pytest.raises(ContentError) as found:
        Toml(text, "a.md", 10).read()

    assert found.value.at == Location("a.md", line)


def test_a_key_is_found_as_key_as_table_and_inside_a_table():
    toml = Toml('[state.t]\ntype = "x"\n[options]\nhead = { type = "y" }\n', "figure.toml")

    assert [toml.at(name).line for name in ("t", "type", "options", "head", "none")] == [1, 2, 3, 4, 1]


def test_fields_have_their_defaults_and_tell_all_mistakes_at_once():
    errors: list[SitegenError] = []
    toml = Toml('b = "two"\nd = 1\n', "a.toml")

    values = toml.fields({"a": Key(str), "b": Key(int), "c": Key(list, [])}, "a thing", errors)

    assert values == {"a": "", "b": 0, "c": []}
    assert sorted(map(str, errors)) == [
        "a.toml:1: 'b' of a thing must be a whole number",
        "a.toml:1: a thing needs 'a'\n  hint: add a = …",
        "a.toml:2: a thing has no key 'd'\n  hint: known: a, b, c",
    ]


def test_true_is_no_number_and_a_whole_number_is_a_number():
    assert not is_of(True, int)
    assert is_of(True, bool)
    assert is_of(1, float)
    assert not is_of(1.0, int)


def test_one_string_or_many_are_read_alike():
    errors: list[SitegenError] = []
    toml = Toml('code = ["a", 1]', "a.toml")

    assert strings("a", "code", toml, errors) == ("a",)
    assert strings(["a", 1], "code", toml, errors) == ("a",)
    assert [str(error) for error in errors] == ["a.toml:1: 'code' must hold strings, not 1"]
