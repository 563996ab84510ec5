"""An error says where, what and the way out; several come at once, in the order of their places."""

from __future__ import annotations

from sitegen.errors import ContentError, Findings, RunError, SitegenError, nearest
from sitegen.schema import Location


def test_an_error_reads_as_place_message_and_hint():
    error = ContentError("no such thing", at=Location("content/a.md", 3), hint="did you mean 'thing'?")

    assert str(error) == "content/a.md:3: no such thing\n  hint: did you mean 'thing'?"


def test_an_error_without_a_place_is_only_its_message():
    assert str(RunError("not baked")) == "not baked"


def test_findings_stand_in_the_order_of_their_places():
    late = ContentError("late", at=Location("content/b.md", 1))
    last_line = ContentError("last line", at=Location("content/a.md", 20))
    first_line = RunError("first line", at=Location("content/a.md", 3))
    nowhere = RunError("nowhere")

    findings = Findings([late, last_line, nowhere, first_line])

    assert findings.errors == (nowhere, first_line, last_line, late)
    assert str(findings).splitlines() == [
        "nowhere",
        "content/a.md:3: first line",
        "content/a.md:20: last line",
        "content/b.md:1: late",
    ]


def test_one_handler_catches_every_error():
    assert issubclass(Findings, SitegenError)
    assert issubclass(ContentError, SitegenError)


def test_a_misspelt_name_gets_the_nearest_one():
    assert nearest("cirlce", ["square", "circle"]) == "did you mean 'circle'?"


def test_a_name_like_no_other_gets_the_whole_list():
    assert nearest("zzz", ["square", "circle"]) == "known: circle, square"
    assert nearest("zzz", []) is None


def test_names_are_listed_with_their_numbers_in_order():
    assert nearest("zzz", ["10", "0", "9", "01", "1", "run-12", "run-2"]) == "known: 0, 01, 1, 9, 10, run-2, run-12"


def test_a_list_of_very_many_names_is_cut():
    assert nearest("zzz", [f"run-{k:02}" for k in range(50)]) == (
        f"known: {', '.join(f'run-{k:02}' for k in range(20))}, and 30 more"
    )
