"""Act 6: a Transformer of one block each way learns to reverse six digits, and its cross-attention shows how."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch
from matplotlib.axes import Axes
from torch import Tensor

from models.attention import drawing
from models.attention.anatomy import parameter_counts, shapes
from models.attention.reversal import (
    LENGTH,
    Measurement,
    batch,
    fresh_strings,
    measure,
    reverser,
    train,
    trained_strings,
)
from models.attention.transformer import Transformer
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run

EXAMPLE = (7, 2, 5, 0, 8, 3)
CHECKPOINTS = (0, 1, 2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 192, 256, 384, 600)  # dense where the map turns
START = "start"  # how the start token is written …
SIGNS = {START: "▶"}  # … and drawn, where there is no room for the word
PROBED = 3  # fresh strings that the probe holds beside the example


@recipe(
    "reverse-digits",
    act=6,
    seed=0,
    reference="models.reference.transformer:Reverser",
    headline="exact_match",
    parameters={
        "steps": 600,
        "batch_size": 128,
        "learning_rate": 0.007,
        "clip": 1.0,
        "num_hiddens": 16,
        "num_heads": 2,
        "ffn_num_hiddens": 32,
        "num_blocks": 1,
        "fresh_strings": 1000,
    },
    loss=exact("step"),
    heldout_loss=drawn("checkpoint"),
    exact_match=exact("checkpoint"),
    teacher_forced_accuracy=drawn("checkpoint"),
    mirror_share=drawn("checkpoint"),
    mirror_share_by_head=drawn("head"),
    mirror_weight_by_head=drawn("head"),
    encoder_attention=drawn("checkpoint", "head", "query", "key"),
    decoder_attention=drawn("checkpoint", "head", "query", "key"),
    cross_attention=drawn("checkpoint", "head", "query", "key"),
    decode_probabilities=drawn("position", "digit"),
    decode_attention=drawn("head", "query", "key"),
)
def reverse_digits(bake: Bake) -> None:
    """Train on random strings, look at the model on a ladder of steps, and test it on strings it never saw.

    The seed is the first of 0, 1, 2, … with which (1) the loss trace agrees to 1e-10 between the pinned environment
    and the machine's fastest path, (2) all fresh strings are reversed, (3) at least 0.99 of the cross-attention's rows
    peak on the mirror position, heads averaged, and (4) the example is no string of the training. 0 passed all four.
    """
    given = bake.parameters
    sizes = {name: given[name] for name in ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")}
    model = reverser(bake.seed, **sizes)
    trained = trained_strings(bake.seed, given["steps"], given["batch_size"])
    fresh = fresh_strings(bake.seed, given["fresh_strings"], trained)
    example = torch.tensor([EXAMPLE])

    losses, seen, maps, decodes = [], {}, {}, {}
    updates = train(
        model,
        bake.seed,
        steps=given["steps"],
        batch_size=given["batch_size"],
        learning_rate=given["learning_rate"],
        max_norm=given["clip"],
    )
    for step, loss in enumerate(updates):
        losses.append(loss)
        bake.progress(step, given["steps"], loss=loss)
        if step in CHECKPOINTS:
            seen[step] = measure(model, fresh.sources)
            maps[step] = attention_maps(model, example)
            decodes[str(step)] = "".join(names(model.greedy_decode(example, LENGTH)[0].tolist()))
        if step in (0, given["steps"]):
            bake.weights(step, model.state_dict())

    record_training(bake, losses, seen)
    record_measurement(bake, seen[given["steps"]])
    record_maps(bake, maps)
    record_decoding(bake, model, example)
    bake.metric("parameters", sum(parameter.numel() for parameter in model.parameters()))
    bake.metric("trained_strings", len(trained), unit="strings")
    bake.metric("fresh_strings", len(fresh.sources), unit="strings")
    bake.metric("fresh_excluded", fresh.excluded, unit="strings")
    bake.example("tokens", {"source": list(EXAMPLE), "target": list(reversed(EXAMPLE)), "start": START})
    bake.example("decodes", decodes)
    bake.example("failures", failures(fresh.sources, seen[given["steps"]].written))
    bake.example("parameter_counts", parameter_counts(model))
    bake.example("shapes", shapes(model, batch(bake.seed, 0, given["batch_size"])))
    record_probe(bake, model, torch.cat([example, fresh.sources[:PROBED]]))


def record_training(bake: Bake, losses: list[float], seen: dict[int, Measurement]) -> None:
    checkpoints, measurements = list(seen), list(seen.values())
    bake.series("loss", losses)
    bake.series("heldout_loss", [one.loss for one in measurements], checkpoint=checkpoints)
    bake.series("exact_match", [one.exact_match for one in measurements], checkpoint=checkpoints)
    accuracies = [one.teacher_forced_accuracy for one in measurements]
    bake.series("teacher_forced_accuracy", accuracies, checkpoint=checkpoints)
    bake.series("mirror_share", [one.mirror_share for one in measurements], checkpoint=checkpoints)
    bake.metric("loss_first", losses[0], unit="nats a digit", better="lower")
    bake.metric("loss_last", losses[-1], unit="nats a digit", better="lower")
    for step, measurement in seen.items():
        if measurement.exact_match == 1:
            bake.metric("first_checkpoint_perfect", step, unit="updates", better="lower")
            break


def record_measurement(bake: Bake, last: Measurement) -> None:
    heads = range(1, len(last.mirror_share_by_head) + 1)
    bake.series("mirror_share_by_head", last.mirror_share_by_head, head=heads)
    bake.series("mirror_weight_by_head", last.mirror_weight_by_head, head=heads)
    bake.metric("exact_match", last.exact_match, better="higher")
    bake.metric("mirror_argmax_share", last.mirror_share, better="higher")
    bake.metric("mirror_mean_weight", last.mirror_weight, better="higher")


def record_maps(bake: Bake, maps: dict[int, Maps]) -> None:
    """All three attentions on the example, teacher forced. In the decoder's, a row is named by what it is given; in
    the cross-attention, by what it is to write.
    """
    read, given, written = names(EXAMPLE), [START, *names(EXAMPLE[:0:-1])], names(reversed(EXAMPLE))
    labels = {
        "encoder_attention": (read, read),
        "decoder_attention": (given, given),
        "cross_attention": (written, read),
    }
    for name, (queries, keys) in labels.items():
        stacked = torch.stack([getattr(one, name) for one in maps.values()])  # (checkpoint, head, query, key)
        heads = range(1, stacked.shape[1] + 1)
        bake.series(name, stacked, checkpoint=list(maps), head=heads, query=queries, key=keys)


@torch.no_grad()
def record_decoding(bake: Bake, model: Transformer, example: Tensor) -> None:
    """What the trained model thinks at each position while it writes on its own: as a decoder never looks ahead,
    that is what it thinks when its own writing is dictated to it.
    """
    written = model.greedy_decode(example, LENGTH)
    prediction = model(example, model.shift(written))
    attention = prediction.cross_attention[0, -1]  # (head, query, key)
    bake.series("decode_probabilities", prediction.logits[0].softmax(dim=-1), position=range(1, LENGTH + 1))
    heads = range(1, len(attention) + 1)
    bake.series("decode_attention", attention, head=heads, query=names(written[0].tolist()), key=names(EXAMPLE))


@torch.no_grad()
def record_probe(bake: Bake, model: Transformer, sources: Tensor) -> None:
    inputs = model.shift(sources.flip(1))
    given = {"source": sources, "inputs": inputs, "num_heads": bake.parameters["num_heads"]}
    bake.probe("encoderDecoder", given, model(sources, inputs)._asdict(), checkpoint=bake.parameters["steps"])


class Maps(NamedTuple):
    """The attention of the last block on one string, (head, query, key) each."""

    encoder_attention: Tensor
    decoder_attention: Tensor
    cross_attention: Tensor


@torch.no_grad()
def attention_maps(model: Transformer, source: Tensor) -> Maps:
    """source: (1, LENGTH), written under a teacher."""
    _, *maps = model(source, model.shift(source.flip(1)))
    return Maps(*(weights[0, -1] for weights in maps))


def names(tokens: Iterable[int]) -> list[str]:
    return [str(token) for token in tokens]


def failures(sources: Tensor, written: Tensor, most: int = 10) -> list[dict[str, str]]:
    """The first strings that came out wrong, and what was written instead of their mirror."""
    wrong = (written != sources.flip(1)).any(dim=1).nonzero().flatten().tolist()
    return [
        {"source": "".join(names(sources[i].tolist())), "written": "".join(names(written[i].tolist()))}
        for i in wrong[:most]
    ]


@reverse_digits.draw(
    "final-map",
    size=(6.4, 5.5),
    alt="Loss over the updates, on logarithmic scales: a slow start, a fall between 32 and 100 updates, then almost "
    "nothing. Below, the trained cross-attention of both heads: an anti-diagonal, so that the first digit written "
    "reads the last digit of the source, and so on.",
)
def final_map(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    losses = run.series["loss"].values
    chart = drawing.chart(axes, 0.75, height - 2.05, width - 1.6, 1.6)
    drawing.curve(chart, range(len(losses)), losses)
    chart.set_xscale("symlog", linthresh=1, linscale=0.4)
    chart.set_yscale("log")
    chart.set_xlim(0, len(losses) - 1)
    drawing.ticks(chart.xaxis, [0, 1, 4, 16, 64, 256, len(losses) - 1])
    drawing.ticks(chart.yaxis, [1, 0.1, 0.01, 0.001])
    drawing.write(axes, 0.75, height - 0.25, "loss, nats a digit", align="left", bold=True)
    chart.plot(len(losses) - 1, losses[-1], "o", color=drawing.INK, markersize=4, clip_on=False)
    drawing.write(axes, width - 0.77, height - 2.05 + 0.06, f"{losses[-1]:.4f}", align="left", bold=True)
    drawing.write(axes, width - 0.64, height - 2.22, "updates", align="left", color=drawing.SOFT, size=drawing.SMALL)

    attention, cell, top = run.series["cross_attention"], 0.4, height - 2.95
    queries, keys = attention.coordinates["query"], attention.coordinates["key"]
    for head, left in enumerate((0.75, 3.65)):
        weights = list(attention.rows(attention.shape[0] - 1, head))
        drawing.heat_map(axes, left, top, cell, weights, queries=queries, keys=keys)
        drawing.write(axes, left, top + 0.38, f"head {head + 1}", align="left", bold=True)
    drawing.write(axes, 0.75 + 6 * cell, top + 0.38, "digits read", align="right", color=drawing.KEY)
    drawing.write(axes, 0.34, top - 3 * cell, "digits written", color=drawing.QUERY, rotation=90)


@reverse_digits.draw(
    "masks",
    size=(6.4, 2.55),
    alt="Three attention maps of the trained model, the heads averaged. In the encoder's and in the cross-attention "
    "every cell is open; in the decoder's own the cells right of the diagonal are hatched, as they are masked. The "
    "cross-attention is an anti-diagonal.",
)
def masks(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    for left, name, title in (
        (0.4, "encoder_attention", "encoder"),
        (2.5, "decoder_attention", "decoder"),
        (4.6, "cross_attention", "cross-attention"),
    ):
        attention, cell, top = run.series[name], 0.27, height - 0.65
        queries, keys = (
            [SIGNS.get(token, token) for token in attention.coordinates[axis]] for axis in ("query", "key")
        )
        causal = name == "decoder_attention"
        weights = averaged(attention.rows(attention.shape[0] - 1, head) for head in range(attention.shape[1]))
        drawing.heat_map(axes, left, top, cell, weights, queries=queries, keys=keys, causal=causal, values=False)
        drawing.write(axes, left, top + 0.4, title, align="left", bold=True)
    drawing.write(axes, 2.5, 0.12, f"{SIGNS[START]} start token", align="left", size=drawing.SMALL, color=drawing.SOFT)


@reverse_digits.draw(
    "decode",
    size=(6.4, 3.6),
    alt="The source digits above, the written digits below, and between them the cross-attention, heads averaged: the "
    "thickest line of each written digit leads to its mirror position. Under each written digit stand the three "
    "likeliest digits with their probabilities; the first of them is all but certain.",
)
def decode(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    attention, probabilities = run.series["decode_attention"], run.series["decode_probabilities"]
    source, written = attention.coordinates["key"], attention.coordinates["query"]
    weights = averaged(attention.rows(head) for head in range(attention.shape[0]))
    xs = [1.3 + 0.92 * i for i in range(len(source))]
    read_y, write_y = height - 0.4, height - 2.2
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            drawing.strand(axes, (xs[i], write_y + 0.2), (xs[j], read_y - 0.2), weight)
    for x, digit in zip(xs, source, strict=True):
        drawing.token(axes, x, read_y, digit, drawing.KEY)
    for x, digit in zip(xs, written, strict=True):
        drawing.token(axes, x, write_y, digit, drawing.QUERY)
    drawing.write(axes, 0.2, read_y, "read", align="left", color=drawing.KEY)
    drawing.write(axes, 0.2, write_y, "written", align="left", color=drawing.QUERY)
    drawing.write(axes, 0.2, write_y - 0.5, "likeliest", align="left", color=drawing.SOFT)
    digits = probabilities.coordinates["digit"]
    for x, row in zip(xs, probabilities.rows(), strict=True):
        best = sorted(range(len(row)), key=lambda digit: -row[digit])[:3]
        for rank, digit in enumerate(best):
            y = write_y - 0.5 - 0.3 * rank
            drawing.write(axes, x - 0.32, y, str(digits[digit]), align="left", bold=rank == 0)
            drawing.write(
                axes, x + 0.36, y, f"{row[digit]:.4f}", align="right", color=drawing.INK if rank == 0 else drawing.SOFT
            )


def averaged(heads: Iterable[Iterable[list[float]]]) -> list[list[float]]:
    """(head, query, key) -> (query, key)."""
    return [[sum(cells) / len(cells) for cells in zip(*rows, strict=True)] for rows in zip(*heads, strict=True)]
