"""A table of names as attention: last names are keys, first names are values, and a query may be no row at all.

A Python dictionary answers `table["Vaswani"]` and knows nothing of "Weston". The soft lookup scores the query
against every key, turns the scores into weights with a softmax, and answers with the weighted mean of the values.
Temperature is the one knob: towards 0 the answer is the dictionary's again, towards infinity it is the plain mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle
from torch import Tensor

from models.attention.charts import OTHERS, arrow, axis_name, heading, label, panel
from models.attention.drawing import (
    INK,
    KEY,
    LINE,
    QUERY,
    SMALL,
    SOFT,
    VALUE,
    card,
    chart,
    curve,
    on_shade,
    shade,
    write,
)
from models.attention.entropy import entropy
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run

LETTERS = "abcdefghijklmnopqrstuvwxyz"

# Authors of work that the chapter cites, in alphabetical order, with the year of that work.
TABLE = (
    ("Bahdanau", "Dzmitry", 2014),
    ("Devlin", "Jacob", 2018),
    ("Kaplan", "Jared", 2020),
    ("Nadaraya", "Elizbar", 1964),
    ("Vaswani", "Ashish", 2017),
    ("Watson", "Geoffrey", 1964),
)

# A row of the table, a name four steps from a row, and a name exactly half-way between two rows.
QUERIES = ("Vaswani", "Weston", "Raffel")

# Scores closer than this are one score: the cosine of equal angles differs by rounding.
ROUNDING = 1e-12


def dial_step(name: str) -> int:
    """Where a name stands on a dial of 26 · 26 steps: its first two letters, read as a number in base 26."""
    first, second = (LETTERS.index(letter) for letter in name.lower()[:2])
    return first * len(LETTERS) + second


def embed(names: Sequence[str]) -> Tensor:
    """Names as unit vectors (name, 2): neighbours in the alphabet point in nearly the same direction."""
    angles = [2 * math.pi * dial_step(name) / len(LETTERS) ** 2 for name in names]
    return torch.tensor([[math.cos(angle), math.sin(angle)] for angle in angles], dtype=torch.float64)


def dot_product_scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(query, d), (key, d) -> (query, key). For unit vectors it is the cosine of the angle between them."""
    return queries @ keys.T


def attention_weights(scores: Tensor, temperature: float) -> Tensor:
    """Softmax over the keys: (query, key) -> (query, key), each row positive and summing to 1."""
    return torch.softmax(scores / temperature, dim=-1)


def soft_lookup(queries: Tensor, keys: Tensor, values: Tensor, temperature: float) -> Tensor:
    """Attention(q, D) = Σᵢ α(q, kᵢ) vᵢ: (query, d), (key, d), (key, value) -> (query, value).

    Bahdanau et al. 2014, section 3.1; Vaswani et al. 2017, section 3.2.
    """
    return attention_weights(dot_product_scores(queries, keys), temperature) @ values


def hard_weights(scores: Tensor) -> Tensor:
    """The limit of the softmax for temperature -> 0: the best key takes all, equal best keys share evenly."""
    best = scores.amax(dim=-1, keepdim=True)
    winners = (best - scores <= ROUNDING).to(scores.dtype)
    return winners / winners.sum(dim=-1, keepdim=True)


def mean_weights(scores: Tensor) -> Tensor:
    """The limit of the softmax for temperature -> infinity: every key has the same say."""
    return torch.full_like(scores, 1 / scores.shape[-1])


def log_spaced(first_exponent: int, last_exponent: int, per_decade: int) -> list[float]:
    """Powers of ten at equal ratios, rounded to four digits so that a label is the number that was used."""
    steps = range(first_exponent * per_decade, last_exponent * per_decade + 1)
    return [float(f"{10 ** (step / per_decade):.4g}") for step in steps]


TEMPERATURES = tuple(log_spaced(-4, 3, per_decade=10))


@recipe(
    "soft-lookup",
    act=1,
    seed=1,  # the number of the act; nothing here is drawn at random
    reference="models.reference.lookups:SoftLookup",
    headline="best_weight",
    parameters={"temperature": 1.0, "letters": 26},
    keys=exact("key", "component"),
    queries=exact("query", "component"),
    scores=exact("query", "key"),
    weights=exact("query", "key"),
    answer_year=exact("query"),
    sweep_weights=drawn("query", "temperature", "key"),
    sweep_entropy=drawn("query", "temperature"),
    sweep_year=drawn("query", "temperature"),
    hard_weights=exact("query", "key"),
    mean_weights=exact("query", "key"),
)
def lookup(bake: Bake) -> None:
    """Look three names up in a table of six, at one temperature and over seven decades of it."""
    last_names = [last for last, _, _ in TABLE]
    first_names = [first for _, first, _ in TABLE]
    years = torch.tensor([[year] for _, _, year in TABLE], dtype=torch.float64)  # (key, 1)
    one_hot = torch.eye(len(TABLE), dtype=torch.float64)  # first names as values: (key, first name)
    keys, queries = embed(last_names), embed(QUERIES)
    temperature = float(bake.parameters["temperature"])

    scores = dot_product_scores(queries, keys)
    weights = attention_weights(scores, temperature)
    answers = soft_lookup(queries, keys, one_hot, temperature)
    axes = {"query": QUERIES, "key": last_names}
    bake.series("keys", keys, key=last_names, component=["x", "y"])
    bake.series("queries", queries, query=QUERIES, component=["x", "y"])
    bake.series("scores", scores, **axes)
    bake.series("weights", weights, **axes)
    bake.series("answer_year", (weights @ years).squeeze(-1), query=QUERIES)
    bake.series("hard_weights", hard_weights(scores), **axes)
    bake.series("mean_weights", mean_weights(scores), **axes)

    sweep = torch.stack([attention_weights(scores, t) for t in TEMPERATURES], dim=1)  # (query, temperature, key)
    bake.series("sweep_weights", sweep, query=QUERIES, temperature=TEMPERATURES, key=last_names)
    bake.series("sweep_entropy", entropy(sweep), query=QUERIES, temperature=TEMPERATURES)
    bake.series("sweep_year", (sweep @ years).squeeze(-1), query=QUERIES, temperature=TEMPERATURES)

    tie, row = QUERIES.index("Raffel"), QUERIES.index("Vaswani")
    coldest, hottest = sweep[:, 0], sweep[:, -1]
    tied = [last_names.index(name) for name in ("Nadaraya", "Vaswani")]
    bake.metric("best_weight", weights[row].max().item())
    bake.metric("cold_row_weight", coldest[row].max().item())
    bake.metric("cold_tie_weight_low", coldest[tie][tied].min().item())
    bake.metric("cold_tie_weight_high", coldest[tie][tied].max().item())
    bake.metric("cold_gap", (coldest - hard_weights(scores)).abs().max().item(), better="lower")
    bake.metric("hot_gap", (hottest - mean_weights(scores)).abs().max().item(), better="lower")
    bake.metric("hot_entropy", entropy(hottest).max().item(), unit="nats")
    bake.metric("mean_year", years.mean().item(), unit="year")
    bake.metric("row_year", (weights @ years)[row].item(), unit="year")

    table = {last: first for last, first, _ in TABLE}
    bake.example("table", [{"last": last, "first": first, "year": year} for last, first, year in TABLE])
    bake.example("dictionary", {name: table.get(name) for name in QUERIES})
    bake.example("dial", {name: dial_step(name) for name in (*last_names, *QUERIES)})
    bake.example("first_names", first_names)
    bake.probe(
        "softLookup",
        {"queries": queries, "keys": keys, "values": one_hot, "temperature": temperature},
        {"scores": scores, "weights": weights, "answers": answers},
    )


# ---------------------------------------------------------------------------------------------------- stills


@lookup.draw(
    "table",
    alt="Three names are looked up in six rows of last name, first name and year: one has a row, two have none.",
    size=(6.4, 2.4),
)
def draw_table(run: Run, axes: Axes) -> None:
    card(axes)
    top, row, left = 1.75, 0.28, 2.45
    found = {entry["last"]: top - place * row for place, entry in enumerate(run.examples["table"])}
    heading(axes, left, top + 0.36, "last name", KEY)
    heading(axes, left + 1.5, top + 0.36, "first name", VALUE)
    heading(axes, left + 3.0, top + 0.36, "year", VALUE)
    heading(axes, 0.3, top + 0.36, "query", QUERY)
    for entry in run.examples["table"]:
        y = found[entry["last"]]
        write(axes, left, y, entry["last"], color=KEY, bold=True, align="left")
        write(axes, left + 1.5, y, entry["first"], color=VALUE, bold=True, align="left")
        write(axes, left + 3.0, y, str(entry["year"]), color=VALUE, bold=True, align="left")
    for place, (query, answer) in enumerate(run.examples["dictionary"].items()):
        y = top - place * 2.5 * row
        write(axes, 0.3, y, query, color=QUERY, bold=True, align="left")
        if answer is None:
            write(axes, 1.05, y, "no such row", size=SMALL, color=SOFT, align="left")
        else:
            arrow(axes, (1.05, y), (left - 0.1, found[query]), INK)
            arrow(axes, (left + 0.8, found[query]), (left + 1.4, found[query]), INK)


@lookup.draw("scores", alt="Keys as arrows on a dial, a query beside one of them, and its score for each key.")
def draw_scores(run: Run, axes: Axes) -> None:
    card(axes)
    x, y, radius = 2.0, 1.95, 1.15
    keys, query = run.series["keys"], "Weston"
    axes.add_patch(Circle((x, y), radius, facecolor="none", edgecolor=LINE, linewidth=1))
    for place, letter in enumerate(LETTERS):
        angle = 2 * math.pi * place / len(LETTERS)
        write(axes, x + 1.1 * radius * math.cos(angle), y + 1.1 * radius * math.sin(angle), letter, size=7, color=SOFT)
    for name, (dx, dy) in zip(keys.coordinates["key"], keys.rows(), strict=True):
        draw_vector(axes, (x, y), (dx, dy), radius, str(name), KEY)
    place = QUERIES.index(query)
    dx, dy = run.series["queries"].at(place)
    draw_vector(axes, (x, y), (dx, dy), 0.72 * radius, "", QUERY)
    write(axes, x + 0.3, y - 0.2, query, size=SMALL, color=QUERY, bold=True, align="left")
    heading(axes, 4.1, 3.65, f"score of {query} for each key")
    inner = chart(axes, 4.8, 0.55, 1.35, 2.85)
    scores, rows = run.series["scores"].at(place), range(len(TABLE))
    inner.barh(rows, scores, height=0.55, color=INK)
    inner.set(xlim=(-1, 1), ylim=(len(TABLE) - 0.4, -0.6), xticks=(-1, 0, 1), yticks=rows)
    inner.set_yticklabels(keys.coordinates["key"], color=KEY, weight=600)
    inner.grid(axis="y", visible=False)
    inner.axvline(0, color=SOFT, linewidth=0.8)


def draw_vector(
    axes: Axes, start: tuple[float, float], along: tuple[float, float], length: float, name: str, color: str
) -> None:
    """An arrow from the dial's centre, its name outside the rim."""
    (x, y), (dx, dy) = start, along
    arrow(axes, start, (x + length * dx, y + length * dy), color)
    align = "left" if dx > 0.3 else "right" if dx < -0.3 else "center"
    write(axes, x + 1.22 * length * dx, y + 1.25 * length * dy, name, size=SMALL, color=color, bold=True, align=align)


def draw_weights(run: Run, axes: Axes, weights: Sequence[Sequence[float]]) -> None:
    """Queries × keys, with the values below the columns they belong to."""
    card(axes)
    left, top, cell = 1.35, 1.75, 0.76
    names = [str(name) for name in run.series["keys"].coordinates["key"]]
    rows, height = len(weights), 0.42
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            corner = (left + j * cell, top - (i + 1) * height)
            axes.add_patch(Rectangle(corner, cell, height, facecolor=shade(weight), edgecolor=LINE, linewidth=0.8))
            middle = (corner[0] + cell / 2, corner[1] + height / 2)
            write(axes, *middle, f"{weight:.2f}", size=SMALL, color=on_shade(weight))
        write(axes, left - 0.1, top - (i + 0.5) * height, QUERIES[i], color=QUERY, bold=True, align="right")
    for j, name in enumerate(names):
        write(axes, left + (j + 0.5) * cell, top + 0.16, name, color=KEY, bold=True)
        first = run.examples["first_names"][j]
        write(axes, left + (j + 0.5) * cell, top - rows * height - 0.2, first, color=VALUE, bold=True)
    axis_name(axes, left - 0.1, top + 0.16, "keys", "right")
    axis_name(axes, left - 0.1, top - rows * height - 0.2, "values", "right")


@lookup.draw("weights", alt="At temperature 1 every key has some weight, the nearest key most.", size=(6.4, 2.2))
def draw_warm(run: Run, axes: Axes) -> None:
    draw_weights(run, axes, list(run.series["weights"].rows()))


@lookup.draw("cold", alt="In the cold limit one key has all the weight; two tied keys have half each.", size=(6.4, 2.2))
def draw_cold(run: Run, axes: Axes) -> None:
    draw_weights(run, axes, list(run.series["hard_weights"].rows()))


@lookup.draw("hot", alt="In the hot limit all keys have the same weight, whatever the query.", size=(6.4, 2.2))
def draw_hot(run: Run, axes: Axes) -> None:
    draw_weights(run, axes, list(run.series["mean_weights"].rows()))


@lookup.draw(
    "temperature",
    alt="Weights against temperature: cold, one key or two tied keys take all; hot, all keys are alike.",
    size=(6.4, 3.0),
)
def draw_temperature(run: Run, axes: Axes) -> None:
    card(axes)
    sweep = run.series["sweep_weights"]
    temperatures, keys = sweep.coordinates["temperature"], sweep.coordinates["key"]
    for place, query in enumerate(QUERIES):
        left = 0.5 + 2.0 * place
        heading(axes, left, 2.75, query, QUERY)
        inner = panel(axes, left, 0.55, 1.6, 2.0)
        inner.set(xscale="log", xlim=(temperatures[0], temperatures[-1]), ylim=(-0.02, 1.12), yticks=(0, 0.5, 1))
        inner.set_xticks([1e-4, 1e-2, 1, 100], ["0.0001", "0.01", "1", "100"])
        inner.set_yticks([0, 0.5, 1], ["0", "½", "1"])
        rows = [list(row) for row in zip(*sweep.rows(place), strict=True)]  # (key, temperature)
        winners = [str(name) for name, row in zip(keys, rows, strict=True) if row[0] > 0.1]
        for row in sorted(rows):
            curve(inner, temperatures, row, KEY if row[0] > 0.1 else OTHERS)
        label(inner, temperatures[0], max(row[0] for row in rows) + 0.07, ", ".join(winners), KEY)
        label(inner, temperatures[-1], 0.1, "all alike", SOFT, align="right", bold=False)
        axis_name(axes, left + 0.8, 0.16, "temperature")
