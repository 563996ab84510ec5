"""Act 3: four blocks each way reverse the same strings, but no map shows how: the encoder has moved the letters."""

from __future__ import annotations

import torch
from matplotlib.axes import Axes
from torch import Tensor

from models.attention import drawing
from models.wirings.encoder_decoder import EncoderDecoder
from models.wirings.moved import told_of
from models.wirings.pictures import averaged, masked_map
from models.wirings.strings import (
    LENGTH,
    SIZES,
    Measurement,
    fresh_strings,
    letters_of,
    measure,
    reverser,
    spelled,
    train,
    trained_strings,
)
from sitegen.recipes import Bake, recipe, tolerant
from sitegen.schema import Run

EXAMPLE = "genealogical"
SHALLOW = "reverse-strings"
PROBED = 4  # rows of the maps that the probe holds


@recipe(
    "reverse-strings-deep",
    act=3,
    seed=0,
    reference="models.reference.strings:DeepStringReverser",
    headline="exact_match",
    long=True,
    parameters={
        "steps": 900,
        "batch_size": 64,
        "learning_rate": 0.002,
        "clip": 1.0,
        "num_hiddens": 64,
        "num_heads": 8,
        "ffn_num_hiddens": 64,
        "num_blocks": 4,
        "embedding_std": 0.02,
        "fresh_strings": 1000,
        "measured_every": 450,
        "followed": 10,
    },
    needs=("reverse-strings",),
    # two paths of a machine part by 1e-3 in the loss and by 0.02 in a map: what a rebake elsewhere may do
    loss=tolerant("step", tolerance=0.01),
    exact_match=tolerant("checkpoint", tolerance=0.01),
    argmax_share_by_layer=tolerant("layer", tolerance=0.01),
    mean_weight_by_layer=tolerant("layer", tolerance=0.01),
    argmax_share_by_head=tolerant("layer", "head", tolerance=0.02),
    cross_attention=tolerant("layer", "head", "query", "key", tolerance=0.1),
    told_of=tolerant("model", "place", "letter", tolerance=0.02),
)
def reverse_strings_deep(bake: Bake) -> None:
    """Train, round the weights to int8, and tell of the model with the weights that are kept.

    `followed` is how many updates the independent engine makes again: all would take it minutes.
    """
    given = bake.parameters
    model = reverser(bake.seed, **{name: given[name] for name in SIZES})
    trained = trained_strings(bake.seed, given["steps"], given["batch_size"])
    fresh = fresh_strings(bake.seed, given["fresh_strings"], trained)
    losses, seen = [], {}
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
        if step % given["measured_every"] == 0 and 0 < step < given["steps"]:
            seen[step] = measure(model, fresh)
    before = measure(model, fresh)
    kept = bake.quantised_weights(given["steps"], model.state_dict())
    model.load_state_dict({name: torch.from_numpy(array) for name, array in kept.items()})
    seen[given["steps"]] = last = measure(model, fresh)

    bake.series("loss", losses)
    bake.series("exact_match", [one.exact_match for one in seen.values()], checkpoint=list(seen))
    bake.metric("exact_match", last.exact_match, better="higher")
    bake.metric("exact_match_float64", before.exact_match, better="higher")
    bake.metric("parameters", sum(parameter.numel() for parameter in model.parameters()))
    bake.metric("trained_strings", len(trained), unit="strings")
    bake.metric("fresh_strings", len(fresh), unit="strings")
    record_layers(bake, last)
    record_places(bake, model, fresh)
    with torch.no_grad():
        source = torch.tensor([letters_of(EXAMPLE)])
        inputs = model.shift(source.flip(1))
        prediction = model(source, inputs)
    maps = prediction.cross_attention[0]  # (layer, head, query, key)
    layers, heads = (range(1, size + 1) for size in maps.shape[:2])
    read, written = list(EXAMPLE), list(reversed(EXAMPLE))
    bake.series("cross_attention", maps.round(decimals=6), layer=layers, head=heads, query=written, key=read)
    bake.example("tokens", {"source": read, "target": written})
    decoded = spelled(model.greedy_decode(source, LENGTH)[0].tolist())
    bake.example("decodes", {str(given["steps"]): decoded})
    probed = {"source": source, "inputs": inputs[:, :PROBED], "num_heads": given["num_heads"]}
    read_first = prediction.cross_attention[:, :, :, :PROBED]  # what follows changes nothing of these rows
    bake.probe("wiredEncoderDecoder", probed, {"cross_attention": read_first}, checkpoint=given["steps"])


def record_layers(bake: Bake, last: Measurement) -> None:
    """How much each layer's cross-attention, heads averaged, has to do with the true source."""
    layers = range(1, len(last.source_share) + 1)
    bake.series("argmax_share_by_layer", last.source_share, layer=layers)
    bake.series("mean_weight_by_layer", last.source_weight, layer=layers)
    heads = range(1, last.source_share_by_head.shape[1] + 1)
    bake.series("argmax_share_by_head", last.source_share_by_head, layer=layers, head=heads)
    bake.metric("argmax_share_most", last.source_share.max().item())
    bake.metric("argmax_share_most_of_a_head", last.source_share_by_head.max().item())
    bake.metric("mean_weight_most", last.source_weight.max().item())


def record_places(bake: Bake, model: EncoderDecoder, fresh: Tensor) -> None:
    """What each place of the encoder's output tells of, in this model and in the one with a readable map."""
    run = bake.need(SHALLOW)
    shallow = reverser(run.seed, **{name: run.parameters[name] for name in SIZES})
    kept = bake.need_weights(SHALLOW, run.parameters["steps"])
    shallow.load_state_dict({name: torch.from_numpy(array) for name, array in kept.items()})
    found = {"shallow": told_of(shallow, fresh), "deep": told_of(model, fresh)}
    places = range(1, LENGTH + 1)
    bake.series(
        "told_of", torch.stack(list(found.values())).round(decimals=6), model=list(found), place=places, letter=places
    )
    for name, shares in found.items():
        bake.metric(f"own_letter_{name}", shares.diagonal().mean().item())
        bake.metric(f"other_half_{name}", mirrored_half(shares).item())


def mirrored_half(shares: Tensor) -> Tensor:
    """(place, letter) -> how much the places of one half tell of the letters of the other, on average."""
    half = len(shares) // 2
    return (shares[:half, half:].sum() + shares[half:, :half].sum()) / len(shares)


# ------------------------------------------------------------------------------------------------- pictures

OPEN = [[1.0] * LENGTH] * LENGTH  # no cell of a cross-attention is masked


@reverse_strings_deep.draw(
    "deep-layers",
    size=(6.4, 2.65),
    alt="The cross-attention of the four layers of the deep model on one string, heads averaged. None is an "
    "anti-diagonal: the weights fall from the upper left to the lower right, blurred. Below each stand the share of "
    "rows that are largest on the true source and the mean weight there.",
)
def deep_layers(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    attention, cell, top = run.series["cross_attention"], 0.109, height - 0.55
    queries, keys = (attention.coordinates[axis] for axis in ("query", "key"))
    shares, weights = (run.series[name].values for name in ("argmax_share_by_layer", "mean_weight_by_layer"))
    for layer in range(attention.shape[0]):
        left = 0.35 + 1.53 * layer
        heads = [list(attention.rows(layer, head)) for head in range(attention.shape[1])]
        masked_map(axes, left, top, cell, averaged(heads), OPEN, queries=queries, keys=keys, size=6.5)
        drawing.write(axes, left, top + 0.32, f"layer {layer + 1}", align="left", bold=True)
        below = top - LENGTH * cell
        drawing.write(axes, left, below - 0.22, f"{shares[layer]:.1%} of rows", align="left", bold=True)
        drawing.write(axes, left, below - 0.44, f"weight {weights[layer]:.2f}", align="left", color=drawing.SOFT)


@reverse_strings_deep.draw(
    "deep-heads",
    size=(6.4, 4.35),
    alt="All heads of all layers of the deep model's cross-attention, four rows of eight small maps. The first rows of "
    "most read one and the same place, the others run down a blurred diagonal; none is the anti-diagonal.",
)
def deep_heads(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    attention, cell = run.series["cross_attention"], 0.054
    for layer in range(attention.shape[0]):
        top = height - 0.5 - 1.02 * layer
        drawing.write(axes, 0.15, top - 6 * cell, f"layer {layer + 1}", rotation=90, bold=True)
        for head in range(attention.shape[1]):
            left = 0.4 + 0.75 * head
            drawing.heat_map(axes, left, top, cell, list(attention.rows(layer, head)), values=False)
            if layer == 0:
                drawing.write(axes, left, top + 0.16, f"head {head + 1}", align="left", size=drawing.SMALL)


@reverse_strings_deep.draw(
    "told-of",
    size=(6.4, 3.1),
    alt="Two maps: which letter of the source each place of the encoder's output tells of. In the model of one block "
    "each way it is a diagonal, each place tells most of its own letter. In the model of four blocks each way it is a "
    "blurred anti-diagonal: the encoder itself has turned the string around.",
)
def draw_told_of(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    told, cell, top = run.series["told_of"], 0.17, height - 0.7
    for model, title in enumerate(("1 + 1 blocks", "4 + 4 blocks")):
        left = 0.75 + 3.0 * model
        drawing.heat_map(axes, left, top, cell, list(told.rows(model)), values=False)
        drawing.write(axes, left, top + 0.42, title, align="left", bold=True)
        drawing.write(axes, left + LENGTH * cell, top + 0.15, "letter changed", align="right", size=drawing.SMALL)
        drawing.write(axes, left - 0.15, top - 6 * cell, "place of the encoder's output", rotation=90,
                      size=drawing.SMALL)  # fmt: skip
        name = told.coordinates["model"][model]
        own = run.metrics[f"own_letter_{name}"].value
        drawing.write(axes, left, top - LENGTH * cell - 0.2, f"{own:.0%} of its own letter", align="left", bold=True)
