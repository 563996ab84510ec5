"""Act 4: an additive score learns, from one pair of phrases, which source word each word of a translation needs."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from matplotlib.axes import Axes
from torch import Tensor
from torch.nn.functional import cross_entropy

from models.attention import drawing
from models.attention.alignment import (
    CROSSED,
    DICTIONARY,
    ENGLISH,
    FRENCH,
    TRAINED,
    Aligner,
    Pair,
    Trial,
    held_out_trials,
    pair,
    peaks,
    probability_of_target,
    recall_from_one_vector,
    rows_right,
    share_translated,
    spell,
    train,
    trial,
    untrained,
)
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run

CHECKPOINTS = (0, 1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 80, 100)


@recipe(
    "bahdanau-alignment",
    act=4,
    seed=4,  # the number of the act
    reference="models.reference.alignment:Aligner",
    headline="lowest_weight",
    parameters={
        "steps": 100,
        "learning_rate": 0.05,
        "num_hiddens": 8,
        "meaning_size": 32,
        "sharpness": 6.0,
        "other_seeds": 20,
        "sentence_draws": 200,
        "sentence_vocabulary": 1000,
    },
    loss=exact("step"),
    attention=drawn("checkpoint", "query", "key"),
    probability=drawn("checkpoint", "query"),
    held_out_attention=drawn("phrase", "position", "key"),
    held_out_by_seed=exact("seed", "order"),
    bottleneck_recall=exact("width", "length"),
)
def alignment(bake: Bake) -> None:
    """Train the score on one pair; then look at the map, at phrases it never saw, and at one vector for all."""
    parameters = bake.parameters
    steps = parameters["steps"]
    sizes = {name: parameters[name] for name in ("num_hiddens", "meaning_size", "sharpness")}
    schedule = {name: parameters[name] for name in ("steps", "learning_rate")}
    trained = pair(TRAINED, CROSSED)
    aligner = untrained(bake.seed, **sizes)

    losses, maps, probabilities = [], [], []
    for step, (loss, weights) in enumerate(train(aligner, trained, **schedule)):
        bake.progress(step, steps, loss=loss)
        losses.append(loss)
        maps.append(weights)
        if step in CHECKPOINTS:
            probabilities.append(probability_of_target(aligner, trained))
        if step in (0, steps):
            bake.weights(step, aligner.state_dict())

    source, target = spell(ENGLISH, trained.source), spell(FRENCH, trained.target)
    bake.series("loss", losses, step=range(steps + 1))
    kept = torch.stack([maps[step] for step in CHECKPOINTS])
    bake.series("attention", kept, checkpoint=CHECKPOINTS, query=target, key=source)
    bake.series("probability", torch.stack(probabilities), checkpoint=CHECKPOINTS, query=target)
    record_training(bake, aligner, trained, losses, maps)
    record_held_out(bake, aligner)

    seeds = range(parameters["other_seeds"])
    by_seed = [held_out_shares(retrained(seed, trained, sizes, schedule)) for seed in seeds]
    bake.series("held_out_by_seed", by_seed, seed=seeds, order=["crossed", "straight"])
    bake.metric("held_out_rows_right_lowest", min(crossed for crossed, _ in by_seed), better="higher")
    bake.metric("held_out_rows_right_highest", max(crossed for crossed, _ in by_seed), better="higher")
    record_bottleneck(bake)


def retrained(seed: int, pair: Pair, sizes: dict, schedule: dict) -> Aligner:
    """The same experiment with other word vectors and other initial weights."""
    aligner = untrained(seed, **sizes)
    for _ in train(aligner, pair, **schedule):
        pass
    return aligner


def held_out_shares(aligner: Aligner) -> tuple[float, float]:
    crossed, straight = held_out_trials(aligner)
    return rows_right(crossed), rows_right(straight)


def record_training(bake: Bake, aligner: Aligner, trained: Pair, losses: list[float], maps: list[Tensor]) -> None:
    """What the scorer learned of the pair it was trained on, and when."""
    rows = range(len(trained.target))
    on_target = torch.stack(maps)[:, rows, list(trained.alignment)]  # (step, query)
    right = [all(peaks(weights, trained.alignment)) for weights in maps]
    final = trial(aligner, trained)
    exact_reading = aligner.read(aligner.vectors.words[list(trained.target)])
    bake.metric("parameters", sum(parameter.numel() for parameter in aligner.parameters()))
    bake.metric("loss_first", losses[0], unit="nats", better="lower")
    bake.metric("loss_last", losses[-1], unit="nats", better="lower")
    floor = cross_entropy(exact_reading, torch.tensor(trained.target)).item()
    bake.metric("loss_of_exact_alignment", floor, unit="nats", better="lower")
    bake.metric("rows_right", sum(final.rows) / len(final.rows), better="higher")
    bake.metric("translated", int(final.translated), better="higher")
    bake.metric("first_step_all_right", right.index(True), unit="step", better="lower")
    bake.metric("last_step_not_all_right", max(step for step, each in enumerate(right) if not each), unit="step")
    above = (on_target > 0.9).all(dim=1).tolist()
    bake.metric("first_step_above_90_percent", above.index(True), unit="step", better="lower")
    for row, name in enumerate(("la", "voiture", "rouge", "eos")):
        bake.metric(f"weight_{name}", on_target[-1, row].item(), better="higher")
    bake.metric("lowest_weight", on_target[-1].min().item(), better="higher")
    first_loss, first_weights = losses[0], maps[0]
    bake.metric("first_map_spread", (first_weights.max() - first_weights.min()).item(), better="lower")
    assert first_loss > losses[-1], "training made the loss fall"

    bake.example("pair", {**described(final), "alignment": list(trained.alignment)})
    bake.example("before_each_word", ["<bos>", *spell(FRENCH, trained.target[:-1])])
    bake.example("dictionary", [{"kind": k, "english": english, "french": french} for k, english, french in DICTIONARY])
    queries, keys = aligner.queries(trained.target[:-1]), aligner.keys(trained.source)
    scores = aligner.score(queries, keys).detach()
    weights = scores.softmax(dim=-1)
    bake.probe(
        "additiveAttention",
        {"queries": queries[0], "keys": keys[0], "values": keys[0]},
        {"scores": scores[0], "weights": weights[0], "outputs": (weights @ keys)[0]},
        checkpoint=bake.parameters["steps"],
    )


def described(outcome: Trial) -> dict:
    """A trial as words."""
    return {
        "source": spell(ENGLISH, outcome.pair.source),
        "target": spell(FRENCH, outcome.pair.target),
        "written": spell(FRENCH, outcome.written),
        "rows_right": list(outcome.rows),
        "translated": outcome.translated,
    }


def record_held_out(bake: Bake, aligner: Aligner) -> None:
    """Phrases it never saw, the right ones and the wrong ones."""
    crossed, straight = held_out_trials(aligner)
    phrases = [" ".join(spell(ENGLISH, each.pair.source[:-1])) for each in (*crossed, *straight)]
    weights = torch.stack([each.weights for each in (*crossed, *straight)])
    bake.series("held_out_attention", weights, phrase=phrases, position=range(4), key=range(4))
    for prefix, trials in (("held_out", crossed), ("other_order", straight)):
        bake.metric(f"{prefix}_phrases", len(trials))
        bake.metric(f"{prefix}_rows_right", rows_right(trials), better="higher")
        bake.metric(f"{prefix}_maps_right", sum(all(each.rows) for each in trials) / len(trials), better="higher")
        bake.metric(f"{prefix}_translated", share_translated(trials), better="higher")
        bake.example(prefix, [described(each) for each in trials])


def record_bottleneck(bake: Bake) -> None:
    """One fixed vector instead of a context for each word: what it can write, and what is left in it."""
    parameters = bake.parameters
    aligner = untrained(bake.seed, **{name: parameters[name] for name in ("num_hiddens", "meaning_size", "sharpness")})
    trained = pair(TRAINED, CROSSED)
    mean = aligner.keys(trained.source).mean(dim=1)  # (1, size)
    logits = aligner.read(mean).expand(len(trained.target), -1)
    targets = torch.tensor(trained.target)
    bake.metric("mean_vector_loss", cross_entropy(logits, targets).item(), unit="nats", better="lower")
    bake.metric("mean_vector_words_right", (logits.argmax(dim=-1) == targets).double().mean(), better="higher")
    # One vector gives all four rows one distribution, and no distribution is better for four words than a quarter each.
    bake.metric("one_vector_loss_bound", torch.tensor(4.0, dtype=torch.float64).log().item(), unit="nats")
    bake.metric("one_vector_words_bound", 1 / len(trained.target))

    widths, lengths = [16, 64, 256], [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
    draws, words = parameters["sentence_draws"], parameters["sentence_vocabulary"]
    recall = recall_from_one_vector(bake.seed, widths, lengths, draws, words)
    bake.series("bottleneck_recall", recall, width=widths, length=lengths)
    for row, width in enumerate(widths):
        bake.metric(f"recall_of_32_words_width_{width}", recall[row, -1].item(), better="higher")


# ------------------------------------------------------------------------------------------------- pictures


@alignment.draw(
    "bottleneck",
    size=(6.4, 3.3),
    alt="The share of a sentence's words that can be recovered from the mean of their vectors, against the sentence's "
    "length, for vectors of 16, 64 and 256 numbers: every curve falls as the sentence grows, the narrow one first.",
)
def draw_bottleneck(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    recall = run.series["bottleneck_recall"]
    lengths = recall.coordinates["length"]
    drawing.write(axes, 0.7, height - 0.25, "words recovered from one vector", align="left", bold=True)
    chart = drawing.chart(axes, 0.7, 0.55, width - 2.0, height - 1.05)
    for size, row in zip(recall.coordinates["width"], recall.rows(), strict=True):
        drawing.curve(chart, lengths, row)
        chart.plot(lengths[-1], row[-1], "o", color=drawing.INK, markersize=4, clip_on=False)
        chart.annotate(f"{size} numbers", (lengths[-1], row[-1]), (8, 0), textcoords="offset points", va="center",
                       size=drawing.TEXT, weight=600, annotation_clip=False)  # fmt: skip
    chart.set_xscale("log", base=2)
    chart.set_xlim(1, lengths[-1])
    chart.set_ylim(0, 1.02)
    drawing.ticks(chart.xaxis, [1, 2, 4, 8, 16, 32])
    drawing.ticks(chart.yaxis, [0, 0.25, 0.5, 0.75, 1])
    drawing.write(axes, (width - 0.6) / 2, 0.18, "words in the sentence", color=drawing.SOFT, size=drawing.SMALL)


@alignment.draw(
    "one-query",
    size=(6.4, 2.6),
    alt="The trained model is about to write voiture: the word before, la, is its query. Of the lines to the source "
    "words the red car and the end sign, only that to car is thick.",
)
def draw_one_query(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    attention = run.series["attention"]
    source, target = attention.coordinates["key"], attention.coordinates["query"]
    row = target.index("voiture")
    weights = [list(each) for each in attention.rows(attention.shape[0] - 1)]
    only = [each if i == row else [0.0] * len(each) for i, each in enumerate(weights)]
    draw_strands(axes, source, target, only, left=1.75, width=4.1, top=height - 0.75, depth=1.2, lit=row)
    for x, weight in zip(spread(1.75, 4.1, len(source)), weights[row], strict=True):
        drawing.write(axes, x, height - 0.33, f"{weight:.2f}", size=drawing.SMALL, bold=weight > 0.5)
    before = run.examples["before_each_word"][row]
    drawing.write(axes, 0.25, height - 0.33, "weights", align="left", color=drawing.SOFT)
    drawing.write(axes, 0.25, height - 0.75, "keys, values", align="left", color=drawing.KEY)
    drawing.write(axes, 0.25, height - 1.95, "written next", align="left", color=drawing.QUERY)
    drawing.write(axes, 0.25, height - 2.3, f"query: the vector of the word before, {before}", align="left",
                  color=drawing.SOFT, size=drawing.SMALL)  # fmt: skip


@alignment.draw(
    "training",
    size=(6.4, 4.6),
    alt="The loss falls from that of an even map to nearly that of an exact one. Below, the attention map at four "
    "moments: even, hesitating, crossed, and sharp, with rouge on red and voiture on car.",
)
def draw_training(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    losses = run.series["loss"].values
    floor = run.metrics["loss_of_exact_alignment"].value
    drawing.write(axes, 0.75, height - 0.25, "loss, nats a word", align="left", bold=True)
    chart = drawing.chart(axes, 0.75, height - 2.05, width - 1.75, 1.6)
    drawing.curve(chart, range(len(losses)), losses)
    chart.axhline(floor, color=drawing.VALUE, linewidth=1, linestyle=(0, (4, 3)))
    chart.set_xlim(0, len(losses) - 1)
    chart.set_ylim(0, 2.3)
    drawing.ticks(chart.xaxis, [0, 20, 40, 60, 80, 100])
    drawing.ticks(chart.yaxis, [0, 1, 2])
    chart.plot(len(losses) - 1, losses[-1], "o", color=drawing.INK, markersize=4, clip_on=False)
    drawing.write(axes, width - 0.9, height - 1.86, f"{losses[-1]:.3f}", align="left", bold=True)
    drawing.write(axes, width - 1.0, height - 1.72, "exact map", align="right", color=drawing.VALUE, size=drawing.SMALL)
    drawing.write(axes, width - 0.85, height - 2.22, "updates", align="left", color=drawing.SOFT, size=drawing.SMALL)

    attention = run.series["attention"]
    steps = attention.coordinates["checkpoint"]
    top, cell = height - 3.15, 0.32
    for place, step in enumerate((0, 11, 16, steps[-1])):
        left = 0.75 + place * 1.42
        weights = list(attention.rows(steps.index(step)))
        queries = attention.coordinates["query"] if place == 0 else ()
        drawing.heat_map(axes, left, top, cell, weights, queries=queries, values=False)
        for j, key in enumerate(attention.coordinates["key"]):
            drawing.write(
                axes, left + (j + 0.5) * cell, top + 0.12, key, color=drawing.KEY, bold=True, size=drawing.SMALL
            )
        drawing.write(axes, left, top + 0.4, f"update {step}", align="left", bold=True)
        chart.axvline(step, color=drawing.LINE, linewidth=0.8, zorder=0)


@alignment.draw(
    "crossing",
    size=(6.4, 2.6),
    alt="Before training every French word draws on all English words alike. After it the lines cross: voiture draws "
    "on car, rouge on red.",
)
def draw_crossing(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    attention = run.series["attention"]
    source, target = attention.coordinates["key"], attention.coordinates["query"]
    for left, place, title in ((0.35, 0, "before"), (3.6, attention.shape[0] - 1, "after")):
        drawing.write(axes, left - 0.1, height - 0.25, title, align="left", bold=True)
        weights = list(attention.rows(place))
        draw_strands(axes, source, target, weights, left=left, width=2.4, top=height - 0.8, depth=1.5)


@alignment.draw(
    "held-out",
    size=(6.4, 3.3),
    alt="Three phrases that were not trained on. The first map is right. In the second some rows peak on the wrong "
    "word. In the third, whose French keeps the English order, the model still crosses adjective and noun.",
)
def draw_held_out(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    right, wrong, other = shown_phrases(run)
    for place, (title, outcome) in enumerate((("right", right), ("wrong", wrong), ("another order", other))):
        left, top, cell = 0.78 + place * 2.05, height - 1.1, 0.31
        weights = held_out_map(run, outcome)
        drawing.heat_map(axes, left, top, cell, weights, values=False)
        for i, (word, hit) in enumerate(zip(outcome["target"], outcome["rows_right"], strict=True)):
            y = top - (i + 0.5) * cell
            drawing.write(axes, left - 0.07, y, word, color=drawing.QUERY, bold=True, align="right", size=drawing.SMALL)
            if not hit:
                drawing.write(axes, left + 4 * cell + 0.07, y, "×", align="left", bold=True)
        for j, word in enumerate(outcome["source"]):
            y = top + 0.08
            axes.text(left + (j + 0.45) * cell, y, word, rotation=35, color=drawing.KEY, size=drawing.SMALL,
                      weight=600, ha="left", va="bottom", rotation_mode="anchor")  # fmt: skip
        drawing.write(axes, left, height - 0.25, title, align="left", bold=True)
        written = " ".join(outcome["written"])
        drawing.write(axes, left - 0.6, top - 4 * cell - 0.3, "it writes", align="left", color=drawing.SOFT,
                      size=drawing.SMALL)  # fmt: skip
        drawing.write(axes, left - 0.6, top - 4 * cell - 0.52, written, align="left", size=drawing.SMALL, bold=True)


def shown_phrases(run: Run) -> tuple[dict, dict, dict]:
    """By rule: the first unseen phrase that is translated, the first that is not and misreads its adjective, and the
    first of the other order."""
    trials = run.examples["held_out"]
    right = next(each for each in trials if each["translated"])
    wrong = next(each for each in trials if not each["translated"] and not each["rows_right"][2])
    return right, wrong, run.examples["other_order"][0]


def held_out_map(run: Run, outcome: dict) -> list[list[float]]:
    weights = run.series["held_out_attention"]
    phrase = weights.coordinates["phrase"].index(" ".join(outcome["source"][:-1]))
    return [list(row) for row in weights.rows(phrase)]


def spread(left: float, width: float, count: int) -> list[float]:
    return [left + width * place / (count - 1) for place in range(count)]


def draw_strands(
    axes: Axes,
    source: Sequence[str],
    target: Sequence[str],
    weights: Sequence[Sequence[float]],
    *,
    left: float,
    width: float,
    top: float,
    depth: float,
    lit: int | None = None,
) -> None:
    """Source words above, target words below, and between them a strand for each weight. `lit` fades all others."""
    xs = spread(left, width, len(source))
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            drawing.strand(axes, (xs[i], top - depth + 0.17), (xs[j], top - 0.17), weight)
    for x, word in zip(xs, source, strict=True):
        drawing.write(axes, x, top, word, color=drawing.KEY, bold=True, size=11)
    for i, (x, word) in enumerate(zip(xs, target, strict=True)):
        color = drawing.QUERY if lit in (None, i) else drawing.SOFT
        drawing.write(axes, x, top - depth, word, color=color, bold=lit in (None, i), size=11)
