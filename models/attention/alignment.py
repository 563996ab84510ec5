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


@torch.no_grad()
def probability_of_target(aligner: Aligner, pair: Pair) -> Tensor:
    """The probability that each right word is given, with the true words so far at hand. -> (query,)"""
    logits, _ = aligner(pair.source, pair.target[:-1])
    return logits.softmax(dim=-1)[range(len(pair.target)), list(pair.target)]


def held_out_trials(aligner: Aligner) -> tuple[list[Trial], list[Trial]]:
    """Unseen phrases in the order that was trained, and unseen phrases in which French keeps the English order."""
    crossed = [trial(aligner, each) for each in unseen_pairs(COLOURS, CROSSED)]
    straight = [trial(aligner, each) for each in unseen_pairs(BEFORE, STRAIGHT)]
    return crossed, straight
