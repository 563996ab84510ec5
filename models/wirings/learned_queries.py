"""Act 4: queries that are parameters. Latents learn which row of a table each of them is to look up."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from models.attention import drawing
from models.attention.charts import MARK
from models.wirings.labelled_digits import (
    LABELS,
    SIZES,
    LabelReader,
    Measurement,
    Tables,
    long_tables,
    measure,
    reader,
    tables,
    train,
)
from models.wirings.pictures import averaged
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run

CHECKPOINTS = (0, 20, 40, 50, 60, 70, 80, 100, 150, 200)
LENGTHS = (24, 48, 96, 192, 384)


@recipe(
    "learned-queries",
    act=4,
    seed=0,
    reference="models.reference.perceiver:LabelReader",
    headline="accuracy",
    parameters={
        "steps": 200,
        "batch_size": 32,
        "learning_rate": 0.01,
        "clip": 1.0,
        "num_latents": 6,
        "num_hiddens": 16,
        "num_heads": 2,
        "num_blocks": 2,
        "fresh_tables": 1000,
        "long_tables": 200,
    },
    loss=exact("step"),
    accuracy=exact("checkpoint"),
    row_share=drawn("checkpoint"),
    row_weight=drawn("checkpoint"),
    cross_attention=drawn("checkpoint", "head", "latent", "input"),
    self_attention=drawn("block", "head", "latent", "other"),
    accuracy_by_length=exact("length"),
    row_weight_by_length=drawn("length"),
)
def learned_queries(bake: Bake) -> None:
    """Train on random tables, look at the model on a ladder of steps, and test it on others, also on longer ones.

    The seed is the first of 0, 1, 2, … with which (1) the loss trace agrees to 1e-10 between the pinned environment and
    the machine's fastest path, (2) all answers about fresh tables are right.
    """
    given = bake.parameters
    model = reader(bake.seed, **{name: given[name] for name in SIZES})
    fresh = tables(bake.seed, "fresh", 0, given["fresh_tables"])
    example = tables(bake.seed, "example", 0, 1)
    losses, seen, maps = [], {}, {}
    updates = train(
        model, bake.seed, steps=given["steps"], batch_size=given["batch_size"], learning_rate=given["learning_rate"],
        max_norm=given["clip"],
    )  # fmt: skip
    for step, loss in enumerate(updates):
        losses.append(loss)
        bake.progress(step, given["steps"], loss=loss)
        if step in CHECKPOINTS:
            seen[step] = measure(model, fresh)
            maps[step] = cross_attention(model, example)
    bake.weights(given["steps"], model.state_dict())
    bake.series("loss", losses)
    record_measurements(bake, seen)
    record_example(bake, model, example, maps)
    record_lengths(bake, model)
    bake.metric("parameters", sum(parameter.numel() for parameter in model.parameters()))


@torch.no_grad()
def cross_attention(model: LabelReader, given: Tables) -> Tensor:
    """(head, latent, row) of the first table."""
    return model(*given).cross_attention[0]


def record_measurements(bake: Bake, seen: Mapping[int, Measurement]) -> None:
    checkpoints, measurements = list(seen), list(seen.values())
    for name in ("accuracy", "row_share", "row_weight"):
        bake.series(name, [getattr(one, name) for one in measurements], checkpoint=checkpoints)
        bake.metric(name, getattr(measurements[-1], name), better="higher")
    for head, weight in enumerate(measurements[-1].row_weight_by_head.tolist(), start=1):
        bake.metric(f"row_weight_head_{head}", weight)


@torch.no_grad()
def record_example(bake: Bake, model: LabelReader, example: Tables, maps: Mapping[int, Tensor]) -> None:
    """One table, what each latent answers, and where it looks."""
    num_latents = bake.parameters["num_latents"]
    labels, digits = (each[0].tolist() for each in example)
    rows, asked = [f"{LABELS[label]}{digit}" for label, digit in zip(labels, digits, strict=True)], LABELS[:num_latents]
    found = model(*example)
    told = {
        "rows": rows,
        "label_numbers": labels,
        "digits": digits,
        "asked": list(asked),
        "places": example.places(num_latents)[0].tolist(),
        "answers": found.logits[0].argmax(dim=-1).tolist(),
    }
    bake.example("table", told)
    coordinates = {"latent": list(asked), "input": rows}
    bake.series("cross_attention", torch.stack(list(maps.values())), checkpoint=list(maps), **coordinates)
    bake.series("self_attention", found.self_attention[0], latent=list(asked), other=list(asked))
    bake.probe(
        "labelReader",
        {"labels": example.labels, "digits": example.digits, "num_heads": bake.parameters["num_heads"]},
        found._asdict(),
        checkpoint=bake.parameters["steps"],
    )


def record_lengths(bake: Bake, model: LabelReader) -> None:
    """The same latents read tables of other lengths: how many rows there are is in no weight."""
    given = bake.parameters
    found = [
        measure(model, long_tables(bake.seed, given["num_latents"], length, given["long_tables"])) for length in LENGTHS
    ]
    bake.series("accuracy_by_length", [one.accuracy for one in found], length=LENGTHS)
    bake.series("row_weight_by_length", [one.row_weight for one in found], length=LENGTHS)


# ---------------------------------------------------------------------------------------------------- stills


@learned_queries.draw(
    "interface",
    size=(6.4, 2.7),
    alt="Six latents are rows, twenty-four inputs are columns. Each latent, asked for one of the labels a to f, puts "
    "most of its weight on the one input that has it.",
)
def draw_interface(run: Run, axes: Axes) -> None:
    draw_reading(run, axes, -1, f"after {run.parameters['steps']} steps, both heads averaged")


@learned_queries.draw(
    "before",
    size=(6.4, 2.7),
    alt="The same six latents before training: each spreads its weight over all twenty-four inputs.",
)
def draw_before(run: Run, axes: Axes) -> None:
    draw_reading(run, axes, 0, "before training, both heads averaged")


def draw_reading(run: Run, axes: Axes, place: int, title: str) -> None:
    """The rectangular map at the `place`-th checkpoint, the true input of each latent framed."""
    width, height = drawing.card(axes)
    series, table = run.series["cross_attention"], run.examples["table"]
    checkpoint = range(series.shape[0])[place]
    weights = averaged(series.rows(checkpoint, head) for head in range(series.shape[1]))
    left, top = 0.95, height - 0.85
    cell = (width - left - 0.15) / len(weights[0])
    drawing.write(axes, 0.15, height - 0.22, title, align="left", bold=True)
    drawing.write(axes, left, height - 0.5, "inputs: a label and a digit each", size=drawing.SMALL, color=drawing.SOFT,
                  align="left")  # fmt: skip
    names = [f"asks {label}" for label in table["asked"]]
    drawing.heat_map(axes, left, top, cell, weights, queries=names, values=False)
    for row, column in enumerate(table["places"]):
        corner = (left + column * cell, top - (row + 1) * cell)
        axes.add_patch(Rectangle(corner, cell, cell, facecolor="none", edgecolor=MARK, linewidth=1.2, zorder=4))
    for column, name in enumerate(table["rows"]):
        x, asked = left + (column + 0.5) * cell, column in table["places"]
        drawing.write(axes, x, top + 0.12, name, size=drawing.SMALL, color=drawing.KEY, bold=asked)
    answers = ",  ".join(f"{label} {digit}" for label, digit in zip(table["asked"], table["answers"], strict=True))
    words = f"answers: {answers}" if place else "framed: the input that each latent is asked for"
    drawing.write(axes, left, top - len(weights) * cell - 0.24, words, align="left", bold=bool(place))
