"""A table of names as attention: last names are keys, first names are values, and a query may be no row at all.

A Python dictionary answers `table["Vaswani"]` and knows nothing of "Weston". The soft lookup scores the query
against every key, turns the scores into weights with a softmax, and answers with the weighted mean of the values.
Temperature is the one knob: towards 0 the answer is the dictionary's again, towards infinity it is the plain mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from models.attention.entropy import entropy
from sitegen.recipes import Bake, drawn, exact, recipe

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
