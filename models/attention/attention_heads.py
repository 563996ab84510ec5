"""Act 5: the heads of act 6's trained Transformer, each named by a formula, and what a shuffle does to its block."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import torch
from matplotlib.axes import Axes
from torch import Tensor

from models.attention import drawing
from models.attention.charts import raster
from models.attention.heads import (
    ATTENTIONS,
    FORMULAS,
    asked_cells,
    attention_maps,
    encode_block,
    mean_entropy,
    share_by_chance,
    share_on,
    shuffle_differences,
    tags,
    visible_keys,
)
from models.attention.reversal import LENGTH, fresh_strings, reverser, trained_strings
from models.attention.transformer import Transformer
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run

NEEDED = "reverse-digits"
PLACES = tuple(range(1, LENGTH + 1))
SHUFFLE = (3, 5, 0, 4, 1, 2)  # place i gets the token that stood in place SHUFFLE[i]
POSITIONS = ("without", "with")
OF_THE_ENCODER = ("positions", "source_embedding.", "encoder.")
TITLES = {"encoder": "encoder", "decoder": "decoder", "cross": "cross-attention"}


@recipe(
    "attention-heads",
    act=5,
    seed=0,  # nothing is drawn at random here: weights and strings are those of the needed run
    reference="models.reference.transformer:EncoderBlock",
    headline="cross_2_share",
    parameters={"strings": 1000},
    needs=("reverse-digits",),
    maps=drawn("attention", "head", "query", "key"),
    mean_maps=drawn("attention", "head", "query", "key"),
    share=exact("attention", "head", "formula"),
    chance=exact("attention", "formula"),
    entropy=exact("attention", "head"),
    normalised_entropy=exact("attention", "head"),
    shuffle_attention=drawn("positions", "order", "head", "query", "key"),
    shuffle_output=drawn("positions", "order", "place", "feature"),
    shuffle_difference=exact("positions", "place"),
)
def attention_heads(bake: Bake) -> None:
    """Look at all heads on the example and on 1,000 fresh strings; then shuffle the example in every way."""
    run = bake.need(NEEDED)
    given = run.parameters
    steps = given["steps"]
    sizes = {name: given[name] for name in ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")}
    model = reverser(run.seed, **sizes)
    weights = {name: torch.from_numpy(array) for name, array in bake.need_weights(NEEDED, steps).items()}
    model.load_state_dict(weights)
    example = torch.tensor(run.examples["tokens"]["source"])
    trained = trained_strings(run.seed, steps, given["batch_size"])
    strings = fresh_strings(run.seed, bake.parameters["strings"], trained).sources

    record_heads(bake, model, example, strings)
    record_shuffle(bake, model, example)
    used = {name: tensor for name, tensor in weights.items() if name.startswith(OF_THE_ENCODER)}
    bake.weights(steps, used)
    tokens = torch.stack([example, example[list(SHUFFLE)]])
    bare, bare_maps = encode_block(model, tokens, positions=False)
    placed, placed_maps = encode_block(model, tokens, positions=True)
    bake.probe(
        "encoderBlock",
        {"tokens": tokens, "num_heads": given["num_heads"]},
        {"without": bare, "with": placed, "attention_without": bare_maps, "attention_with": placed_maps},
        checkpoint=steps,
    )


def record_heads(bake: Bake, model: Transformer, example: Tensor, strings: Tensor) -> None:
    """Every head of every attention, measured on fresh strings and tagged by the formula it exceeds chance by most."""
    maps = attention_maps(model, strings)  # (string, attention, head, query, key)
    heads = range(1, maps.shape[2] + 1)
    cells = {"attention": ATTENTIONS, "head": heads, "query": PLACES, "key": PLACES}
    bake.series("maps", attention_maps(model, example[None])[0], **cells)
    bake.series("mean_maps", maps.mean(dim=0), **cells)

    shares, chances, nats, spreads, found = [], [], [], [], {}
    for place, attention in enumerate(ATTENTIONS):
        visible = visible_keys(attention, LENGTH)
        asked = [asked_cells(formula, visible) for formula in FORMULAS]
        share = torch.stack([share_on(maps[:, place], each) for each in asked], dim=1)  # (head, formula)
        chance = torch.stack([share_by_chance(visible, each) for each in asked])  # (formula,)
        entropy, spread = mean_entropy(maps[:, place], visible)
        found[attention] = tags(share, chance)
        for head, tag in enumerate(found[attention]):
            formula = list(FORMULAS).index(tag)
            bake.metric(f"{attention}_{head + 1}_share", share[head, formula].item())
            bake.metric(f"{attention}_{head + 1}_chance", chance[formula].item())
            bake.metric(f"{attention}_{head + 1}_entropy", entropy[head].item(), unit="nats")
            bake.metric(f"{attention}_{head + 1}_normalised_entropy", spread[head].item())
        shares.append(share)
        chances.append(chance)
        nats.append(entropy)
        spreads.append(spread)
    formulas = list(FORMULAS)
    bake.series("share", torch.stack(shares), attention=ATTENTIONS, head=heads, formula=formulas)
    bake.series("chance", torch.stack(chances), attention=ATTENTIONS, formula=formulas)
    bake.series("entropy", torch.stack(nats), attention=ATTENTIONS, head=heads)
    bake.series("normalised_entropy", torch.stack(spreads), attention=ATTENTIONS, head=heads)
    bake.metric("strings", len(strings))
    bake.example("tags", found)
    read, written = names(example), names(example.flip(0))
    bake.example("tokens", {
        "encoder": {"query": read, "key": read},
        "decoder": {"query": ["start", *written[:-1]], "key": ["start", *written[:-1]]},
        "cross": {"query": written, "key": read},
    })  # fmt: skip
    sharpest = int(spreads[0].argmin()) + 1
    bake.example("one_head", {"attention": "encoder", "head": sharpest, "rule": "the encoder's head of least entropy"})


def record_shuffle(bake: Bake, model: Transformer, example: Tensor) -> None:
    """One shuffle to look at; and the largest and the smallest difference over all shuffles that move a token."""
    orders = torch.tensor(list(permutations(range(LENGTH))))
    moved = (orders != torch.arange(LENGTH)).any(dim=1)
    shuffled = example[list(SHUFFLE)]
    heads = range(1, model.encoder[0].attention.num_heads + 1)
    order_names = ("before", "after")
    maps, outputs, by_place = [], [], []
    for name in POSITIONS:
        seen = [encode_block(model, tokens[None], positions=name == "with") for tokens in (example, shuffled)]
        outputs.append(torch.stack([output[0] for output, _ in seen]))
        maps.append(torch.stack([weights[0] for _, weights in seen]))
        by_place.append(shuffle_differences(model, example, torch.tensor([SHUFFLE]), positions=name == "with")[0])
        largest = shuffle_differences(model, example, orders[moved], positions=name == "with").amax(dim=1)
        bake.metric(f"shuffle_{name}_largest", largest.max().item())
        bake.metric(f"shuffle_{name}_smallest", largest.min().item())
    cells = {"positions": POSITIONS, "order": order_names}
    bake.series("shuffle_attention", torch.stack(maps), **cells, head=heads, query=PLACES, key=PLACES)
    bake.series("shuffle_output", torch.stack(outputs), **cells, place=PLACES, feature=range(outputs[0].shape[-1]))
    bake.series("shuffle_difference", torch.stack(by_place), positions=POSITIONS, place=PLACES)
    bake.metric("shuffles", int(moved.sum()))
    bake.metric("output_size", outputs[0].abs().max().item())
    bake.example("shuffle", {"order": list(SHUFFLE), "before": names(example), "after": names(shuffled)})


def names(tokens: Tensor) -> list[str]:
    return [str(token) for token in tokens.tolist()]


# ------------------------------------------------------------------------------------------------- pictures


@attention_heads.draw(
    "one-head",
    size=(6.4, 3.5),
    alt="One head of the trained encoder reading 7 2 5 0 8 3. Every digit stands in a row, as query, and in a column, "
    "as key. The darkest cell of most rows is the digit's own.",
)
def draw_one_head(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    chosen = run.examples["one_head"]
    maps, tokens = run.series["maps"], run.examples["tokens"][chosen["attention"]]
    weights = rows_of(run, "maps", ATTENTIONS.index(chosen["attention"]), chosen["head"] - 1)
    cell, left, top = 0.4, 0.75, height - 0.85
    drawing.heat_map(axes, left, top, cell, weights, queries=tokens["query"], keys=tokens["key"])
    drawing.write(axes, left, top + 0.5, f"encoder, head {chosen['head']}", align="left", bold=True)
    drawing.write(axes, 0.34, top - 3 * cell, "as queries", color=drawing.QUERY, rotation=90)
    drawing.write(axes, left + 6 * cell, top + 0.5, "as keys", color=drawing.KEY, align="right")
    xs = [3.85 + 0.45 * place for place in range(maps.shape[-1])]
    high, low = top - 0.35, top - 2.05
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            drawing.strand(axes, (xs[i], low + 0.18), (xs[j], high - 0.18), weight)
    for x, key, query in zip(xs, tokens["key"], tokens["query"], strict=True):
        drawing.token(axes, x, high, key, drawing.KEY, size=0.34)
        drawing.token(axes, x, low, query, drawing.QUERY, size=0.34)


@attention_heads.draw(
    "all-heads",
    size=(6.4, 5.1),
    alt="Six maps, each the mean over many strings: two heads of the encoder, two of the decoder, two of the "
    "cross-attention. Only those of the cross-attention are sharp, along the anti-diagonal. Under each stands the "
    "formula that fits it best, with its share, the share of chance, and the entropy.",
)
def draw_all_heads(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    cell = 0.26
    share, chance, spread = (run.series[name] for name in ("share", "chance", "normalised_entropy"))
    for column, attention in enumerate(ATTENTIONS):
        for head in range(share.shape[1]):
            left, top = 0.3 + 2.05 * column, height - 0.55 - 2.5 * head
            weights = rows_of(run, "mean_maps", column, head)
            drawing.heat_map(axes, left, top, cell, weights, causal=attention == "decoder", values=False)
            drawing.write(axes, left, top + 0.2, f"{TITLES[attention]}, head {head + 1}", align="left", bold=True)
            tag = run.examples["tags"][attention][head]
            formula = list(FORMULAS).index(tag)
            had, even = share.at(column, head)[formula], chance.at(column)[formula]
            below = top - LENGTH * cell
            drawing.write(axes, left, below - 0.17, f"{tag} {had:.2f}", align="left", bold=True)
            drawing.write(axes, left + 0.92, below - 0.17, f"chance {even:.2f}", align="left", color=drawing.SOFT,
                          size=drawing.SMALL)  # fmt: skip
            drawing.write(axes, left, below - 0.37, f"entropy {spread.at(column, head)[0]:.2f} of 1", align="left",
                          color=drawing.SOFT, size=drawing.SMALL)  # fmt: skip


@attention_heads.draw(
    "shuffle",
    size=(6.4, 3.9),
    alt="The outputs of the encoder's block for six digits, sixteen features each: shuffled before the block, shuffled "
    "after it, and the difference. Without positions there is none but rounding; with positions it is large.",
)
def draw_shuffle(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    shuffle, outputs = run.examples["shuffle"], run.series["shuffle_output"]
    before, after = (" ".join(shuffle[order]) for order in ("before", "after"))
    drawing.write(axes, 0.2, height - 0.2, f"{before}, shuffled to {after}", align="left", bold=True)
    left, pitch, wide, high = 0.5, 1.98, 1.84, 1.14
    for column, title in enumerate(("shuffle, then the block", "the block, then shuffle", "difference")):
        drawing.write(axes, left + column * pitch, height - 0.5, title, align="left", color=drawing.SOFT)
    most = max(abs(value) for value in outputs.values)
    for place, positions in enumerate(POSITIONS):
        straight, first = (rows_of(run, "shuffle_output", place, order) for order in (0, 1))
        last = [straight[origin] for origin in shuffle["order"]]
        apart = [[abs(a - b) for a, b in zip(*rows, strict=True)] for rows in zip(first, last, strict=True)]
        top = height - 0.95 - 1.6 * place
        drawing.write(axes, 0.2, top + 0.14, f"{positions} positions", align="left", bold=True)
        largest = max(run.series["shuffle_difference"].at(place))
        drawing.write(axes, left + 2 * pitch, top + 0.14, "largest:", align="left", color=drawing.SOFT,
                      size=drawing.SMALL)  # fmt: skip
        write_number(axes, left + 2 * pitch + 0.5, top + 0.14, largest)
        for column, (rows, low) in enumerate(((first, -most), (last, -most), (apart, 0.0))):
            inner = raster(axes, left + column * pitch, top - high, wide, high, rows, low=low, high=most,
                           extent=(0, len(rows[0]), len(rows), 0))  # fmt: skip
            inner.set(xticks=(), yticks=())
        for row, token in enumerate(shuffle["after"]):
            y = top - (row + 0.5) * high / len(first)
            drawing.write(axes, left - 0.12, y, token, align="right", size=drawing.SMALL, bold=True)


def rows_of(run: Run, series: str, *indices: int) -> Sequence[Sequence[float]]:
    return [list(row) for row in run.series[series].rows(*indices)]


def write_number(axes: Axes, x: float, y: float, value: float) -> None:
    """A number from x on; a small one by a power of ten, the exponent raised beside it."""
    if value >= 0.01:
        drawing.write(axes, x, y, f"{value:.2f}", align="left", bold=True)
        return
    mantissa, exponent = f"{value:.1e}".split("e")
    style = {"color": drawing.INK, "weight": 600}
    base = axes.text(x, y, f"{mantissa} × 10", size=drawing.TEXT, va="center_baseline", **style)
    axes.annotate(f"−{-int(exponent)}", (1, 0.85), xycoords=base, size=0.7 * drawing.TEXT, va="center", **style)
