"""Act 3: a ragged batch, its six masks from two primitives, and what a model sees under them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from matplotlib.axes import Axes
from torch import Tensor

from models.attention import drawing
from models.wirings.encoder_decoder import EncoderDecoder, initialise_embeddings
from models.wirings.masks import cross_mask, source_mask, target_mask
from models.wirings.pictures import averaged, masked_map
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run

# German to English: sources of 3 and 5 words, targets of 3 and 4
PAIRS = (("ich bin müde", "i am tired"), ("es geht uns allen gut", "we are all well"))
EXAMPLES = range(1, len(PAIRS) + 1)
START, PAD = "<start>", "<pad>"
SIGNS = {START: "▶", PAD: "·"}
SIZES = ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")


class Ragged(NamedTuple):
    """Sequences of several lengths in one tensor."""

    tokens: Tensor  # (example, seq)
    valid_lens: Tensor  # (example,)
    vocabulary: list[str]  # the word of each token; PAD is among them

    def words(self, example: int) -> list[str]:
        return [self.vocabulary[token] for token in self.tokens[example].tolist()]

    def with_other_padding(self) -> Tensor:
        """The tokens, with the first word of the vocabulary wherever there was padding."""
        return self.tokens.masked_fill(self.tokens == self.vocabulary.index(PAD), 0)


def ragged(sentences: Sequence[Sequence[str]], vocabulary: list[str]) -> Ragged:
    longest = max(map(len, sentences))
    filled = ([*words, *[PAD] * (longest - len(words))] for words in sentences)
    tokens = [[vocabulary.index(word) for word in words] for words in filled]
    return Ragged(torch.tensor(tokens), torch.tensor([len(words) for words in sentences]), vocabulary)


@recipe(
    "ragged-masks",
    act=3,
    seed=0,
    reference="models.reference.strings:RaggedBatch",
    headline="unmasked_moved",
    parameters={"num_hiddens": 16, "num_heads": 2, "ffn_num_hiddens": 32, "num_blocks": 1, "embedding_std": 1.0},
    source_masks=exact("example", "query", "key"),
    target_masks=exact("example", "query", "key"),
    cross_masks=exact("example", "query", "key"),
    encoder_attention=drawn("example", "head", "query", "key"),
    decoder_attention=drawn("example", "head", "query", "key"),
    cross_attention=drawn("example", "head", "query", "key"),
)
def ragged_masks(bake: Bake) -> None:
    """The masks of two pairs of sentences in one batch, the attention of an untrained model under them, and what its
    logits owe to padding.
    """
    pairs = [(german.split(), english.split()) for german, english in PAIRS]
    read, written = ([pair[side] for pair in pairs] for side in (0, 1))
    source = ragged(read, [*vocabulary(read), PAD])
    target_words = [*vocabulary(written), PAD]  # the start token comes after them
    inputs = ragged([[START, *words[:-1]] for words in written], [*target_words, START])
    lengths = source.tokens.shape[1], inputs.tokens.shape[1]
    model = EncoderDecoder(
        len(source.vocabulary), len(target_words), **{name: bake.parameters[name] for name in SIZES},
        max_len=max(lengths),
    ).double()  # fmt: skip
    initialise_embeddings(model, bake.seed, bake.parameters["embedding_std"])

    bake.series("source_masks", grids(source_mask(source.valid_lens, lengths[0]), lengths[0]), example=EXAMPLES)
    bake.series("target_masks", grids(target_mask(inputs.valid_lens, lengths[1]), lengths[1]), example=EXAMPLES)
    bake.series("cross_masks", grids(cross_mask(source.valid_lens, lengths[0]), lengths[1]), example=EXAMPLES)
    bake.example("tokens", [
        {"source": source.words(i), "inputs": inputs.words(i), "target": written[i],
         "source_valid": len(read[i]), "target_valid": len(written[i])}
        for i in range(len(pairs))
    ])  # fmt: skip
    record_attention(bake, model, source, inputs)
    record_padding(bake, model, source, inputs)


def vocabulary(sentences: Sequence[Sequence[str]]) -> list[str]:
    return sorted({word for words in sentences for word in words})


def grids(mask: Tensor, queries: int) -> Tensor:
    """A mask that broadcasts to (example, 1, query, key), written out. -> (example, query, key), 0 or 1"""
    return mask[:, 0].expand(-1, queries, -1).double()


@torch.no_grad()
def record_attention(bake: Bake, model: EncoderDecoder, source: Ragged, inputs: Ragged) -> None:
    prediction = model(source.tokens, inputs.tokens, source.valid_lens, inputs.valid_lens)
    outputs = prediction._asdict()
    for name in ("encoder_attention", "decoder_attention", "cross_attention"):
        maps = outputs[name][:, -1]  # (example, head, query, key)
        bake.series(name, maps, example=EXAMPLES, head=range(1, maps.shape[1] + 1))
    bake.weights(0, model.state_dict())
    given = {
        "source": source.tokens,
        "inputs": inputs.tokens,
        "source_valid": source.valid_lens,
        "target_valid": inputs.valid_lens,
        "num_heads": bake.parameters["num_heads"],
    }
    bake.probe("wiredEncoderDecoder", given, outputs, checkpoint=0)


@torch.no_grad()
def record_padding(bake: Bake, model: EncoderDecoder, source: Ragged, inputs: Ragged) -> None:
    """How far logits move, at the places that hold a word, when padding becomes words, and when it is cut away."""
    before = model(source.tokens, inputs.tokens, source.valid_lens, inputs.valid_lens).logits
    changed = source.with_other_padding(), inputs.with_other_padding()
    valid = torch.arange(inputs.tokens.shape[1]) < inputs.valid_lens[:, None]  # (example, target)
    masked = model(*changed, source.valid_lens, inputs.valid_lens).logits
    unmasked = model(source.tokens, inputs.tokens).logits, model(*changed).logits
    alone = [
        model(source.tokens[i : i + 1, :read], inputs.tokens[i : i + 1, :written]).logits[0]
        for i, (read, written) in enumerate(zip(source.valid_lens.tolist(), inputs.valid_lens.tolist(), strict=True))
    ]
    bake.metric("padding_moved", largest(masked[valid] - before[valid]))
    bake.metric("unmasked_moved", largest(unmasked[1][valid] - unmasked[0][valid]))
    bake.metric("alone_moved", largest(torch.cat(alone) - before[valid]))


def largest(differences: Tensor) -> float:
    return differences.abs().max().item()


# ------------------------------------------------------------------------------------------------- pictures

OPEN = 0.15  # the shade of a cell that is not masked
ROWS = (
    ("encoder", "source_masks", "source", "source", "padding"),
    ("decoder", "target_masks", "inputs", "inputs", "causal and padding"),
    ("cross-attention", "cross_masks", "inputs", "source", "padding"),
)


@ragged_masks.draw(
    "six-masks",
    size=(6.4, 5.2),
    alt="Six grids, queries in rows and keys in columns, for two pairs of sentences in a batch. The shorter source has "
    "two columns of padding, hatched in the encoder and in the cross-attention. In the decoder all above the diagonal "
    "is hatched, and the column of the shorter target's padding. For the longer pair only the decoder's triangle is.",
)
def six_masks(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    for column, (title, name, asking, answering, reason) in enumerate(ROWS):
        left = 0.75 + 2.05 * column
        drawing.write(axes, left, height - 0.2, title, align="left", bold=True)
        drawing.write(axes, left, height - 0.4, reason, align="left", size=drawing.SMALL, color=drawing.SOFT)
        for row in EXAMPLES:
            visible = list(run.series[name].rows(row - 1))
            pale = [[OPEN * seen for seen in cells] for cells in visible]
            grid(axes, run, left, row, pale, visible, asking, answering)
    drawing.write(axes, 0.75, 0.14, f"{SIGNS[START]} start token   {SIGNS[PAD]} padding   hatched: masked",
                  align="left", size=drawing.SMALL, color=drawing.SOFT)  # fmt: skip


@ragged_masks.draw(
    "under-masks",
    size=(6.4, 5.2),
    alt="The attention of an untrained model under the six masks, heads averaged: weights only where no cell is "
    "hatched, some lighter and some darker along each row.",
)
def under_masks(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    for column, (title, name, asking, answering, _) in enumerate(ROWS):
        left = 0.75 + 2.05 * column
        drawing.write(axes, left, height - 0.2, title, align="left", bold=True)
        attention = run.series[("encoder_attention", "decoder_attention", "cross_attention")[column]]
        for row in EXAMPLES:
            weights = averaged(attention.rows(row - 1, head) for head in range(attention.shape[1]))
            grid(axes, run, left, row, weights, list(run.series[name].rows(row - 1)), asking, answering)


def grid(
    axes: Axes,
    run: Run,
    left: float,
    row: int,
    weights: list[list[float]],
    visible: Sequence[Sequence[float]],
    asking: str,
    answering: str,
) -> None:
    """One map of example `row`, its words on both sides, those above upright."""
    _, height = axes.figure.get_size_inches()
    cell, top = 0.24, height - 1.15 - 2.3 * (row - 1)
    tokens = run.examples["tokens"][row - 1]
    queries, keys = ([SIGNS.get(word, word) for word in tokens[side]] for side in (asking, answering))
    masked_map(axes, left, top, cell, weights, visible, queries=queries, size=drawing.SMALL)
    for place, key in enumerate(keys):
        axes.text(left + (place + 0.5) * cell, top + 0.06, key, size=drawing.SMALL, color=drawing.KEY, weight=600,
                  ha="center", va="bottom", rotation=90)  # fmt: skip
