"""The page's arithmetic, as published, in Chromium, beside torch in float64 on inputs that no run holds."""

from __future__ import annotations

from array import array
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.attention import fashion_mnist, garments, reversal
from models.attention.attention import MultiHeadAttention, causal_mask
from models.attention.scores import AdditiveScore, masked_softmax
from models.attention.streams import Stream
from models.attention.transformer import Transformer
from models.attention.vision import VisionTransformer
from sitegen import runs
from sitegen.schema import Run

pytestmark = pytest.mark.bake
Engine = Callable[..., Any]
RUNS = Path(__file__).parents[2] / "build" / "runs"


def numbers(packed: str) -> Tensor:
    """Float64s that the page has packed into text."""
    found = array("d")
    found.frombytes(b64decode(packed))
    return torch.tensor(found, dtype=torch.float64)


def load(model: nn.Module, run: Run, step: int) -> None:
    """Gives a model the weights that a run has baked."""
    assert run.weights
    raw = (RUNS / run.run / run.weights.file).read_bytes()
    tensors = runs.weights.slices(run.weights, raw, step)
    state = {
        name: torch.frombuffer(bytearray(data), dtype=torch.float64).reshape(shape)
        for name, (shape, data) in tensors.items()
    }
    model.load_state_dict(state)


def reverser(step: int) -> Transformer:
    run = runs.load(RUNS / "reverse-digits")
    sizes = {name: run.parameters[name] for name in ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")}
    model = reversal.reverser(run.seed, **sizes)
    load(model, run, step)
    return model


def normals(*shape: int, purpose: str = "numbers") -> Tensor:
    count = torch.Size(shape).numel()
    return torch.from_numpy(Stream(11, purpose).normals(count)).reshape(shape)


def given(x: Tensor) -> dict[str, Any]:
    return {"shape": list(x.shape), "data": x.flatten().tolist()}


def largest(one: Tensor, other: Tensor) -> float:
    assert one.numel() == other.numel() > 0
    return float((one.flatten() - other.flatten()).abs().max())


# -------------------------------------------------------------------------------------------------------- models


@torch.no_grad()
def test_a_thousand_random_strings_give_the_same_logits_maps_and_decodes(engine: Engine):
    model = reverser(600)
    sources = torch.from_numpy(Stream(2024, "beside").integers(6000, 10)).reshape(1000, 6)
    inputs = model.shift(sources.flip(1))

    found = engine(
        """async ({ published, readWeights, encode, decode, greedyDecode, packed }, sources, inputs) => {
          const { run, bytes } = await published("reverse-digits");
          const weights = readWeights(bytes, run.weights, 600);
          const parts = { logits: [], encoder: [], self: [], cross: [] };
          const decodes = sources.map((source, k) => {
            const read = encode(weights, source, 2);
            const written = decode(weights, inputs[k], read.memory, 2);
            parts.logits.push(...written.logits.data);
            for (const { data } of read.attention) parts.encoder.push(...data);
            for (const { data } of written.self) parts.self.push(...data);
            for (const { data } of written.cross) parts.cross.push(...data);
            return greedyDecode(weights, source, 6, 2).tokens;
          });
          return { decodes, ...Object.fromEntries(Object.entries(parts).map(([name, all]) => [name, packed(all)])) };
        }""",
        sources.tolist(),
        inputs.tolist(),
    )

    expected = model(sources, inputs)
    assert found["decodes"] == model.greedy_decode(sources, 6).tolist()
    assert largest(numbers(found["logits"]), expected.logits) <= 1e-12
    assert largest(numbers(found["encoder"]), expected.encoder_attention) <= 1e-12
    assert largest(numbers(found["self"]), expected.decoder_attention) <= 1e-12
    assert largest(numbers(found["cross"]), expected.cross_attention) <= 1e-12


@torch.no_grad()
def test_a_greedy_decode_tells_the_chances_and_maps_of_each_moment(engine: Engine):
    model = reverser(0)  # untrained: what it writes is not the mirror
    source = torch.tensor([[7, 2, 5, 0, 8, 3]])
    written = model.greedy_decode(source, 6)
    expected = model(source, model.shift(written))

    found = engine(
        """async ({ published, readWeights, greedyDecode, packed }, source) => {
          const { run, bytes } = await published("reverse-digits");
          const read = greedyDecode(readWeights(bytes, run.weights, 0), source, 6, 2);
          return { ...read, probabilities: packed(read.probabilities.data), cross: packed(read.cross.data) };
        }""",
        source[0].tolist(),
    )

    assert found["tokens"] == written[0].tolist()
    assert largest(numbers(found["probabilities"]), expected.logits[0].softmax(-1)) <= 1e-12
    cross = expected.cross_attention[0, -1].transpose(0, 1)  # (position, head, key)
    assert largest(numbers(found["cross"]), cross) <= 1e-12


@torch.no_grad()
def test_a_hundred_garments_give_the_same_logits_and_maps(engine: Engine):
    run = runs.load(RUNS / "garment-vit")
    sizes = {name: run.parameters[name] for name in garments.SIZES}
    model = garments.classifier(run.seed, **sizes)
    assert isinstance(model, VisionTransformer)
    load(model, run, run.parameters["steps"])
    kept = fashion_mnist.load_subset(fashion_mnist.SUBSET)
    images = garments.tensors(kept.part(len(kept.labels) - 100, 100)).images

    found = engine(
        """async ({ published, readWeights, patches, visionTransformer, packed }, images) => {
          const { run, bytes } = await published("garment-vit");
          const { steps, patch_size, num_heads } = run.parameters;
          const weights = readWeights(bytes, run.weights, steps);
          const [logits, maps] = [[], []];
          for (const image of images) {
            const read = visionTransformer(weights, patches(image, patch_size), num_heads);
            logits.push(...read.logits.data);
            for (const { data } of read.attention) maps.push(...data);
          }
          return [packed(logits), packed(maps)];
        }""",
        images.tolist(),
    )

    expected = model(images)
    assert largest(numbers(found[0]), expected.logits) <= 1e-12
    assert largest(numbers(found[1]), expected.attention) <= 1e-12


# ----------------------------------------------------------------------------------------------------- gradients


def test_gradients_written_by_hand_are_those_of_autograd(engine: Engine):
    model = reverser(0)
    loss = reversal.teacher_forced_loss(model, reversal.batch(0, 0, 128))
    loss.backward()

    found = engine(
        """async ({ published, readWeights, parameters, teacherForcedLoss, batch, packed }) => {
          const { run, bytes } = await published("reverse-digits");
          const weights = readWeights(bytes, run.weights, 0);
          const model = parameters(weights);
          const settings = { seed: 0, batchSize: 128, length: 6, numHeads: run.parameters.num_heads };
          const positions = weights.get("positions").data;
          const { loss, tape } = teacherForcedLoss(model, positions, batch(settings, 0), settings);
          tape.backward();
          return { loss, grads: [...model].map(([name, { grad }]) => [name, packed(grad)]) };
        }"""
    )

    assert abs(found["loss"] - loss.item()) <= 1e-14
    grads = dict(found["grads"])
    assert grads.keys() == {name for name, _ in model.named_parameters()}
    for name, parameter in model.named_parameters():
        assert largest(numbers(grads[name]), parameter.grad) <= 1e-10, name


# ---------------------------------------------------------------------------------------------------- primitives


@torch.no_grad()
def test_norms_and_activations_are_torchs(engine: Engine):
    x, gamma, beta = normals(7, 12) * 3, normals(12, purpose="gamma"), normals(12, purpose="beta")
    wide = torch.linspace(-40, 40, 4001, dtype=torch.float64)

    found = engine(
        """({ layerNorm, rmsNorm, gelu, silu, relu, packed }, x, gamma, beta, wide) => ({
          layer: packed(layerNorm(x, gamma, beta).data), rms: packed(rmsNorm(x, gamma).data),
          gelu: packed(wide.map(gelu)), silu: packed(wide.map(silu)), relu: packed(wide.map(relu)),
        })""",
        given(x),
        given(gamma),
        given(beta),
        wide.tolist(),
    )

    assert largest(numbers(found["layer"]), functional.layer_norm(x, (12,), gamma, beta)) <= 1e-14
    assert largest(numbers(found["rms"]), functional.rms_norm(x, (12,), gamma, 1e-6)) <= 1e-14
    assert largest(numbers(found["gelu"]), functional.gelu(wide)) <= 1e-14
    assert largest(numbers(found["silu"]), functional.silu(wide)) <= 1e-14
    assert numbers(found["relu"]).equal(wide.relu())


@torch.no_grad()
def test_a_masked_softmax_is_the_chapters_own(engine: Engine):
    scores = normals(5, 3, 6) * 20
    valid = torch.tensor([6, 3, 1, 0, 5])

    found = engine(
        """({ softmax, paddingMask, packed }, scores, valid) => scores.map((one, k) =>
          packed(softmax(one, paddingMask(valid[k], 6)).data))""",
        [given(one) for one in scores],
        valid.tolist(),
    )

    expected = masked_softmax(scores, valid)
    assert largest(torch.stack([numbers(one) for one in found]), expected) <= 1e-15
    assert numbers(found[3]).count_nonzero() == 0


@torch.no_grad()
@pytest.mark.parametrize("mask", [None, "causal", "padding"])
def test_multi_head_attention_is_torchs_with_any_mask(engine: Engine, mask: str | None):
    length, width, heads = 5, 12, 3
    model = MultiHeadAttention(width, heads).double()
    for name, parameter in model.named_parameters():
        parameter.copy_(normals(*parameter.shape, purpose=name) / 3)
    x = normals(length, width)
    seen = {"causal": causal_mask(length), "padding": torch.arange(length) < 3, None: None}[mask]
    expected, weights = model(x[None], x[None], x[None], seen)

    found = engine(
        """({ multiHeadAttention, causalMask, paddingMask, packed }, state, x, heads, mask) => {
          const weights = new Map(Object.entries(state));
          const masks = { causal: causalMask(5), padding: paddingMask(3, 5) };
          const read = multiHeadAttention(weights, "a", x, x, heads, masks[mask]);
          return [packed(read.output.data), packed(read.weights.data)];
        }""",
        {f"a.{name}": given(parameter) for name, parameter in model.named_parameters()},
        given(x),
        heads,
        mask,
    )

    assert largest(numbers(found[0]), expected) <= 1e-13
    assert largest(numbers(found[1]), weights) <= 1e-14


@torch.no_grad()
def test_a_projection_has_a_bias_where_the_weights_have_one(engine: Engine):
    layer = nn.Linear(4, 3).double()

    found = engine(
        "({ linear, packed }, x, w, b) => packed(linear(x, w, b).data)",
        given(x := normals(2, 5, 4)),
        given(layer.weight),
        given(layer.bias),
    )

    assert largest(numbers(found), layer(x)) <= 1e-15


@torch.no_grad()
def test_additive_attention_scores_queries_and_keys_of_two_sizes(engine: Engine):
    score = AdditiveScore(3, 5, 4).double()
    queries, keys = normals(2, 3, purpose="queries"), normals(6, 5, purpose="keys")
    scores = score(queries[None], keys[None])[0]

    found = engine(
        """({ additiveAttention, packed }, state, queries, keys) => {
          const read = additiveAttention(new Map(Object.entries(state)), "", queries, keys, keys);
          return [read.scores, read.weights, read.output].map(({ data }) => packed(data));
        }""",
        {name: given(parameter) for name, parameter in score.named_parameters()},
        given(queries),
        given(keys),
    )

    expected = (scores, scores.softmax(-1), scores.softmax(-1) @ keys)
    assert [largest(numbers(one), other) <= 1e-14 for one, other in zip(found, expected, strict=True)] == [True] * 3
