"""TOML with places."""

from __future__ import annotations

from datetime import date

import pytest

from sitegen.errors import ContentError, SitegenError
from sitegen.frontmatter import Key, Toml, control, decoded, is_of, split, strings
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
        "a.toml:1: 'b' of a thing must be a whole number\n  hint: leave the quotes away",
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


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[state]\na = 1\nt = 2\n[options]\nt = 3\n", 3),
        ("still = 1\nstate = { t = 2 }\n", 2),
        ("options.t = 1\nstate.t = 2\n", 2),
        ("t = 1\n[state.t]\ntype = 2\n", 2),
        ("x = 1\n[[state]]\n't' = 2\n", 3),
        ("t = 1\n[other]\nt = 2\n[state]\n", 4),
    ],
)
def test_a_key_of_a_table_is_not_taken_for_one_of_another(text: str, line: int):
    assert Toml(text, "a.md").at("t", within="state") == Location("a.md", line)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("a = no", "'no' is no value of TOML", 'a = false is a truth, a = "no" a word'),
        ("a = True # yes", "'True' is no value of TOML", 'a = true is a truth, a = "True" a word'),
        ("a = 1.10.2", "'1.10.2' is no value of TOML", 'strings need quotes: a = "1.10.2"'),
        ("a = 12:30", "'12:30' is no value of TOML", 'strings need quotes: a = "12:30"'),
        ("a: 2026-01-31", "this is YAML, not TOML", "write a = 2026-01-31"),
        ("a: it's", "this is YAML, not TOML", 'write a = "it\'s"'),
        ("b = 1\na = 2\nb = 3", "'b' stands here twice", "line 10 has it too; keep one of them"),
        ("[b]\na = 2\n[b]", "'b' stands here twice", "line 10 has it too; keep one of them"),
        ('a = "\\sum"', "a backslash in double quotes begins an escape that is none",
         "write it twice, or use 'single quotes'"),
        ('a = "$\\theta$"', r"in double quotes \t is an escape, so \theta is no command of a formula",
         r"write \\theta, or use 'single quotes'"),
        ('a = "\\u0000"', "a string holds a control character, U+0000",
         r"leave the escape away; a backslash in double quotes is written twice: \\"),
        ("a = " + "[" * 3000, "this TOML is nested too deeply", "write it shorter"),
        ("a = " + "9" * 5000, "a number has too many digits", "write it shorter"),
    ],
)  # fmt: skip
def test_what_looks_like_a_value_is_told_with_the_way_out(text: str, message: str, hint: str):
    with pytest.raises(ContentError) as found:
        Toml(text, "a.md", 10).read()

    assert (found.value.message, found.value.hint) == (message, hint)
    assert found.value.at == Location("a.md", 10 + text.count("\n"))


def test_commands_written_with_two_backslashes_or_in_single_quotes_pass():
    text = """a = "$\\\\theta$"\nb = '$\\theta$'\nc = "two\\nlines cost $5"\n"""

    assert Toml(text, "a.md").read() == {"a": r"$\theta$", "b": r"$\theta$", "c": "two\nlines cost $5"}


@pytest.mark.parametrize(
    ("text", "wanted", "hint"),
    [
        ("a = 1.10", str, 'put it in quotes: a = "1.10"'),
        ("a = 12:30:00", str, 'put it in quotes: a = "12:30:00"'),
        ("a = 2026-01-31", str, 'put it in quotes: a = "2026-01-31"'),
        ("a = false", str, 'put it in quotes: a = "false"'),
        ('a = "2026-01-30"', date, "write the day alone, without quotes: a = 2026-01-30"),
        ("a = 1", date, "write the day alone, without quotes: a = 2026-01-31"),
        ('a = "no"', bool, "write a = true or a = false, without quotes"),
        ('a = "1"', int, "leave the quotes away"),
        ('a = "x"', list, 'write it in brackets: a = ["x"]'),
        ("a = 1", dict, "write [a], or a = { … }"),
        ("a = 1.5", int, None),
    ],
)
def test_a_value_of_another_type_is_told_with_the_way_out(text: str, wanted: type, hint: str | None):
    errors: list[SitegenError] = []

    Toml(text, "a.md").fields({"a": Key(wanted, None)}, "a thing", errors)

    assert [error.hint for error in errors] == [hint]


def test_what_must_be_there_must_say_something():
    errors: list[SitegenError] = []

    Toml('a = " "\nb = ""\n', "a.toml").fields({"a": Key(str), "b": Key(str, "")}, "a thing", errors)

    assert [str(error) for error in errors] == ["a.toml:1: 'a' of a thing is empty"]


def test_control_characters_are_told_line_by_line_and_left_out():
    errors: list[SitegenError] = []

    assert control("a\n\x0bb\x1f\n\tc\x00", "a.md", errors) == "a\nb\n\tc"
    assert [str(error) for error in errors] == [
        "a.md:2: this line holds a control character, U+000B\n  hint: delete it; it may be invisible",
        "a.md:3: this line holds a control character, U+0000\n  hint: delete it; it may be invisible",
    ]


def test_lines_before_a_byte_that_is_not_utf_8_are_counted_whatever_ends_them():
    with pytest.raises(ContentError) as found:
        decoded(b"a\rb\r\nc\n\xff", "a.md")

    assert found.value.at == Location("a.md", 4)
