"""Learning to align: a four-word translation in which only one thing is learned, where to look.

Everything else is given. A word is a fixed vector on both sides, and a fixed readout names the word that a vector
means, as a dictionary would. To write the next word, the vector of the word written before is the query, the source
words are keys and values, and the weighted mean of the values, the context, is all that the readout sees. A loss on
the written words then has one way to fall: the additive score of Bahdanau et al. (2014) must learn to weigh the
source word that the next word translates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from models.attention.adam import Adam, linear_decay
from models.attention.initial import initialise
from models.attention.scores import AdditiveScore
from models.attention.streams import Stream
from sitegen.recipes import Bake, drawn, exact, recipe

KINDS = ("begin", "determiner", "noun", "adjective", "end")

# (kind, English, French). The nouns are feminine, so that one form of each French word is enough.
DICTIONARY = (
    ("determiner", "the", "la"),
    ("noun", "car", "voiture"),
    ("noun", "house", "maison"),
    ("noun", "lamp", "lampe"),
    ("noun", "door", "porte"),
    ("noun", "flower", "fleur"),
    ("adjective", "red", "rouge"),
    ("adjective", "blue", "bleue"),
    ("adjective", "green", "verte"),
    ("adjective", "white", "blanche"),
    ("adjective", "black", "noire"),
    ("adjective", "big", "grande"),
    ("adjective", "small", "petite"),
    ("adjective", "new", "nouvelle"),
    ("adjective", "old", "vieille"),
    ("end", "<eos>", "<eos>"),
)
ENGLISH = tuple(english for _, english, _ in DICTIONARY)
FRENCH = tuple(french for _, _, french in DICTIONARY)

NOUNS = ("car", "house", "lamp", "door", "flower")
COLOURS = ("red", "blue", "green", "white", "black")  # in French they follow the noun
BEFORE = ("big", "small", "new", "old")  # in French, too, these come before the noun

CROSSED = (0, 2, 1, 3)  # la voiture rouge: row t of the map should peak at key CROSSED[t]
STRAIGHT = (0, 1, 2, 3)  # la grande voiture

TRAINED = ("the", "red", "car", "<eos>")
CHECKPOINTS = (0, 1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 80, 100)


@dataclass(frozen=True, slots=True)
class Pair:
    """A phrase and its translation, as entries of the dictionary; `alignment[t]` is where target word t comes from."""

    source: tuple[int, ...]
    alignment: tuple[int, ...]

    @property
    def target(self) -> tuple[int, ...]:
        return tuple(self.source[position] for position in self.alignment)


def pair(words: Sequence[str], alignment: tuple[int, ...]) -> Pair:
    return Pair(tuple(ENGLISH.index(word) for word in words), alignment)


def unseen_pairs(adjectives: Sequence[str], alignment: tuple[int, ...]) -> list[Pair]:
    """Every phrase of these adjectives and all nouns, but for the one that is trained on."""
    phrases = [("the", adjective, noun, "<eos>") for noun in NOUNS for adjective in adjectives]
    return [pair(phrase, alignment) for phrase in phrases if phrase != TRAINED]


@dataclass(frozen=True, slots=True)
class WordVectors:
    """What is given: a word's vector is its kind, one entry of KINDS set to 1, beside its meaning, a unit vector.

    A word and its translation have the same vector. Meanings point in random directions, so none resembles another.
    """

    meanings: Tensor  # (word, meaning)
    words: Tensor  # (word, kind + meaning)
    begin: Tensor  # (kind + meaning,), the query of the first word: a kind and no meaning

    @classmethod
    def drawn(cls, seed: int, meaning_size: int) -> WordVectors:
        normals = Stream(seed, "meanings").normals(len(DICTIONARY) * meaning_size)
        directions = torch.from_numpy(normals).view(len(DICTIONARY), meaning_size)
        meanings = directions / directions.norm(dim=1, keepdim=True)
        kinds = torch.eye(len(KINDS), dtype=torch.float64)
        of_words = kinds[[KINDS.index(kind) for kind, _, _ in DICTIONARY]]
        begin = torch.cat([kinds[KINDS.index("begin")], torch.zeros(meaning_size, dtype=torch.float64)])
        return cls(meanings, torch.cat([of_words, meanings], dim=1), begin)


class Aligner(nn.Module):
    """Writes a translation word by word; of all its numbers, only the additive score's are trained."""

    def __init__(self, vectors: WordVectors, num_hiddens: int, sharpness: float) -> None:
        super().__init__()
        self.vectors, self.sharpness = vectors, sharpness
        size = vectors.words.shape[1]
        self.score = AdditiveScore(size, size, num_hiddens).double()

    def queries(self, written: Sequence[int]) -> Tensor:
        """The word before each word to be written, at first the sign to begin. -> (1, query, size)"""
        return torch.stack([self.vectors.begin, *self.vectors.words[list(written)]])[None]

    def keys(self, source: Sequence[int]) -> Tensor:
        """-> (1, key, size)"""
        return self.vectors.words[list(source)][None]

    def forward(self, source: Sequence[int], written: Sequence[int]) -> tuple[Tensor, Tensor]:
        """-> logits (len(written) + 1, word), one row for each word written and one for the next, and weights
        (len(written) + 1, key). Bahdanau et al. 2014, eq. 5 and 6."""
        keys = self.keys(source)
        weights = self.score(self.queries(written), keys).softmax(dim=-1)
        context = (weights @ keys)[0]  # (query, size)
        return self.read(context), weights[0]

    def read(self, context: Tensor) -> Tensor:
        """The fixed readout: how well the context's meaning matches each word's. (query, size) -> (query, word)."""
        return self.sharpness * context[:, len(KINDS) :] @ self.vectors.meanings.T

    def loss(self, pair: Pair) -> tuple[Tensor, Tensor]:
        """Mean cross-entropy, in nats a word, of writing the target with the true words so far at hand; weights."""
        logits, weights = self(pair.source, pair.target[:-1])
        return cross_entropy(logits, torch.tensor(pair.target)), weights

    @torch.no_grad()
    def translate(self, source: Sequence[int]) -> tuple[int, ...]:
        """As many words as the source has, each the likeliest after those it wrote itself."""
        written: list[int] = []
        for _ in source:
            logits, _ = self(source, written)
            written.append(int(logits[-1].argmax()))
        return tuple(written)


def untrained(seed: int, *, num_hiddens: int, meaning_size: int, sharpness: float) -> Aligner:
    """The last layer of the score starts at 0: all scores are 0, and every weight is the same at first."""
    aligner = Aligner(WordVectors.drawn(seed, meaning_size), num_hiddens, sharpness)
    initialise(aligner, seed)
    nn.init.zeros_(aligner.score.w.weight)
    return aligner


def train(aligner: Aligner, pair: Pair, *, steps: int, learning_rate: float) -> Iterator[tuple[float, Tensor]]:
    """Yields, for t = 0 … steps, the loss and the attention weights (query, key) after t updates."""
    adam = Adam(aligner.parameters())
    for step in range(steps + 1):
        loss, weights = aligner.loss(pair)
        yield loss.item(), weights.detach()
        if step < steps:
            adam.forget_gradients()
            loss.backward()
            adam.step(linear_decay(step, steps, learning_rate))


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one phrase: whether each row peaks on the right source word, and what was written unaided."""

    pair: Pair
    weights: Tensor  # (query, key), with the true words so far at hand
    rows: tuple[bool, ...]
    written: tuple[int, ...]

    @property
    def translated(self) -> bool:
        return self.written == self.pair.target


@torch.no_grad()
def trial(aligner: Aligner, pair: Pair) -> Trial:
    _, weights = aligner(pair.source, pair.target[:-1])
    return Trial(pair, weights, tuple(peaks(weights, pair.alignment)), aligner.translate(pair.source))


def peaks(weights: Tensor, alignment: Sequence[int]) -> list[bool]:
    """Whether the largest weight of each row is at its alignment. An even row has no peak."""
    best, second = weights.topk(2, dim=-1).values.unbind(-1)
    found = weights.argmax(dim=-1) == torch.tensor(alignment)
    return (found & (best > second)).tolist()


def rows_right(trials: Sequence[Trial]) -> float:
    """The share of all rows that peak on the right source word."""
    return sum(sum(each.rows) for each in trials) / sum(len(each.rows) for each in trials)


def share_translated(trials: Sequence[Trial]) -> float:
    return sum(each.translated for each in trials) / len(trials)


def recall_from_one_vector(seed: int, widths: Sequence[int], lengths: Sequence[int], draws: int, words: int) -> Tensor:
    """How much of a sentence is left in the mean of its word vectors. -> (width, length), shares from 0 to 1.

    `length` of `words` random vectors are averaged, and the vectors that match the mean best are taken for the
    sentence's words; the share that is right, over `draws` sentences. Word order is lost in any case.
    """
    uniforms = torch.from_numpy(Stream(seed, "sentences").uniforms(draws * words)).view(draws, words)
    shuffled = uniforms.argsort(dim=1)  # (draw, word): a sentence is the first few
    table = []
    for width in widths:
        vectors = torch.from_numpy(Stream(seed, f"words of width {width}").normals(words * width)).view(words, width)
        for length in lengths:
            sentence = shuffled[:, :length]
            found = (vectors[sentence].mean(dim=1) @ vectors.T).topk(length, dim=1).indices  # (draw, length)
            table.append((found[:, :, None] == sentence[:, None]).any(dim=2).double().mean())
    return torch.stack(table).view(len(widths), len(lengths))


def spell(words: Sequence[str], entries: Sequence[int]) -> list[str]:
    return [words[entry] for entry in entries]


@recipe(
    "bahdanau-alignment",
    act=4,
    seed=4,  # the number of the act
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


@torch.no_grad()
def probability_of_target(aligner: Aligner, pair: Pair) -> Tensor:
    """The probability that each right word is given, with the true words so far at hand. -> (query,)"""
    logits, _ = aligner(pair.source, pair.target[:-1])
    return logits.softmax(dim=-1)[range(len(pair.target)), list(pair.target)]


def retrained(seed: int, pair: Pair, sizes: dict, schedule: dict) -> Aligner:
    """The same experiment with other word vectors and other initial weights."""
    aligner = untrained(seed, **sizes)
    for _ in train(aligner, pair, **schedule):
        pass
    return aligner


def held_out_trials(aligner: Aligner) -> tuple[list[Trial], list[Trial]]:
    """Unseen phrases in the order that was trained, and unseen phrases in which French keeps the English order."""
    crossed = [trial(aligner, each) for each in unseen_pairs(COLOURS, CROSSED)]
    straight = [trial(aligner, each) for each in unseen_pairs(BEFORE, STRAIGHT)]
    return crossed, straight


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
