"""Two copies one bit apart: the figure draws the baked distances on a logarithmic axis and reads them out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import baked, own

KIND = "divergence"
FIGURE = "one-bit"
Open = Callable[..., Any]


def figure(open_page: Open, query: str = "", **options: Any) -> Any:
    return own(open_page, FIGURE, query, **options)


def test_both_distances_are_read_out_at_the_last_update(open_page: Open):
    run = baked("step-size")
    page = figure(open_page)

    body = page.locator(f'#{FIGURE}[data-kind="{KIND}"]')
    last = run["series"]["constant_distance"]["values"][-1]

    expect(body.locator(".readout")).to_contain_text(f"{last:.2f} apart")
    expect(body.locator(".readout")).to_contain_text("e−15")
    expect(body.locator(".line-name")).to_have_text(["constant", "falling"])


def test_the_track_goes_through_every_update(open_page: Open):
    page = figure(open_page)
    track = page.locator(f"#{FIGURE}").get_by_role("slider", name="Update")

    track.focus()
    track.press("Home")
    expect(track).to_have_attribute(
        "aria-valuetext", "update 0 of 600: constant 0.02: 2.8e−17 apart; falling from 0.007: 2.8e−17."
    )
    track.press("ArrowRight")

    expect(page.locator(f"#{FIGURE} .scrub-read")).to_have_text("1 of 600")
