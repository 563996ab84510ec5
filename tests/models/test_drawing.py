"""What the stills show: cells as dark as their weight, numbers that can be read, hatching where a mask is."""

from __future__ import annotations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from models.attention import drawing

pytestmark = pytest.mark.bake


@pytest.fixture
def axes():
    figure = Figure(figsize=(4, 3))
    FigureCanvasAgg(figure)
    return figure.subplots()


def contrast(weight):
    def luminance(color):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    text = 0.0 if drawing.on_shade(weight) == "#000000" else 1.0
    low, high = sorted([luminance(drawing.shade(weight)), text])
    return (high + 0.05) / (low + 0.05)


def test_numbers_on_every_shade_have_contrast_enough():
    assert min(contrast(weight / 200) for weight in range(201)) >= 4.5


def test_weights_are_written_in_two_places():
    assert [drawing.short(weight) for weight in (0.074, 0.5, 0.994, 0.996, 1.0)] == [".07", ".50", ".99", "1.0", "1.0"]


def test_a_card_is_measured_in_inches(axes):
    assert drawing.card(axes) == (4, 3)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 4), (0, 3))


def test_a_heat_map_darkens_with_the_weight_and_prints_what_is_at_least_a_twentieth(axes):
    drawing.card(axes)
    drawing.heat_map(axes, 1, 2, 0.5, [[0.97, 0.03], [0.25, 0.75]], queries="ab", keys="cd")
    cells = {(patch.get_x(), patch.get_y()): patch.get_facecolor()[:3] for patch in axes.patches}
    assert cells == {
        (1.0, 1.5): pytest.approx(drawing.shade(0.97)),
        (1.5, 1.5): pytest.approx(drawing.shade(0.03)),
        (1.0, 1.0): pytest.approx(drawing.shade(0.25)),
        (1.5, 1.0): pytest.approx(drawing.shade(0.75)),
    }
    assert [text.get_text() for text in axes.texts] == [".97", ".25", ".75", "a", "b", "c", "d"]


def test_a_masked_cell_is_white_hatched_and_has_no_number(axes):
    drawing.card(axes)
    drawing.heat_map(axes, 1, 2, 0.5, [[1.0, 0.5], [0.5, 0.5]], causal=True)
    hidden = next(patch for patch in axes.patches if (patch.get_x(), patch.get_y()) == (1.5, 1.5))
    assert hidden.get_facecolor()[:3] == (1.0, 1.0, 1.0)
    assert [text.get_text() for text in axes.texts] == ["1.0", ".50", ".50"]
    ends = [line.get_xydata() for line in axes.lines]
    assert sum(x0 != x1 and y0 != y1 for (x0, y0), (x1, y1) in ends) == 3


def test_a_curve_is_drawn_as_given(axes):
    drawing.card(axes)
    chart = drawing.chart(axes, 1, 1, 2, 1)
    drawing.curve(chart, [0, 1, 2], [3, 2, 1])
    drawing.ticks(chart.xaxis, [0, 2])
    assert chart.lines[0].get_xydata().tolist() == [[0, 3], [1, 2], [2, 1]]
    axes.figure.canvas.draw()
    assert [label.get_text() for label in chart.get_xticklabels()] == ["0", "2"]


def test_a_strand_of_almost_no_weight_is_left_out(axes):
    drawing.card(axes)
    drawing.strand(axes, (1, 1), (2, 2), 0.004)
    assert not axes.patches
    drawing.strand(axes, (1, 1), (2, 2), 0.5)
    assert [patch.get_linewidth() for patch in axes.patches] == [5.75, 3.75]
