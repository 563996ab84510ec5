import pytest
from matplotlib.figure import Figure

from models.attention.charts import label, outline, panel, raster
from models.attention.drawing import card

pytestmark = pytest.mark.bake


@pytest.fixture
def axes():
    axes = Figure(figsize=(4, 3)).subplots()
    card(axes)
    return axes


def test_an_outline_has_its_bins_around_their_centres(axes):
    outline(axes, [1.0, 3.0, 5.0], [0.2, 0.5, 0.3], "#000000")
    (steps,) = axes.patches
    values, edges, _ = steps.get_data()
    assert list(values) == [0.2, 0.5, 0.3]
    assert list(edges) == [0, 2, 4, 6]


def test_a_raster_has_its_first_row_on_top_and_its_own_scale(axes):
    inner = raster(axes, 0.5, 0.5, 2, 2, [[0.0, 0.5], [1.0, 0.0]], extent=(0, 2, 2, 0), high=0.5)
    (image,) = inner.images
    assert image.get_array().tolist() == [[0.0, 0.5], [1.0, 0.0]]
    assert image.get_clim() == (0.0, 0.5)
    assert inner.get_ylim() == (2, 0)


def test_a_panel_has_horizontal_grid_lines_only(axes):
    inner = panel(axes, 0.5, 0.5, 2, 2)
    assert not any(line.get_visible() for line in inner.get_xgridlines())
    assert all(line.get_visible() for line in inner.get_ygridlines())


def test_a_label_stands_at_its_point(axes):
    label(axes, 1.5, 2.0, "here")
    assert [(text.get_text(), text.get_position()) for text in axes.texts] == [("here", (1.5, 2.0))]
