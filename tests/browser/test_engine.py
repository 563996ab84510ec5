"""The page's arithmetic, as published, in Chromium: it recomputes every baked probe and follows the baked training."""

from __future__ import annotations

import gzip
import json
import math
from array import array
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Engine = Callable[..., Any]
RUNS = Path(__file__).parents[2] / "build" / "runs"
PROBED = [
    path.parent.name
    for path in sorted(RUNS.glob("*/run.json"))
    if json.loads(path.read_text("utf-8"))["probe"] is not None
]
CLOSE = 1e-9
LATER = ("perceiver.js", "wirings.js", "wired-probes.js")  # of chapter two: fetched where a probe or instrument asks

# the published run's probe, recomputed
RECOMPUTED = """async ({ published, readWeights, recompute }, name) => {
  const { run, bytes } = await published(name);
  const weights = bytes ? readWeights(bytes, run.weights, run.probe.checkpoint) : new Map();
  return recompute(run, weights);
}"""


def baked(name: str) -> dict[str, Any]:
    return json.loads((RUNS / name / "run.json").read_text("utf-8"))


def numbers(packed: str) -> array[float]:
    """Float64s that the page has packed into text."""
    found = array("d")
    found.frombytes(b64decode(packed))
    return found


def test_the_engine_weighs_at_most_twelve_kilobytes_and_its_later_part_three(site: Path):
    weights = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in site.glob("assets/*/js/engine/*.js")}
    later = [weights.pop(name) for name in LATER]

    assert len(weights) >= 10
    assert sum(weights.values()) <= 12 * 1024
    assert sum(later) <= 3 * 1024


# ------------------------------------------------------------------------------------------------------- probes


def test_there_are_probes_to_recompute():
    assert len(PROBED) >= 8


@pytest.mark.parametrize("name", PROBED)
def test_every_number_of_a_probe_is_recomputed_from_inputs_and_weights(engine: Engine, name: str):
    outputs = baked(name)["probe"]["outputs"]

    found = engine(RECOMPUTED, name)

    assert found["compared"] == sum(len(one["values"]) for one in outputs.values()) > 0
    assert found["largest"] <= CLOSE, found["where"]


@pytest.mark.parametrize("name", PROBED)
def test_expected_outputs_are_read_only_to_compare(engine: Engine, name: str):
    """With other expected numbers the engine computes the same, so that the difference is what was added to them."""
    found = engine(
        """async ({ published, readWeights, recompute }, name) => {
          const { run, bytes } = await published(name);
          const weights = bytes ? readWeights(bytes, run.weights, run.probe.checkpoint) : new Map();
          const [output, { values }] = Object.entries(run.probe.outputs).at(-1);
          values[values.length - 1] += 0.25;
          return { ...(await recompute(run, weights)), changed: `${output}[${values.length - 1}]` };
        }""",
        name,
    )

    assert found["largest"] == pytest.approx(0.25, abs=CLOSE)
    assert found["where"] == found["changed"]


def test_a_probe_that_cannot_be_recomputed_says_why(engine: Engine):
    said = engine(
        """async ({ published, readWeights, recompute }, name) => {
          const { run, bytes } = await published(name);
          const weights = readWeights(bytes, run.weights, run.probe.checkpoint);
          const tried = async (change, without) => {
            const copy = structuredClone(run);
            change(copy.probe);
            const fewer = new Map([...weights].filter(([key]) => key !== without));
            try { return (await recompute(copy, fewer)).compared } catch (error) { return error.message }
          };
          const first = Object.keys(run.probe.outputs)[0];
          return Promise.all([
            tried((probe) => { probe.engine = "perpetuum" }),
            tried((probe) => { probe.outputs.more = { shape: [1], values: [0] } }),
            tried((probe) => { probe.outputs[first].shape = [7] }),
            tried((probe) => { probe.outputs[first].values.pop() }),
            tried((probe) => { probe.outputs = {} }),
            tried(() => {}, weights.keys().next().value),
          ]);
        }""",
        "attention-heads",
    )

    assert said[0] == "this page has no engine called perpetuum"
    assert said[1] == "the engine does not compute more"
    assert "is not (7)" in said[2]
    assert "numbers are baked" in said[3]
    assert said[4] == "the probe holds no numbers"
    assert said[5].startswith("no weight named ")


def test_a_result_that_is_no_number_is_the_largest_difference(engine: Engine):
    found = engine(
        """async ({ published, recompute }, name) => {
          const { run } = await published(name);
          run.probe.inputs.queries[0][0] = NaN;
          const { largest, where } = await recompute(run, new Map());
          return [String(largest), where];
        }""",
        "soft-lookup",
    )

    assert found[0] == "NaN"
    assert found[1] in ("answers[0]", "scores[0]", "weights[0]")


# ------------------------------------------------------------------------------------------------------ weights


def test_weights_are_read_exactly_as_baked(engine: Engine):
    name = "reverse-digits"
    raw = (RUNS / name / "weights.bin").read_bytes()

    found = engine(
        """async ({ published, readWeights, packed }, name) => {
          const { run, bytes } = await published(name);
          const steps = [...new Set(run.weights.tensors.map((one) => one.checkpoint))];
          const entries = (step) => [...readWeights(bytes, run.weights, step)];
          return steps.map((step) => entries(step).map(([key, { data }]) => [key, packed(data)]));
        }""",
        name,
    )

    entries = baked(name)["weights"]["tensors"]
    assert [key for step in found for key, _ in step] == [entry["name"] for entry in entries]
    assert b"".join(b64decode(text) for step in found for _, text in step) == raw


def test_float32_weights_are_read_too(engine: Engine):
    index = {"dtype": "float32", "tensors": [{"checkpoint": 3, "name": "w", "shape": [2], "offset": 4}]}

    found = engine(
        "({ readWeights }, index) => [...readWeights(Float32Array.of(9, 0.5, -1.25).buffer, index, 3).get('w').data]",
        index,
    )

    assert found == [0.5, -1.25]


def test_weights_that_end_early_or_lack_a_step_are_errors(engine: Engine):
    index = {"dtype": "float64", "tensors": [{"checkpoint": 0, "name": "w", "shape": [3], "offset": 0}]}

    said = engine(
        """({ readWeights }, index) => [0, 8].map((step) => {
          try { return readWeights(new ArrayBuffer(23), index, step).size } catch (error) { return error.message }
        })""",
        index,
    )

    assert said == ["weights end before w", "no weights at step 8"]


# --------------------------------------------------------------------------------------------------- primitives


def test_erf_is_within_three_units_in_the_last_place(engine: Engine):
    grid = [k / 1000 for k in range(-6500, 6501)] + [s * 10.0**-k for k in range(1, 320) for s in (1, -1)]

    found = numbers(engine("({ erf, packed }, grid) => packed(grid.map(erf))", grid))

    off = [abs(value - math.erf(x)) / math.ulp(math.erf(x)) for x, value in zip(grid, found, strict=True)]
    assert max(off) <= 3
    assert engine("({ erf }) => [Infinity, -Infinity].map(erf)") == [1, -1]


def test_a_masked_score_weighs_nothing_and_an_empty_row_reads_nothing(engine: Engine):
    found = engine(
        """({ softmax, tensor }) => {
          const scores = tensor([3, 3], [1000, 1001, 5000, 1, 1, 1, -Infinity, 0, -Infinity]);
          const of = (mask) => [...softmax(scores, mask && Uint8Array.from(mask)).data];
          return [of([1, 1, 0, 0, 0, 0, 1, 1, 1]), of([0, 0, 1]), of([0, 0, 0])];
        }"""
    )

    tail = 1 / (1 + math.e)
    assert found[0] == pytest.approx([tail, 1 - tail, 0, 0, 0, 0, 0, 1, 0], rel=1e-15)
    assert found[1] == [0, 0, 1, 0, 0, 1, 0, 0, 0]
    assert found[2] == [0] * 9


def test_shapes_that_do_not_fit_are_errors(engine: Engine):
    said = engine(
        """({ linear, add, embedding, tensor, at, stack, need, place }) => [
          () => linear(tensor([1, 2], [1, 2]), tensor([1, 3], [1, 2, 3])),
          () => add(tensor([2], [1, 2]), tensor([3], [1, 2, 3])),
          () => embedding(tensor([2, 1], [1, 2]), [2]),
          () => tensor([2, 2], [1, 2, 3]),
          () => at(tensor([2], [1, 2]), 2),
          () => stack([]),
          () => need(new Map(), "W_q.weight"),
          () => place(new Map(["table", "positions"].map((name) => [name, tensor([1, 1], [1])])), "table", [0, 0]),
        ].map((act) => { try { return act() } catch (error) { return error.message } })"""
    )

    assert said == [
        "linear: 2 features meet weights for 3",
        "add: (2) and (3)",
        "symbol 2 outside a table of 2",
        "3 values do not fill the shape (2, 2)",
        "index 2 outside an axis of length 2",
        "nothing to stack",
        "no weight named W_q.weight",
        "2 tokens, but positions for 1",
    ]


def test_kernels_are_what_their_names_say_and_an_empty_window_is_undefined(engine: Engine):
    found = engine(
        """({ KERNELS, estimate, meanAbsoluteError }) => ({
          kernels: Object.fromEntries(Object.entries(KERNELS).map(([name, of]) => [name, [0, 0.5, -1, 2].map(of)])),
          estimates: ["boxcar", "constant"].map((kernel) => estimate(10, [0, 1, 2], [3, 6, 9], kernel, 1)),
          errors: [meanAbsoluteError([1, null, 4], [2, 0, 1]), meanAbsoluteError([null], [1])],
        })"""
    )

    assert found["kernels"] == {
        "gaussian": [1, pytest.approx(math.exp(-1 / 8)), pytest.approx(math.exp(-1 / 2)), pytest.approx(math.exp(-2))],
        "boxcar": [1, 1, 1, 0],
        "constant": [1, 1, 1, 1],
        "epanechnikov": [1, 0.75, 0, 0],
        "triangular": [1, 0.5, 0, 0],
    }
    assert found["estimates"] == [None, 6]
    assert found["errors"] == [2, None]


# ------------------------------------------------------------------------------------------------------ streams


@pytest.mark.parametrize(
    ("seed", "purpose", "start", "words"),
    [
        (0, "batches", 0, [0xFE4EB63A, 0x421EA7B8, 0x8F90B670, 0xAC7B85CF]),
        (4294967295, "fresh", 1_000_000, [0xB7C74ADF, 0x382F3490, 0x9951BE6C]),
        (1, "", 4294967295, [0xD4F1BE51, 0xAB4C3E70]),
    ],
)
def test_a_stream_gives_the_published_words(engine: Engine, seed: int, purpose: str, start: int, words: list[int]):
    script = "({ words }, seed, purpose, count, start) => [...words(seed, purpose, count, start)]"

    assert engine(script, seed, purpose, len(words), start) == words


def test_hashes_and_integers_are_the_published_ones(engine: Engine):
    found = engine(
        """({ mix, fnv1a, integers }) => [
          [0, 1, 0xffffffff].map(mix), ["", "batches", "é"].map(fnv1a),
          integers(0, "batches", 12, 10), integers(0, "batches", 5, 10, 7),
        ]"""
    )

    digits = [9, 2, 5, 6, 2, 9, 7, 4, 9, 9, 5, 7]
    assert found == [[0, 1753845952, 1734902346], [0x811C9DC5, 3328449387, 513665217], digits, digits[7:]]


# ----------------------------------------------------------------------------------------------------- training


def test_a_product_in_blocks_is_the_product(engine: Engine):
    """Whole numbers, so that no order of summing can matter; all sizes around those of a block."""
    wrong = engine(
        """({ addProduct }) => {
          const wrong = [];
          const filled = (length, seed) => Float64Array.from({ length }, (_, k) => ((k + seed) * 7919) % 23 - 11);
          for (const m of [1, 2, 3, 4, 5]) for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9]) for (const depth of [1, 2, 5]) {
            const [A, B, C] = [filled(m * depth, 1), filled(n * depth, 2), filled(m * n, 3)];
            const expected = C.map((c, k) => {
              let sum = c;
              for (let d = 0; d < depth; d++) sum += A[Math.floor(k / n) * depth + d] * B[(k % n) * depth + d];
              return sum;
            });
            addProduct(A, B, C, m, n, depth);
            if (String(C) !== String(expected)) wrong.push([m, n, depth]);
          }
          return wrong;
        }"""
    )

    assert wrong == []


# Each parameter of the reverser at both its checkpoints: its gradient as written by hand, and by central differences.
DIFFERENCES = """async ({ published, readWeights, parameters, teacherForcedLoss, batch, Tape }, step, numHeads) => {
  const { run, bytes } = await published("reverse-digits");
  const weights = readWeights(bytes, run.weights, step);
  const positions = weights.get("positions").data;
  const settings = { seed: 5, batchSize: 1, length: 6, numHeads };
  const source = batch(settings, 0);
  const model = parameters(weights);
  const memory = new Tape();
  const loss = () => teacherForcedLoss(model, positions, source, settings, memory).loss;
  teacherForcedLoss(model, positions, source, settings).tape.backward();
  const h = 1e-5;
  const result = {};
  for (const [name, { data, grad }] of model) {
    const differences = data.map((value, k) => {
      data[k] = value + h;
      const above = loss();
      data[k] = value - h;
      const below = loss();
      data[k] = value;
      return (above - below) / (2 * h);
    });
    result[name] = [[...grad], [...differences]];
  }
  return result;
}"""


# trained weights read with a wrong number of heads: a loss that is not so small that its differences are rounding
@pytest.mark.parametrize(("step", "num_heads"), [(0, 2), (600, 4)])
def test_gradients_written_by_hand_are_the_slopes_of_the_loss(engine: Engine, step: int, num_heads: int):
    found = engine(DIFFERENCES, step, num_heads)

    everything = math.sqrt(sum(value**2 for grad, _ in found.values() for value in grad))
    assert sum(len(grad) for grad, _ in found.values()) == baked("reverse-digits")["metrics"]["parameters"]["value"]
    for name, (grad, slopes) in found.items():
        allowed = 1e-6 * max(math.hypot(*grad), math.hypot(*slopes), 1e-6 * everything)
        assert math.dist(grad, slopes) <= allowed, name


def test_training_in_the_page_follows_the_bake_all_the_way(engine: Engine):
    baked_losses = baked("reverse-digits")["series"]["loss"]["values"]

    losses = engine(
        """async ({ published, readWeights, parameters, train }) => {
          const { run, bytes } = await published("reverse-digits");
          const weights = readWeights(bytes, run.weights, 0);
          const { steps, batch_size, learning_rate, clip, num_heads } = run.parameters;
          const settings = { steps, batchSize: batch_size, learningRate: learning_rate, maxNorm: clip,
            numHeads: num_heads, seed: run.seed, length: 6, decay: true };
          return [...train(parameters(weights), weights.get("positions").data, settings)];
        }"""
    )

    assert len(losses) == len(baked_losses) == 601
    assert max(abs(one - two) for one, two in zip(losses, baked_losses, strict=True)) <= CLOSE


def test_the_memory_of_a_pass_is_used_again_without_a_trace(engine: Engine):
    """Two passes on one tape, with batches of two sizes between, are each the pass of a tape of its own."""
    alike = engine(
        """async ({ published, readWeights, parameters, teacherForcedLoss, batch, Tape }) => {
          const { run, bytes } = await published("reverse-digits");
          const weights = readWeights(bytes, run.weights, 0);
          const positions = weights.get("positions").data;
          const tape = new Tape();
          const pass = (size, step, ...kept) => {
            const settings = { seed: 1, batchSize: size, length: 6, numHeads: 2 };
            const model = parameters(weights);
            const { loss, tape } = teacherForcedLoss(model, positions, batch(settings, step), settings, ...kept);
            tape.backward();
            return JSON.stringify([loss, ...[...model.values()].map(({ grad }) => [...grad])]);
          };
          return [[4, 0], [2, 1], [4, 2]].map(([size, step]) => pass(size, step, tape) === pass(size, step));
        }"""
    )

    assert alike == [True, True, True]
