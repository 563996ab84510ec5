"""Act 2: an encoder learns to say hidden letters from both sides; a causal model of the same size has only the left."""

from __future__ import annotations

import math
from typing import Any

import torch
from matplotlib.axes import Axes
from torch import Tensor

from models.attention import charts, drawing
from models.wirings.encoder import TransformerEncoder, initialise_encoder
from models.wirings.objectives import Objective, Training, causal_loss, masked_loss
from models.wirings.reading import (
    Answers,
    ByPosition,
    Reader,
    Sentence,
    answers,
    both_sides,
    by_position,
    drawn_sentences,
    left_side,
    likeliest,
    moved,
    probabilities,
)
from models.wirings.text import (
    ALPHABET,
    FILE,
    SHA256,
    URL,
    VOCAB,
    Masked,
    Text,
    decode,
    draw_masked,
    encode,
    windows_at,
)
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run

CHECKPOINTS = (0, 25, 50, 100, 200, 300, 400, 500, 750, 1000, 1500, 2000)
TOLD = (500, 1000, 2000)  # of these the book tells the loss
RECENT = 50  # losses that are averaged before each of them
KEPT = 100  # updates between two states that a bake can go on from
OPENING = "the time traveller for so it will be convenient to speak of him "
GAPS = (9, 14, 30)  # the letters that the book hides in it: _raveller, trave_ler, w_ll
PROBED = 1  # window
MAIN, LIGHT, CAUSAL = "masked", "light_masked", "light_causal"


@recipe(
    "masked-characters",
    act=2,
    seed=0,
    reference="models.reference.encoder:MaskedCharacters",
    headline="accuracy",
    long=True,
    parameters={
        "steps": 2000,
        "batch_size": 64,
        "learning_rate": 0.0009,
        "embedding_std": 0.1,
        "num_hiddens": 128,
        "num_heads": 4,
        "ffn_num_hiddens": 256,
        "num_blocks": 4,
        "window": 64,
        "masked_share": 0.15,
        "heldout_share": 0.1,
        "light_steps": 1200,
        "light_batch_size": 32,
        "light_learning_rate": 0.002,
        "light_num_hiddens": 64,
        "light_ffn_num_hiddens": 128,
        "light_num_blocks": 2,
        "tested_windows": 5120,
        "watched_windows": 256,
        "heldout_sentences": 8,
        "late_place": 56,
    },
    loss=drawn("step"),
    light_masked_loss=drawn("step"),
    light_causal_loss=drawn("step"),
    accuracy_by_checkpoint=exact("checkpoint", "text"),
    loss_by_position=drawn("position"),
    loss_by_position_low=drawn("position"),
    loss_by_position_high=drawn("position"),
    trained_loss_by_position=drawn("position"),
    trained_loss_by_position_low=drawn("position"),
    trained_loss_by_position_high=drawn("position"),
    light_masked_by_position=drawn("position"),
    light_masked_by_position_low=drawn("position"),
    light_masked_by_position_high=drawn("position"),
    light_causal_by_position=drawn("position"),
    light_causal_by_position_low=drawn("position"),
    light_causal_by_position_high=drawn("position"),
    readable_probabilities=drawn("checkpoint", "sentence", "letter"),
    moved_bidirectional=drawn("position"),
    moved_causal=drawn("position"),
)
def masked_characters(bake: Bake) -> None:
    """Train three models on nine tenths of a book, and ask them for letters hidden in it and in the last tenth.

    The seed is the first there is; no other was tried. How weights begin, and the rate, were chosen by the losses of
    other settings: with positions that begin at random, the loss stays on the plateau where only letter frequencies are
    known for anything from 250 to 400 updates, and a light model may not leave it at all. The light models learn from
    the very same letters, and 15 % of the letters is all that the causal one is asked for.

    Wherever a loss is measured, letters are hidden as in training, each with the same probability, so that around a
    hidden letter others are hidden too. The weights that are published and probed are rounded to eight bits a number;
    all else is measured with the weights as they were trained.
    """
    given = bake.parameters
    path = bake.data(FILE, sha256=SHA256, url=URL)
    text = Text.read(path.read_text(encoding="utf-8"), given["heldout_share"])
    sentences = shown_sentences(text, bake.seed, given["heldout_sentences"])
    trainings, seen = train(bake, text, sentences)
    model, light, causal = (trainings[name].model for name in (MAIN, LIGHT, CAUSAL))

    record_training(bake, text, trainings, seen, sentences)
    asked = {name: drawn_for(bake, name, tokens, "tested") for name, tokens in parts(text).items()}
    found = {name: answers(both_sides(model), part) for name, part in asked.items()}
    bake.metric("accuracy", found["training"].accuracy, better="higher")
    bake.metric("accuracy_heldout", found["heldout"].accuracy, better="higher")
    bake.metric("tested_letters", len(found["training"].losses), unit="letters")
    bake.metric("tested_letters_heldout", len(found["heldout"].losses), unit="letters")
    record_positions(bake, found)
    record_light(bake, asked["heldout"], light, causal)
    record_sentences(bake, model, causal, sentences)
    record_terms(bake, model, text)
    record_late_token(bake, light, causal, text)

    shipped = quantised(bake, model)
    rounded = {name: answers(both_sides(shipped), part) for name, part in asked.items()}
    bake.metric("accuracy_int8", rounded["training"].accuracy, better="higher")
    bake.metric("accuracy_int8_heldout", rounded["heldout"].accuracy, better="higher")
    record_probe(bake, shipped, asked["heldout"])


# ------------------------------------------------------------------------------------------------ training


def encoder(bake: Bake, prefix: str = "") -> TransformerEncoder:
    """An untrained model of the declared size; `prefix` "light_" gives the small one."""
    given = bake.parameters
    sizes = (given[f"{prefix}num_hiddens"], given["num_heads"], given[f"{prefix}ffn_num_hiddens"])
    model = TransformerEncoder(VOCAB, *sizes, given[f"{prefix}num_blocks"], given["window"])
    initialise_encoder(model, bake.seed, given["embedding_std"])
    return model


def training(bake: Bake, tokens: Tensor, objective: Objective, prefix: str = "") -> Training:
    """A training at its beginning. Both light ones see the same windows."""
    given = bake.parameters

    def batch(step: int) -> Masked:
        return draw_masked(
            tokens, bake.seed, f"{prefix}batches", step=step,
            count=given[f"{prefix}batch_size"], length=given["window"], share=given["masked_share"],
        )  # fmt: skip

    return Training(encoder(bake, prefix), objective, batch, given[f"{prefix}learning_rate"])


def train(bake: Bake, text: Text, sentences: list[Sentence]) -> tuple[dict[str, Training], dict[str, list[Any]]]:
    """The three trainings, one after the other, and what was seen of the first at its checkpoints.

    Every KEPT updates all of it is kept; a bake that was killed goes on from there and comes to the same bits.
    """
    given = bake.parameters
    trainings = {
        MAIN: training(bake, text.training, masked_loss),
        LIGHT: training(bake, text.training, masked_loss, "light_"),
        CAUSAL: training(bake, text.training, causal_loss, "light_"),
    }
    lengths = {MAIN: given["steps"], LIGHT: given["light_steps"], CAUSAL: given["light_steps"]}
    watched = [drawn_for(bake, name, tokens, "watched") for name, tokens in parts(text).items()]
    total = sum(lengths.values())
    seen: dict[str, list[Any]] = {"accuracy": [], "probabilities": []}

    def look() -> None:
        reader = both_sides(trainings[MAIN].model)
        seen["accuracy"].append([answers(reader, part).accuracy for part in watched])
        seen["probabilities"].append(probabilities(reader, sentences).tolist())

    if kept := bake.kept():
        seen = kept["seen"]
        for name, each in trainings.items():
            each.restore(kept[name])
    else:
        look()
    for name, each in trainings.items():
        while each.step < lengths[name]:
            loss = each.update()
            if name == MAIN and each.step in CHECKPOINTS:
                look()
            done = sum(one.step for one in trainings.values())
            bake.progress(done, total, loss=loss)
            if done % KEPT == 0:
                bake.keep(done, {"seen": seen, **{key: one.state() for key, one in trainings.items()}})
    return trainings, seen


def parts(text: Text) -> dict[str, Tensor]:
    return {"training": text.training, "heldout": text.heldout}


def drawn_for(bake: Bake, name: str, tokens: Tensor, purpose: str) -> Masked:
    """The windows that measure accuracy and losses: many at the end ("tested"), a few on the way ("watched")."""
    given = bake.parameters
    return draw_masked(
        tokens, bake.seed, f"{purpose}/{name}",
        count=given[f"{purpose}_windows"], length=given["window"], share=given["masked_share"],
    )  # fmt: skip


def record_training(
    bake: Bake, text: Text, trainings: dict[str, Training], seen: dict[str, list[Any]], sentences: list[Sentence]
) -> None:
    losses = trainings[MAIN].losses
    checkpoints = [step for step in CHECKPOINTS if step <= len(losses)]
    steps = range(1, len(losses) + 1)
    bake.series("loss", losses, step=steps)
    for step in TOLD:
        if step <= len(losses):
            recent = losses[max(0, step - RECENT) : step]
            bake.metric(f"loss_{step}", sum(recent) / len(recent), unit="nats", better="lower")
    for name in (LIGHT, CAUSAL):
        light_steps = range(1, len(trainings[name].losses) + 1)
        bake.series(f"{name}_loss", trainings[name].losses, step=light_steps)
    bake.series("accuracy_by_checkpoint", seen["accuracy"], checkpoint=checkpoints, text=["training", "heldout"])
    bake.series(
        "readable_probabilities", seen["probabilities"],
        checkpoint=checkpoints, sentence=[each.shown for each in sentences], letter=list(ALPHABET),
    )  # fmt: skip
    for name, each in (("parameters", MAIN), ("parameters_light", LIGHT), ("parameters_causal", CAUSAL)):
        bake.metric(name, sum(one.numel() for one in trainings[each].model.parameters()))
    both = torch.cat([text.training, text.heldout])
    bake.metric("letters", len(both), unit="letters")
    bake.metric("letters_heldout", len(text.heldout), unit="letters")
    shares = torch.bincount(both, minlength=len(ALPHABET)).double() / len(both)
    bake.metric("unigram_entropy", -(shares * shares.clamp(min=1e-300).log()).sum().item(), unit="nats")
    bake.metric("most_frequent_share", shares.max().item())


# ---------------------------------------------------------------------------------------------- measurement


def record_positions(bake: Bake, found: dict[str, Answers]) -> None:
    """Losses by position on both parts. As in the book, what is said of the edges is measured on the text that was
    trained on; the same on the part held out stands under "_heldout".
    """
    for part, prefix, suffix in (("training", "trained_", ""), ("heldout", "", "_heldout")):
        here = by_position(found[part], bake.parameters["window"])
        record_curve(bake, f"{prefix}loss_by_position", here)
        bake.metric(f"interior{suffix}", here.interior, unit="nats", better="lower")
        for edge, place in (("edge_first", 0), ("edge_last", -1)):
            bake.metric(f"{edge}{suffix}", here.mean[place], unit="nats")
            bake.metric(f"{edge}_ratio{suffix}", here.mean[place].item() / here.interior)
        bake.metric(f"interior_lowest{suffix}", here.mean[1:-1].min(), unit="nats")
        bake.metric(f"interior_highest{suffix}", here.mean[1:-1].max(), unit="nats")


def record_light(bake: Bake, asked: Masked, light: TransformerEncoder, causal: TransformerEncoder) -> None:
    """The same letters of the part held out, asked of both models of equal size."""
    for name, reader in ((LIGHT, both_sides(light)), (CAUSAL, left_side(causal))):
        found = answers(reader, asked)
        here = by_position(found, bake.parameters["window"])
        record_curve(bake, f"{name}_by_position", here)
        bake.metric(f"{name}_accuracy", found.accuracy, better="higher")
        bake.metric(f"{name}_loss_heldout", found.losses.double().mean(), unit="nats", better="lower")
        bake.metric(f"{name}_interior", here.interior, unit="nats", better="lower")
        bake.metric(f"{name}_edge_first", here.mean[0], unit="nats")
        bake.metric(f"{name}_edge_last", here.mean[-1], unit="nats")


def record_curve(bake: Bake, name: str, here: ByPosition) -> None:
    for suffix, values in (("", here.mean), ("_low", here.low), ("_high", here.high)):
        bake.series(f"{name}{suffix}", values)


# ------------------------------------------------------------------------------------------------ sentences


def shown_sentences(text: Text, seed: int, count: int) -> list[Sentence]:
    """The book's three, which stand in the text that is trained on, then those drawn from the part held out."""
    readable = [Sentence(OPENING, place, True) for place in GAPS]
    return [*readable, *drawn_sentences(text.heldout, seed, count, len(OPENING))]


def record_sentences(
    bake: Bake, model: TransformerEncoder, causal: TransformerEncoder, sentences: list[Sentence]
) -> None:
    both, left = (probabilities(reader, sentences) for reader in (both_sides(model), left_side(causal)))
    told = []
    for sentence, row, left_row in zip(sentences, both, left, strict=True):
        truth = ALPHABET.index(sentence.truth)
        told.append({
            "shown": sentence.shown,
            "text": sentence.text,
            "place": sentence.place,
            "truth": sentence.truth,
            "origin": "training text" if sentence.trained else "held out",
            "probability": row[truth].item(),
            "rank": 1 + int((row > row[truth]).sum()),
            "top": likeliest(row, 5),
            "left_probability": left_row[truth].item(),
            "left_rank": 1 + int((left_row > left_row[truth]).sum()),
            "left_top": likeliest(left_row, 5),
        })  # fmt: skip
    bake.example("sentences", told)
    readable = [each for each in told if each["origin"] == "training text"]
    bake.metric("readable_worst_rank", max(each["rank"] for each in readable), better="lower")
    unseen = [each for each in told if each["origin"] == "held out"]
    bake.metric("heldout_sentences_right", sum(each["rank"] == 1 for each in unseen), better="higher")


@torch.no_grad()
def record_terms(bake: Bake, model: TransformerEncoder, text: Text) -> None:
    """The objective on one window, term by term: the book's sentence, its letters hidden by the stream "terms"."""
    given = bake.parameters
    drawn_masks = draw_masked(
        encode(OPENING), bake.seed, "terms", length=len(OPENING), share=given["masked_share"], count=1
    )
    logits = both_sides(model)(drawn_masks)
    log_p = logits.double().log_softmax(dim=-1)
    places = drawn_masks.hidden[0].nonzero()[:, 0].tolist()
    terms = [
        {
            "place": place,
            "letter": OPENING[place],
            "probability": math.exp(row[ALPHABET.index(OPENING[place])].item()),
            "loss": -row[ALPHABET.index(OPENING[place])].item(),
        }
        for place, row in zip(places, log_p, strict=True)
    ]
    mean = sum(term["loss"] for term in terms) / len(terms)
    bake.example("terms", {"text": OPENING, "shown": decode(drawn_masks.inputs[0]), "terms": terms, "mean": mean})
    bake.metric("terms_mean", mean, unit="nats")


def record_late_token(bake: Bake, light: TransformerEncoder, causal: TransformerEncoder, text: Text) -> None:
    """The two models of equal size on the first window of the part held out, before and after a late letter of it
    becomes the next letter of the alphabet."""
    place = bake.parameters["late_place"]
    window = windows_at(text.heldout, torch.tensor([0]), bake.parameters["window"])[0]
    other = (int(window[place]) + 1) % len(ALPHABET)
    bidirectional, one_sided = (moved(reader, window, place, other) for reader in late_readers(light, causal))
    bake.series("moved_bidirectional", bidirectional)
    bake.series("moved_causal", one_sided)
    bake.metric("moved_bidirectional_first", bidirectional[0])
    bake.metric("moved_bidirectional_before", bidirectional[:place].min())
    bake.metric("moved_causal_before", one_sided[: place + 1].max())
    changed = window.clone()
    changed[place] = other
    bake.example("late_token", {"text": decode(window), "changed": decode(changed), "place": place})


def late_readers(light: TransformerEncoder, causal: TransformerEncoder) -> tuple[Reader, Reader]:
    return both_sides(light), left_side(causal)


# ------------------------------------------------------------------------------------------ what is published


def quantised(bake: Bake, model: TransformerEncoder) -> TransformerEncoder:
    """The model with the weights that are published: eight bits a number, one scale a row."""
    kept = bake.quantised_weights(bake.parameters["steps"], model.state_dict())
    shipped = encoder(bake)
    shipped.load_state_dict({name: torch.as_tensor(array) for name, array in kept.items()})
    return shipped


@torch.no_grad()
def record_probe(bake: Bake, shipped: TransformerEncoder, asked: Masked) -> None:
    """In float64, as all engines compute, so that they can be held to each other tightly."""
    tokens = asked.inputs[:PROBED]
    bake.probe(
        "maskedEncoder",
        {"tokens": tokens, "num_heads": bake.parameters["num_heads"]},
        {"logits": shipped.double()(tokens).logits},
        checkpoint=bake.parameters["steps"],
    )


# ------------------------------------------------------------------------------------------------- pictures

LEFT, BOTTOM = 0.62, 0.62  # inches, where a chart begins


@masked_characters.draw(
    "training",
    size=(6.4, 3.2),
    alt="Loss on hidden letters over the updates: first a plateau where only letter frequencies are learned, then a "
    "steep fall, then a slow one. Marked are the means of the fifty losses before updates 500, 1000 and 2000.",
)
def draw_training(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    losses = run.series["loss"].values
    steps = range(1, len(losses) + 1)
    charts.heading(axes, LEFT, height - 0.25, "loss, nats a hidden letter")
    chart = charts.panel(axes, LEFT, BOTTOM, width - LEFT - 0.55, height - BOTTOM - 0.5)
    chart.plot(steps, losses, color="#c5c7cc", linewidth=0.4)
    window = RECENT
    means = [sum(losses[i : i + window]) / window for i in range(len(losses) - window + 1)]
    drawing.curve(chart, steps[window - 1 :], means)
    told = [step for step in TOLD if f"loss_{step}" in run.metrics]
    charts.points(chart, told, [run.metrics[f"loss_{step}"].value for step in told], charts.MARK, 26)
    for step in told:
        value = run.metrics[f"loss_{step}"].value
        charts.label(chart, step, value + 0.22, f"{value:.2f}", charts.MARK, align="center")
    entropy = run.metrics["unigram_entropy"].value
    charts.dashed(chart, [0, steps[-1]], [entropy, entropy])
    charts.label(chart, steps[-1], entropy + 0.13, "letter frequencies alone", drawing.SOFT, align="right", bold=False)
    chart.set_xlim(0, steps[-1])
    chart.set_ylim(0, 3.5)
    drawing.ticks(chart.xaxis, [0, 500, 1000, 1500, 2000])
    drawing.ticks(chart.yaxis, [0, 1, 2, 3])
    charts.axis_name(axes, LEFT + (width - LEFT - 0.55) / 2, 0.2, "updates")


@masked_characters.draw(
    "by-position",
    size=(6.4, 3.9),
    alt="Loss by the position of the hidden letter in its window, text held out, with 95 % bands. The large model is "
    "flat but for both edges, where it is about twice as high. Of the two small ones, the model that reads both sides "
    "has the same shape; the causal one falls from the left edge on, and is worse than it but at the right edge.",
)
def draw_by_position(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    charts.heading(axes, LEFT, height - 0.25, "loss, nats a hidden letter, held-out text")
    chart = charts.panel(axes, LEFT, BOTTOM, width - LEFT - 1.45, height - BOTTOM - 0.5)
    for name, color, words in (
        ("light_causal_by_position", drawing.KEY, "small, left only"),
        ("light_masked_by_position", drawing.QUERY, "small, both sides"),
        ("loss_by_position", drawing.INK, "large, both sides"),
    ):
        low, mean, high = (run.series[f"{name}{suffix}"].values for suffix in ("_low", "", "_high"))
        places = range(len(mean))
        chart.fill_between(places, low, high, color=color, alpha=0.15, linewidth=0)
        drawing.curve(chart, places, mean, color)
        charts.label(chart, len(mean) + 1, sum(mean[-24:-4]) / 20, words, color)
    chart.set_xlim(0, len(run.series["loss_by_position"].values) - 1)
    chart.set_ylim(0, 3.4)
    drawing.ticks(chart.xaxis, [0, 16, 32, 48, 63])
    drawing.ticks(chart.yaxis, [0, 1, 2, 3])
    charts.axis_name(axes, LEFT + (width - LEFT - 1.45) / 2, 0.2, "position of the letter in its window")


@masked_characters.draw(
    "predictions",
    size=(6.4, 3.55),
    alt="The book's sentence with one letter hidden, three times. For each the five likeliest letters with their "
    "probabilities, as read from both sides and as read by a causal model from the left alone; the true one is marked.",
)
def draw_predictions(run: Run, axes: Axes) -> None:
    draw_sentences(axes, [each for each in run.examples["sentences"] if each["origin"] == "training text"])


@masked_characters.draw(
    "held-out-predictions",
    size=(6.4, 4.6),
    alt="The first four windows drawn from the text held out, one letter hidden in each. For each the five likeliest "
    "letters, as read from both sides and as read by a causal model from the left alone; the true letter is marked "
    "where it is among them.",
)
def draw_heldout_predictions(run: Run, axes: Axes) -> None:
    draw_sentences(axes, [each for each in run.examples["sentences"] if each["origin"] == "held out"][:4])


def draw_sentences(axes: Axes, told: list[dict[str, Any]]) -> None:
    _, height = drawing.card(axes)
    pitch = (height - 0.2) / len(told)
    for number, each in enumerate(told):
        y = height - 0.3 - number * pitch
        write_letters(axes, 0.2, y, each["shown"], {each["place"]})
        for row, (key, words) in enumerate((("top", "both sides"), ("left_top", "left only"))):
            below = y - 0.34 - 0.3 * row
            drawing.write(axes, 0.2, below, words, align="left", size=drawing.SMALL, color=drawing.SOFT)
            for place, guess in enumerate(each[key]):
                write_guess(axes, 1.15 + 0.98 * place, below, guess, right=guess["letter"] == each["truth"])


def write_letters(axes: Axes, left: float, y: float, text: str, marked: set[int], pitch: float = 0.0935) -> None:
    """Letter by letter, so that each has its place; marked ones stand out."""
    for place, letter in enumerate(text):
        color = charts.MARK if place in marked else drawing.INK
        drawing.write(axes, left + (place + 0.5) * pitch, y, letter, color=color, bold=place in marked)


def write_guess(axes: Axes, left: float, y: float, guess: dict[str, Any], *, right: bool) -> None:
    """A letter, a bar as long as it is likely, and its probability."""
    color = charts.MARK if right else drawing.SOFT
    name = "space" if guess["letter"] == " " else guess["letter"]
    size = 7 if guess["letter"] == " " else drawing.TEXT
    axes.barh(y - 0.1, 0.82 * guess["probability"], height=0.035, left=left, color=color, zorder=2)
    drawing.write(axes, left, y, name, align="left", size=size, color=color, bold=right)
    drawing.write(axes, left + 0.82, y, f"{guess['probability']:.2f}", align="right", size=drawing.SMALL, color=color)


@masked_characters.draw(
    "objective",
    size=(6.4, 3.3),
    alt="A window of 64 letters, some of them hidden, and under it the loss term of each hidden letter: minus "
    "the logarithm of the probability that the model gives the letter. Their mean is the loss.",
)
def draw_objective(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    told = run.examples["terms"]
    terms, pitch, left = told["terms"], 0.0935, 0.2
    write_letters(axes, left, height - 0.3, told["text"], set())
    write_letters(axes, left, height - 0.55, told["shown"], {term["place"] for term in terms})
    base, scale = 0.75, (height - 2.15) / max(1.0, *(term["loss"] for term in terms))
    axes.plot([left, left + pitch * len(told["text"])], [base, base], color=drawing.SOFT, linewidth=0.8)
    for term in terms:
        x = left + (term["place"] + 0.5) * pitch
        axes.bar(x, term["loss"] * scale, bottom=base, width=0.07, color=charts.MARK, zorder=2)
        drawing.write(axes, x, base - 0.14, term["letter"] if term["letter"] != " " else "␣", bold=True)
        top = base + term["loss"] * scale + 0.17
        drawing.write(axes, x, top, f"{term['loss']:.2f}", size=7, color=charts.MARK, rotation=90)
    mean = f"loss: the mean of {len(terms)} terms, {told['mean']:.2f} nats"
    drawing.write(axes, width / 2, 0.25, mean, size=drawing.SMALL, color=drawing.SOFT)
    charts.heading(axes, left, height - 0.95, "−log p, nats")


@masked_characters.draw(
    "late-token",
    size=(6.4, 3.2),
    alt="How far the logits for each letter of a window move when one late letter is another, on a logarithmic scale. "
    "Read from both sides, all others move, most of all near the change; read from the left, nothing before it moves.",
)
def draw_late_token(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    both, left_only = (run.series[name].values for name in ("moved_bidirectional", "moved_causal"))
    place = run.examples["late_token"]["place"]
    charts.heading(axes, LEFT, height - 0.25, "largest change of a logit")
    chart = charts.panel(axes, LEFT, BOTTOM, width - LEFT - 1.45, height - BOTTOM - 0.5)
    chart.set_yscale("symlog", linthresh=1e-4, linscale=0.5)
    for values, color, words in ((both, drawing.QUERY, "both sides"), (left_only, drawing.KEY, "left side only")):
        drawing.curve(chart, range(len(values)), values, color)
        charts.points(chart, range(len(values)), values, color, 9)
        axes.text(width - 1.37, height - 0.75 - 0.2 * (color == drawing.KEY), words, size=drawing.SMALL, color=color,
                  weight=600, va="center_baseline")  # fmt: skip
    chart.axvline(place, color=charts.MARK, linewidth=0.8)
    charts.label(chart, place - 0.7, 30, "the changed letter", charts.MARK, align="right")
    chart.set_xlim(-1, len(both))
    chart.set_ylim(-2e-5, 60)
    drawing.ticks(chart.xaxis, [0, 16, 32, 48, 63])
    drawing.ticks(chart.yaxis, [0, 1e-3, 1e-2, 1e-1, 1, 10])
    charts.axis_name(axes, LEFT + (width - LEFT - 1.45) / 2, 0.2, "position of the letter in its window")
