"""Act 1: one block in three wirings. Who may read whom, what attention is left under each mask, and what a late token
can move.

Nothing is trained here: what a mask forbids, no weights can bring back. The encoder-only and the decoder-only model are
the very same weights, once without a mask and once under the causal one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from models.attention import drawing
from models.attention.attention import causal_mask
from models.attention.charts import MARK
from models.wirings.encoder import TransformerEncoder, initialise_encoder
from models.wirings.encoder_decoder import EncoderDecoder, initialise_embeddings
from models.wirings.masks import cross_mask, source_mask, target_mask
from models.wirings.pictures import masked_map
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run

SENTENCE, LATE = "the tide comes in at dawn", "noon"  # what the last word becomes
TRANSLATION, LATE_TARGET = "la marée monte à l'aube", "midi"
START, SIGN = "<start>", "▶"  # the decoder's first input, and how it is drawn
WORDS = [*SENTENCE.split(), LATE]
TARGET_WORDS = [*TRANSLATION.split(), LATE_TARGET]


def sentence() -> Tensor:
    """(batch, word), a batch of one."""
    return torch.arange(len(WORDS) - 1)[None]


def translation() -> Tensor:
    return torch.arange(len(TARGET_WORDS) - 1)[None]


def with_late(tokens: Tensor, word: int) -> Tensor:
    """The same tokens, but for the last one."""
    changed = tokens.clone()
    changed[:, -1] = word
    return changed


def moved(before: Tensor, after: Tensor) -> Tensor:
    """The largest change of what is said at each position: two of (1, position, vocab) -> (position,)."""
    return (after - before).abs().amax(dim=-1)[0]


@recipe(
    "three-wirings",
    act=1,
    seed=1,  # the number of the act; what is shown holds for any weights
    reference="models.reference.three_wirings:ThreeWirings",
    headline="moved_bidirectional_first",
    parameters={"num_hiddens": 16, "num_heads": 2, "ffn_num_hiddens": 32, "num_blocks": 1, "embedding_std": 0.5},
    encoder_mask=exact("query", "key"),
    decoder_mask=exact("query", "key"),
    target_mask=exact("query", "key"),
    cross_mask=exact("query", "key"),
    encoder_attention=drawn("head", "query", "key"),
    decoder_attention=drawn("head", "query", "key"),
    target_attention=drawn("head", "query", "key"),
    cross_attention=drawn("head", "query", "key"),
    moved_bidirectional=exact("position"),
    moved_causal=exact("position"),
    moved_by_source=exact("position"),
    moved_by_target=exact("position"),
)
@torch.no_grad()
def three_wirings(bake: Bake) -> None:
    """The masks of three wirings, the attention of untrained models under them, and the test of a late token."""
    sizes = {name: bake.parameters[name] for name in ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")}
    std, length = bake.parameters["embedding_std"], len(WORDS) - 1
    stack = TransformerEncoder(len(WORDS), **sizes, max_len=length).double()
    initialise_encoder(stack, bake.seed, std)
    both = EncoderDecoder(len(WORDS), len(TARGET_WORDS), **sizes, max_len=length).double()
    initialise_embeddings(both, bake.seed, std)

    record_masks(bake)
    record_attention(bake, stack, both)
    record_moves(bake, stack, both)
    bake.example("tokens", tokens())
    bake.weights(0, stack.state_dict() | both.state_dict())
    record_probe(bake, stack, both)


def tokens() -> dict[str, Any]:
    """The words of both sentences, and what the last one of each becomes."""
    written = TRANSLATION.split()
    return {
        "sentence": SENTENCE.split(), "late": LATE, "translation": written, "late_target": LATE_TARGET,
        "inputs": [START, *written[:-1]], "start": START,
    }  # fmt: skip


def record_masks(bake: Bake) -> None:
    """(query, key), 1 where a query may see a key: of the encoder-only model, which is the encoder's too, of the
    decoder-only model, and of the decoder that reads an encoder: over its own words and over the source's."""
    words, inputs = SENTENCE.split(), tokens()["inputs"]
    source, target = torch.tensor([len(words)]), torch.tensor([len(inputs)])
    grids = {
        "encoder_mask": (source_mask(source, len(words)), words, words),
        "decoder_mask": (causal_mask(len(words))[None, None], words, words),
        "target_mask": (target_mask(target, len(inputs)), inputs, inputs),
        "cross_mask": (cross_mask(source, len(words)), inputs, words),
    }
    for name, (mask, queries, keys) in grids.items():
        bake.series(name, mask[0, 0].expand(len(queries), -1).int(), query=queries, key=keys)


def record_attention(bake: Bake, stack: TransformerEncoder, both: EncoderDecoder) -> None:
    """Of each model the last block's maps: (head, query, key)."""
    words, inputs = SENTENCE.split(), tokens()["inputs"]
    read = stack(sentence())
    causal = stack(sentence(), causal_mask(len(words)))
    written = both(sentence(), both.shift(translation()))
    for name, maps, queries, keys in (
        ("encoder_attention", read.attention, words, words),
        ("decoder_attention", causal.attention, words, words),
        ("target_attention", written.decoder_attention, inputs, inputs),
        ("cross_attention", written.cross_attention, inputs, words),
    ):
        bake.series(name, maps[0, -1], query=queries, key=keys)


def record_moves(bake: Bake, stack: TransformerEncoder, both: EncoderDecoder) -> None:
    """What each position says before and after the last word becomes another one."""
    given, changed = sentence(), with_late(sentence(), WORDS.index(LATE))
    mask = causal_mask(given.shape[1])
    bidirectional = moved(stack(given).logits, stack(changed).logits)
    causal = moved(stack(given, mask).logits, stack(changed, mask).logits)
    bake.series("moved_bidirectional", bidirectional)
    bake.series("moved_causal", causal)
    bake.metric("moved_bidirectional_first", bidirectional[0])
    bake.metric("moved_bidirectional_least", bidirectional.min())
    bake.metric("moved_causal_before", causal[:-1].max())  # exactly 0
    bake.metric("moved_causal_last", causal[-1])

    inputs = both.shift(translation())
    late_inputs = with_late(inputs, TARGET_WORDS.index(LATE_TARGET))
    before = both(given, inputs).logits
    by_source, by_target = moved(before, both(changed, inputs).logits), moved(before, both(given, late_inputs).logits)
    bake.series("moved_by_source", by_source)
    bake.series("moved_by_target", by_target)
    bake.metric("moved_by_source_first", by_source[0])
    bake.metric("moved_by_target_before", by_target[:-1].max())  # exactly 0


def record_probe(bake: Bake, stack: TransformerEncoder, both: EncoderDecoder) -> None:
    inputs, mask = both.shift(translation()), causal_mask(len(WORDS) - 1)
    read, causal, written = stack(sentence()), stack(sentence(), mask), both(sentence(), inputs)
    bake.probe(
        "threeWirings",
        {"tokens": sentence(), "inputs": inputs, "num_heads": bake.parameters["num_heads"]},
        {
            "encoder_logits": read.logits,
            "encoder_attention": read.attention,
            "decoder_logits": causal.logits,
            "decoder_attention": causal.attention,
            "target_logits": written.logits,
            "target_attention": written.decoder_attention,
            "cross_attention": written.cross_attention,
        },
        checkpoint=0,
    )


# ---------------------------------------------------------------------------------------------------- stills


def signs(words: Sequence[int | float | str]) -> list[str]:
    return [SIGN if word == START else str(word) for word in words]


@three_wirings.draw(
    "wirings",
    size=(6.4, 2.6),
    alt="Masks of three wirings; rows read columns. Encoder-only: every word reads every word. Decoder-only: each "
    "reads itself and what came before, and the rest is hatched. Encoder–decoder: the decoder's own mask is of that "
    "kind, and beside it each of its rows reads all words of the source.",
)
def draw_wirings(run: Run, axes: Axes) -> None:
    _, height = drawing.card(axes)
    cell, top = 0.175, height - 1.0
    for title, left in (("encoder-only", 0.1), ("decoder-only", 1.85), ("encoder–decoder", 3.6)):
        drawing.write(axes, left, height - 0.2, title, align="left", bold=True)
    for name, left in (("encoder_mask", 0.6), ("decoder_mask", 2.35), ("target_mask", 4.12), ("cross_mask", 5.15)):
        series = run.series[name]
        rows, columns = (signs(series.coordinates[axis]) for axis in ("query", "key"))
        shown = () if name == "cross_mask" else rows  # its rows stand beside the decoder's own mask
        draw_mask(axes, left, top, cell, [list(row) for row in series.rows()], shown, columns)
    for words, left in (("own words", 4.12), ("source", 5.15)):
        drawing.write(axes, left, top - 5 * cell - 0.16, words, align="left", color=drawing.SOFT, size=drawing.SMALL)
    drawing.write(axes, 0.1, 0.2, "Rows read columns; hatched: hidden.", align="left", color=drawing.SOFT,
                  size=drawing.SMALL)  # fmt: skip


def draw_mask(
    axes: Axes, left: float, top: float, cell: float, visible: Sequence[Sequence[float]], rows: Sequence[str],
    columns: Sequence[str],
) -> None:  # fmt: skip
    """Seen cells grey, hidden ones hatched; the columns' words stand upright."""
    shades = [[0.3 * seen for seen in row] for row in visible]
    masked_map(axes, left, top, cell, shades, visible, queries=rows, size=drawing.SMALL)
    for column, word in enumerate(columns):
        axes.text(left + (column + 0.5) * cell, top + 0.06, word, size=drawing.SMALL, color=drawing.KEY, weight=600,
                  ha="center", va="bottom", rotation=0 if word == SIGN else 90)  # fmt: skip


@three_wirings.draw(
    "late-token",
    size=(6.4, 2.6),
    alt="The last word of a sentence becomes another one. In the bidirectional model what is said at every position "
    "moves, the first included. Under the causal mask the change is exactly zero everywhere before it.",
)
def draw_late_token(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    words = run.examples["tokens"]
    title = f"{words['sentence'][-1]} becomes {words['late']}: how far each output moves"
    drawing.write(axes, 0.15, height - 0.22, title, align="left", bold=True)
    *before, _ = run.series["moved_bidirectional"].values
    most = max(before)
    left, pitch = 1.75, (width - 1.85) / len(words["sentence"])
    for row, (title, name) in enumerate((("both sides", "moved_bidirectional"), ("causal mask", "moved_causal"))):
        base = height - 1.4 - 0.65 * row
        drawing.write(axes, 0.15, base + 0.15, title, align="left", bold=True)
        for column, change in enumerate(run.series[name].values):
            x = left + column * pitch
            itself = column == len(before)  # its own output is sure to move
            color = MARK if change and not itself else drawing.SOFT
            high = 0 if itself else 0.7 * change / most
            axes.add_patch(Rectangle((x + 0.1, base), pitch - 0.2, high, facecolor=color, linewidth=0))
            axes.plot([x + 0.1, x + pitch - 0.1], [base, base], color=drawing.LINE, linewidth=0.8)
            text = f"{change:.2f}" if change else "0"
            drawing.write(axes, x + pitch / 2, base + high + 0.12, text, color=color, bold=not change,
                          size=drawing.SMALL)  # fmt: skip
    for column, word in enumerate(words["sentence"]):
        late = column == len(words["sentence"]) - 1
        drawing.write(axes, left + (column + 0.5) * pitch, 0.25, word, color=MARK if late else drawing.KEY, bold=True)
