"""The pure functions that figures are laid out with, called in Chromium as the page has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
NAN = float("nan")


@pytest.fixture(scope="module")
def call(browser: Any, address: str, site: Path) -> Iterator[Call]:
    """`call("scale", "({ linear }, x) => linear([0, 1], [0, 10]).at(x)", 0.5)`: a function of a module's exports."""
    assets = next((site / "assets").iterdir()).name
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + "404.html")

    def called(module: str, function: str, *arguments: Any) -> Any:
        folder = f"{address}assets/{assets}/" + (module if module.startswith("figures/") else f"js/{module}")
        script = f"async (given) => ({function})(await import({(folder + '.js')!r}), ...given)"
        return page.evaluate(script, list(arguments))

    yield called
    context.close()


# ------------------------------------------------------------------------------------------------------ address

KNOWN = {"t": 0, "kernel": "gaussian", "word": "", "places": "", "width": 0.5, "head": 1, "on": True}
ALLOWED = {
    "t": [0, 8, 128, 600],
    "kernel": ["gaussian", "boxcar"],
    "width": {"min": 0.05, "max": 5},
    "places": {"pattern": "([0-9]{1,3}([ ,][0-9]{1,3})*)?"},
    "head": {"min": 1, "max": 4, "whole": True},
}


@pytest.mark.parametrize(
    ("query", "state"),
    [
        (
            "?t=128&kernel=boxcar&width=0.7&head=2&on=false",
            {"t": 128, "kernel": "boxcar", "width": 0.7, "head": 2, "on": False},
        ),
        ("?t=4999&width=9&head=77", {"t": 600, "width": 5, "head": 4}),
        ("?t=-3&width=-1e9&head=0", {"t": 0, "width": 0.05, "head": 1}),
        ("?t=60&head=2.6", {"t": 8, "head": 3}),
        ("?t=abc&t=&kernel=cube&on=maybe&width=1e999&head=", {}),
        ("?nonsense=1&__proto__=2&word=la+voiture", {"word": "la voiture"}),
        ("?places=9+14,30", {"places": "9 14,30"}),
        ("?places=", {"places": ""}),
        ("?places=-1", {}),
        ("?places=1e0", {}),
        ("?places=3%0A", {}),
        ("?word=%E0%A4%A&t=8", {"t": 8}),
        ("?word=%A&t=8", {"t": 8}),
        ("?word=50%25&t=%", {"word": "50%"}),
    ],
)
def test_an_address_gives_what_a_figure_allows_and_no_more(call: Call, query: str, state: dict[str, Any]):
    assert call("address", "({ readState }, ...all) => readState(...all)", query, KNOWN, ALLOWED) == state


def test_an_address_names_the_way_of_reading_before_the_state(call: Call):
    written = """({ writeState }) => [
      writeState({ t: 128, on: true }, "a6-s3"), writeState({ t: 128 }, "a6-s3", "present"),
      writeState({}, "a1", "present"), writeState({}, "", "present"), writeState({}, ""),
    ]"""

    assert call("address", written) == ["?t=128&on=true#a6-s3", "?present&t=128#a6-s3", "?present#a1", "?present", ""]


# ------------------------------------------------------------------------------------------------------- slides


def test_a_figure_gets_the_widest_layout_that_can_be_read_or_else_nearly_the_largest(call: Call):
    best = """({ bestLayout }, layouts, room, wanted) => {
      const { width, scale } = bestLayout(layouts, room, wanted);
      return [width, Math.round(scale * 100) / 100];
    }"""
    layouts = [{"width": 400, "height": 380}, {"width": 480, "height": 400}, {"width": 640, "height": 560}]

    assert call("slides/stage", best, layouts, {"width": 640, "height": 600}, 1.3) == [480, 1.33]
    assert call("slides/stage", best, layouts, {"width": 640, "height": 600}, 1.0) == [640, 1]
    assert call("slides/stage", best, layouts, {"width": 640, "height": 600}, 9.0) == [400, 1.58]
    assert call("slides/stage", best, layouts, {"width": 9000, "height": 9000}, 9.0)[1] == 4


# ------------------------------------------------------------------------------------------------------- series

SERIES = {
    "axes": ["checkpoint", "query", "key"],
    "coordinates": {"checkpoint": [0, 8], "query": ["a", "b"], "key": ["x", "y", "z"]},
    "shape": [2, 2, 3],
    "values": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, None],
}


def test_a_series_is_read_by_its_leading_indices(call: Call):
    assert call("series", "({ at }, one) => [at(one, 0, 1), at(one, 1, 0, 2)]", SERIES) == [[3, 4, 5], [8]]
    assert call("series", "({ rows }, one) => rows(one, 0)", SERIES) == [[0, 1, 2], [3, 4, 5]]


def test_what_is_undefined_in_a_series_is_not_a_number(call: Call):
    assert call("series", "({ at }, one) => at(one, 1, 1).map(Number.isNaN)", SERIES) == [False, False, True]


def test_an_index_outside_its_axis_is_an_error_that_names_the_axis(call: Call):
    said = call("series", "({ at }, one) => { try { at(one, 0, 2) } catch (error) { return error.message } }", SERIES)

    assert said == "index 2 outside axis query of length 2"


def test_the_nearest_of_two_equally_near_is_the_earlier(call: Call):
    assert call("series", "({ nearest }, steps) => [0, 3, 5, 9999].map((t) => nearest(steps, t))", [0, 2, 4, 6]) == [
        0,
        1,
        2,
        3,
    ]


# -------------------------------------------------------------------------------------------------------- scale


def test_a_scale_maps_its_domain_to_its_range_and_back(call: Call):
    ends = """({ linear, logarithmic, logarithmicFromZero }) => [
      [linear([2, 4], [10, 30]), [2, 3, 4]],
      [logarithmic([1, 100], [0, 2]), [1, 10, 100]],
      [logarithmicFromZero([0, 99], [0, 2]), [0, 9, 99]],
    ].map(([scale, values]) => values.map((value) => [scale.at(value), scale.from(scale.at(value))]))"""

    (linear, logarithmic, from_zero) = call("scale", ends)

    assert linear == [[10, 2], [20, 3], [30, 4]]
    assert [at for at, _ in logarithmic] == pytest.approx([0, 1, 2])
    assert [at for at, _ in from_zero] == pytest.approx([0, 1, 2])
    assert [back for _, back in logarithmic] == pytest.approx([1, 10, 100])
    assert [back for _, back in from_zero] == pytest.approx([0, 9, 99])


def test_a_flat_domain_maps_to_the_start_of_the_range(call: Call):
    assert call("scale", "({ linear }) => linear([5, 5], [10, 30]).at(7)") == 10


def test_zero_has_no_place_on_a_logarithmic_scale(call: Call):
    assert call("scale", "({ logarithmic }) => Number.isNaN(logarithmic([1, 10], [0, 1]).at(0))") is True


def test_ticks_are_round_numbers_inside_the_domain(call: Call):
    assert call("scale", "({ linearTicks }) => linearTicks([0, 1], 5)") == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert call("scale", "({ linearTicks }) => linearTicks([-1, 6.3], 4)") == [0, 2, 4, 6]
    assert call("scale", "({ linearTicks }) => linearTicks([0, 0.35], 4)") == [0, 0.1, 0.2, 0.3]
    assert call("scale", "({ powersOfTen }) => powersOfTen([0.0006, 3.7])") == [0.001, 0.01, 0.1, 1]


def test_step_ticks_begin_at_zero_and_end_at_the_last_step(call: Call):
    assert call("scale", "({ stepTicks }) => stepTicks(600)") == [0, 1, 4, 16, 64, 256, 600]
    assert call("scale", "({ stepTicks }) => stepTicks(300)") == [0, 1, 4, 16, 64, 300]
    assert call("scale", "({ stepTicks }) => stepTicks(0)") == [0]


# ------------------------------------------------------------------------------------------------------- format


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("fixed(-0.004, 2)", "0.00"),
        ("fixed(-1.25, 1)", "−1.3"),
        ("fixed(NaN, 2)", "–"),
        ("weight(0.984)", ".98"),
        ("weight(0.999)", "1.0"),
        ("weight(0.0049)", ""),
        ("significant(0.0942, 2)", "0.094"),
        ("significant(0.0999, 2)", "0.10"),
        ("significant(2.97, 2)", "3.0"),
        ("significant(0, 2)", "0"),
        ("percent(1)", "100%"),
        ("percent(0.999)", ">99%"),
        ("percent(0.999, 1)", "99.9%"),
        ("percent(0.00004, 2)", "<0.01%"),
        ("percent(0)", "0%"),
        ("count(1234567)", "1,234,567"),
        ("count(160)", "160"),
        ("tick(0.001)", "0.001"),
        ("tick(-3)", "−3"),
    ],
)
def test_numbers_read_as_written(call: Call, expression: str, text: str):
    assert call("format", f"(format) => format.{expression}") == text


# --------------------------------------------------------------------------------------------------------- play


def test_a_play_visits_all_later_checkpoints_and_ends_on_the_last(call: Call):
    assert call("play", "({ frames }) => frames(2, 6)") == [3, 4, 5]


def test_a_play_from_the_end_starts_over(call: Call):
    assert call("play", "({ frames }) => frames(3, 4)") == [0, 1, 2, 3]


def test_no_play_takes_more_than_five_seconds(call: Call):
    lengths = call(
        "play",
        """({ frames, FRAMES_PER_SECOND, SECONDS }) =>
          [1, 2, 16, 41, 601, 5000].map((length) => [frames(0, length).length / FRAMES_PER_SECOND <= SECONDS,
                                                    frames(0, length).at(-1) === length - 1])""",
    )

    assert lengths == [[True, True]] * 6


# --------------------------------------------------------------------------------------------------------- maps


def test_a_map_fits_its_width_with_whole_cells(call: Call):
    fits = call(
        "heat-map",
        """({ mapLayout }) => [150, 169, 320, 700].map((width) => {
          const { cell, left, width: used } = mapLayout({ queries: 6, keys: 6, width });
          return [used <= width, Number.isInteger(cell), used === left + 6 * cell + 1];
        })""",
    )

    assert fits == [[True, True, True]] * 4


def test_a_value_is_printed_from_28_pixels_on(call: Call):
    printed = """({ mapLayout }) => [27, 28].map((cell) =>
      mapLayout({ queries: 2, keys: 2, width: 23 + 2 * cell }).printed)"""

    assert call("heat-map", printed) == [False, True]


def test_arrow_keys_move_through_cells_and_the_tokens_at_the_rim_but_not_its_corner(call: Call):
    moves = [
        (0, 0, "ArrowRight", [0, 1]),
        (0, 0, "ArrowLeft", [0, -1]),
        (0, -1, "ArrowUp", [0, -1]),
        (-1, 0, "ArrowLeft", [-1, 0]),
        (0, 2, "ArrowUp", [-1, 2]),
        (1, 2, "ArrowDown", [1, 2]),
        (1, 2, "ArrowRight", [1, 2]),
        (1, 2, "Home", [1, -1]),
        (1, 0, "End", [1, 2]),
        (-1, 1, "Home", [-1, 0]),
    ]
    for query, key, pressed, place in moves:
        got = call(
            "heat-map", "({ moved }, query, key, pressed) => moved({ query, key }, pressed, 2, 3)", query, key, pressed
        )
        assert [got["query"], got["key"]] == place, (query, key, pressed)
    assert call("heat-map", "({ moved }) => moved({ query: 0, key: 0 }, 'a', 2, 3)") is None


def test_the_peak_of_a_row_is_its_first_largest_weight(call: Call):
    values = [0.1, 0.8, 0.1, 0.5, 0.5, 0, NAN, NAN, NAN]

    assert call("heat-map", "({ peaks }, values) => peaks(values, 3)", values) == [1, 0, -1]


def test_a_hatch_stays_inside_its_cell(call: Call):
    path = call("heat-map", "({ hatch }) => hatch(24, 16)")
    numbers = [float(part) for part in path.replace("M", " ").replace("L", " ").split()]

    assert numbers
    assert all(0 <= x <= 24 for x in numbers[::2])
    assert all(0 <= y <= 16 for y in numbers[1::2])


def test_a_large_map_has_whole_pixels_a_cell(call: Call):
    layout = call("pixel-map", "({ pixelLayout }) => pixelLayout(64, 32, 350, 200)")

    assert layout == {"cellWidth": 10, "cellHeight": 3, "width": 320, "height": 192}
    assert call("pixel-map", "({ cellAt }, layout) => [cellAt(0, 0, layout), cellAt(9999, 9999, layout)]", layout) == [
        {"query": 0, "key": 0},
        {"query": 63, "key": 31},
    ]


def test_pixels_mix_over_a_fixed_domain_and_leave_the_undefined_clear(call: Call):
    mixed = "({ mixed }, values) => [...mixed(values, [-1, 1], [0, 0, 0], [200, 100, 50])]"

    assert call("pixels", mixed, [-1, 0, 5, NAN]) == [0, 0, 0, 255, 100, 50, 25, 255, 200, 100, 50, 255, 0, 0, 0, 0]


# -------------------------------------------------------------------------------------------------------- lines


def test_an_undefined_value_is_a_gap_in_the_line(call: Call):
    path = """({ linePath, scaleOf }, ys) => {
      const scale = scaleOf({ domain: [0, 10] }, [0, 10]);
      return linePath([0, 1, 2, 3, 4], ys, scale, scale);
    }"""

    got = call("line-chart", path, [1, 2, NAN, 4, 5])

    assert got["d"] == "M0.0 1.0L1.0 2.0M3.0 4.0L4.0 5.0"
    assert got["d"][: got["ends"][1]] == got["d"][: got["ends"][2]] == "M0.0 1.0L1.0 2.0"
    assert got["ends"][-1] == len(got["d"])


def test_the_cursor_stands_on_the_last_point_not_beyond_it(call: Call):
    assert call("line-chart", "({ lastUpTo }, xs) => [-1, 0, 3, 4, 99].map((x) => lastUpTo(xs, x))", [0, 2, 4]) == [
        -1,
        0,
        1,
        2,
        2,
    ]


def test_the_label_at_the_cursor_stays_inside_the_plot(call: Call):
    inside = """({ labelAt }) => {
      const plot = { left: 50, right: 340, top: 8, bottom: 80 };
      const places = [];
      for (const x of [50, 200, 335]) for (const y of [8, 40, 80]) for (const rising of [true, false]) {
        const at = labelAt(x, y, 9, rising, plot);
        const [from, to] = at.anchor === "start" ? [at.x, at.x + 9 * 7.4] : [at.x - 9 * 7.4, at.x];
        places.push(to <= plot.right && (x < 100 || from >= plot.left) && at.y >= plot.top && at.y <= plot.bottom);
      }
      return places;
    }"""

    assert call("line-chart", inside) == [True] * 18


def test_tick_labels_do_not_touch_and_the_last_is_kept(call: Call):
    kept = (
        """({ spaced }, values) => spaced(values, { at: (value) => value * 10 }, String, 25).map(({ text }) => text)"""
    )

    assert call("axes", kept, [0, 1, 2, 3, 10]) == ["0", "3", "10"]


def test_names_that_would_touch_stand_apart_in_their_order(call: Call):
    assert call("axes", "({ apart }) => apart([40, 10, 12, 80], 15)") == [40, 10, 25, 80]
    assert call("axes", "({ apart }) => apart([30, 10, 12, 31], 15)") == [40, 10, 25, 55]


# ------------------------------------------------------------------------------------- bars, points, histograms


def test_a_bar_is_as_long_as_its_share_and_nothing_is_no_bar(call: Call):
    assert call("bars", "({ length }) => [0, 0.5, 1, 3, NaN].map((value) => length(value, 1, 80))") == [
        0,
        40,
        80,
        80,
        0,
    ]


def test_the_area_of_a_point_is_its_weight(call: Call):
    large, quarter, none, undefined = call(
        "scatter", "({ radius }) => [1, 0.25, 0, NaN].map((weight) => radius(weight))"
    )

    assert quarter == large / 2
    assert (none, undefined) == (0, 0)


def test_the_stroke_of_an_arc_is_in_proportion_to_its_weight(call: Call):
    whole, half, none, undefined = call("token-row", "({ stroke }) => [1, 0.5, 0, NaN].map(stroke)")

    assert half == whole / 2
    assert (none, undefined) == (0, 0)


def test_densities_sum_to_the_share_inside_the_edges(call: Call):
    densities = "({ densities }, values, edges) => densities(values, edges)"

    assert call("histogram", densities, [0, 0.5, 1, 2, 9], [0, 1, 2]) == pytest.approx([0.4, 0.4])


def test_a_histogram_rises_from_the_ground_and_returns_to_it(call: Call):
    outline = """({ outline }, scale) => outline([0, 1, 2], [3, 1],
      { at: (value) => value * 10 }, { at: (value) => 100 - value * 10, domain: [0, 4] })"""

    assert call("histogram", outline) == "M0.0 100.0V70.0H10.0V90.0H20.0V100.0"


def test_pictures_are_whole_multiples_of_their_pixels_and_fit(call: Call):
    layout = call("image-grid", "({ gridLayout }) => gridLayout(10, 8, 350, 60)")

    assert layout == {"columns": 5, "rows": 2, "side": 56, "gap": 12}


def test_circles_are_one_path_and_what_has_no_place_is_not_drawn(call: Call):
    circles = "({ circles }) => circles([10, 20, NaN], [5, 5, 5], [2, 0, 3])"

    assert call("scatter", circles) == "M8.00 5.00a2 2 0 1 0 4 0a2 2 0 1 0 -4 0Z"


# --------------------------------------------------------------------------------- acts one and two, where things go


def test_a_score_grows_from_the_middle_and_a_weight_from_the_left(call: Call):
    bars = """({ bar }) => [bar(0.5, 100, 80, true), bar(-0.5, 100, 80, true), bar(0.5, 100, 80, false),
      bar(NaN, 100, 80, true)]"""

    assert call("figures/soft-lookup/table", bars) == [
        {"x": 140, "width": 20},
        {"x": 120, "width": 20},
        {"x": 100, "width": 40},
        {"x": 100, "width": 0},
    ]


def test_a_querys_name_stands_on_the_freer_side_of_its_arrow(call: Call):
    sides = "({ freeSide }, at, others) => freeSide(at, others)"

    assert call("figures/soft-lookup/dial", sides, 0.0, [0.0, 0.3, 3.0]) == -1
    assert call("figures/soft-lookup/dial", sides, 0.0, [-0.3, 3.0]) == 1
    assert call("figures/soft-lookup/dial", sides, 0.0, [0.3, -0.3]) == -1


def test_pieces_of_the_answer_stand_one_behind_the_other_and_years_are_summed(call: Call):
    pieces = "({ pieces }) => pieces([0.25, 0, 0.75], 200)"
    years = "({ byYear }) => [...byYear([0.5, 0.2, 0.3], [1964, 2017, 1964])]"
    names = "({ fitting }) => [fitting('Ashish', 80, 7.4), fitting('Ashish', 30, 7.4), fitting('Ashish', 5, 7.4)]"

    assert call("figures/soft-lookup/answer", pieces) == [
        {"x": 0, "width": 50},
        {"x": 50, "width": 0},
        {"x": 50, "width": 150},
    ]
    assert call("figures/soft-lookup/answer", years) == [[1964, 0.8], [2017, 0.2]]
    assert call("figures/soft-lookup/answer", names) == ["Ashish", "A", ""]


def test_the_lookup_has_one_height_in_all_its_views(call: Call):
    heights = """({ layout }) => [350, 650].map((width) =>
      ["table", "scores", "weights"].map((view) => layout(width, view).height + (view === "weights" ? 44 : 0)))"""

    assert [len(set(row)) for row in call("figures/soft-lookup/figure", heights)] == [1, 1]


def test_a_kernel_is_as_high_as_the_weight_at_each_sample(call: Call):
    tips = """async ({ envelope }) => {
      const script = document.querySelector("script[type=module]").src;
      const { KERNELS, poolingWeights } = await import(new URL("engine/kernels.js", script));
      return Object.keys(KERNELS).map((kernel) => {
        const keys = [0.5, 1, 2.4];
        const weights = poolingWeights(1, keys, kernel, 1.5);
        const curve = envelope(kernel, 1.5, 1, keys, [0, 3]);
        const near = (x) => curve.y[curve.x.findIndex((one) => Math.abs(one - x) < 1e-9)];
        return keys.every((key, index) => Math.abs(near(key) - weights[index]) < 1e-12);
      });
    }"""

    assert call("envelope", tips) == [True] * 5


def test_an_empty_window_has_no_kernel_to_draw(call: Call):
    empty = "({ envelope }) => envelope('boxcar', 0.1, 2, [0, 1], [0, 3]).y.every(Number.isNaN)"

    assert call("envelope", empty) is True


def test_the_heaviest_of_equal_samples_is_the_nearest(call: Call):
    assert call("stems", "({ heaviest }) => heaviest([0.2, 0.2, 0.1], [0, 2, 3], 2.2)") == 1


def test_a_best_width_leaves_no_gap(call: Call):
    best = "({ bestOf }) => bestOf({ values: [0.1, 0.4, 0.3], coverage: [0.9, 1, 1] })"

    assert call("figures/kernel-width/errors", best) == 2


# ----------------------------------------------------------------------------------------------------- diagrams


def test_a_part_lights_what_belongs_to_it_and_a_second_press_lights_everything_again(call: Call):
    assert call(
        "diagram", "({ belongs }) => ['attention', 'scores', 'score'].map((part) => belongs('attention scores', part))"
    ) == [
        True,
        True,
        False,
    ]
    assert call(
        "diagram",
        "({ chosen }) => [chosen('attention scores', 'all', 'all'), chosen('attention scores', 'scores', 'all')]",
    ) == [
        "scores",
        "all",
    ]


# ------------------------------------------------------------------------------------------------ figure kinds


def test_the_likeliest_candidates_come_first_and_equals_keep_their_order(call: Call):
    best = """({ likeliest }) => likeliest([0.1, 0.4, 0.1, 0.4], ["0", "1", "2", "3"], 3).map(({ name }) => name)"""

    assert call("figures/decode/figure", best) == ["1", "3", "0"]


def test_heads_are_averaged_key_by_key(call: Call):
    assert call("figures/decode/figure", "({ averaged }) => averaged([[1, 0], [0.5, 0.5]])") == [0.75, 0.25]


def test_on_a_phone_the_replay_gives_its_second_curve_to_the_maps(call: Call):
    narrow, wide = call("figures/training-replay/figure", "({ layout }) => [layout(350, 2), layout(700, 2)]")

    assert narrow["exactHeight"] == 0 < wide["exactHeight"]
    assert narrow["mapWidth"] * 2 <= 350
    assert wide["mapWidth"] * 2 <= 700


# ------------------------------------------------------------------------------- primitives as they are drawn


def test_a_scatter_draws_a_gap_where_its_curve_is_undefined(call: Call):
    drawn = """({ scatter }) => {
      const chart = scatter({ name: "fit", x: { domain: [0, 4] }, y: { domain: [0, 4] },
        points: { x: [1, 2], y: [1, 3] }, curves: [{ x: [0, 1, 2, 3], mark: "fit", name: "boxcar" }] });
      chart.resize(300, 200);
      chart.show({ curves: [[1, NaN, 2, 3]], weights: [1, 0], cursor: 1 });
      const disks = chart.element.querySelector(".point-weight").getAttribute("d");
      const radii = [...disks.matchAll(/a([0-9.]+) /g)].map((found) => Number(found[1]));
      return [chart.element.querySelector(".line").getAttribute("d").match(/M/g).length, radii];
    }"""

    assert call("scatter", drawn) == [2, [9, 9]]  # one disk, of two arcs; no weight is no disk


def test_a_large_map_is_read_with_two_sliders(call: Call):
    drawn = """({ pixelMap }) => {
      const places = [];
      const names = (count) => Array.from({ length: count }, (_, index) => String(index));
      const map = pixelMap({ name: "codes", queries: names(64), keys: names(32), queryName: "position",
        keyName: "dimension", domain: [-1, 1], chosen: (place) => places.push(place) });
      document.body.append(map.element);
      map.resize(350, 200);
      map.show(Array.from({ length: 64 * 32 }, (_, index) => (index % 32) / 32), { query: 3, key: 16 });
      const [query, key] = map.element.querySelectorAll("input");
      key.value = 8;
      key.dispatchEvent(new Event("input"));
      const said = [key.getAttribute("aria-valuetext"), map.element.querySelector("output").textContent];
      map.destroy();
      map.element.remove();
      return { places, said };
    }"""

    assert call("pixel-map", drawn) == {
        "places": [{"query": 3, "key": 8}],
        "said": ["16: 0.50", "position 3, dimension 16: 0.50"],
    }


def test_pixels_follow_the_theme(call: Call):
    drawn = """async ({ pixels }) => {
      const html = document.documentElement;
      const before = html.dataset.theme;
      html.dataset.theme = "light";
      const picture = pixels({ name: "one", rows: 1, columns: 2 });
      document.body.append(picture.element);
      picture.show([0, 1]);
      const read = () => [...picture.element.getContext("2d").getImageData(0, 0, 2, 1).data];
      const light = read();
      html.dataset.theme = "dark";
      await new Promise(requestAnimationFrame);
      const dark = read();
      picture.destroy();
      picture.element.remove();
      if (before === undefined) delete html.dataset.theme; else html.dataset.theme = before;
      return [light[0] > light[4], dark[0] < dark[4]];
    }"""

    assert call("pixels", drawn) == [True, True]


def test_pictures_that_may_be_chosen_are_buttons_that_say_so(call: Call):
    drawn = """({ imageGrid }) => {
      const chosen = [];
      const grid = imageGrid({ name: "garment", rows: 2, columns: 2, count: 3, chosen: (index) => chosen.push(index) });
      document.body.append(grid.element);
      grid.resize(200, 60);
      const shirt = { values: [0, 1, 1, 0], caption: "shirt" };
      grid.show([shirt, { values: [1, 1, 0, 0], caption: "boot", mark: "is-wrong" }], 1);
      const buttons = [...grid.element.querySelectorAll("button:not([hidden])")];
      buttons[0].click();
      grid.destroy();
      grid.element.remove();
      return [chosen, buttons.map((one) => [one.textContent, one.getAttribute("aria-pressed")])];
    }"""

    assert call("image-grid", drawn) == [[0], [["shirt", "false"], ["boot", "true"]]]


def test_histograms_stand_on_fixed_axes_with_their_names_at_their_peaks(call: Call):
    drawn = """({ histogram }) => {
      const chart = histogram({ name: "scores", x: { domain: [0, 3] }, y: { domain: [0, 1] }, edges: [0, 1, 2, 3],
        count: 2 });
      chart.resize(330, 200);
      chart.show([{ name: "d = 1", heights: [0.2, 0.8, 0.1] }]);
      const before = chart.element.querySelector(".axis-ticks").textContent;
      chart.show([{ name: "d = 1", heights: [0.1, 0.1, 0.3] }, { name: "d = 16", heights: [1, 0, 0] }]);
      const { x } = chart.layout();
      const place = (name) => Math.round(x.from(Number(name.getAttribute("x"))) * 10) / 10;
      const labels = [...chart.element.querySelectorAll(".histogram-name")];
      const names = labels.map((name) => [name.textContent, place(name)]);
      return [before === chart.element.querySelector(".axis-ticks").textContent, names];
    }"""

    assert call("histogram", drawn) == [True, [["d = 1", 2.5], ["d = 16", 0.5]]]
