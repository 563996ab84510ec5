import math
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from models.attention.dot_products import (
    RAW_EDGES,
    normal_shares,
    random_dot_products,
    random_scores,
    shares,
    softmax_gradient_norm,
)
from sitegen.runs import load

pytestmark = pytest.mark.bake

RUN = Path(__file__).parents[2] / "build/runs/dot-product-variance"


def test_at_every_size_the_variance_is_within_two_percent_of_d_and_the_scaled_one_of_one():
    run = load(RUN)
    assert run.parameters["draws"] >= 100_000
    variance, scaled = run.series["variance"], run.series["scaled_variance"]
    assert variance.coordinates["d"] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    for d, raw, divided in zip(variance.coordinates["d"], variance.values, scaled.values, strict=True):
        assert raw == pytest.approx(d, rel=0.02)
        assert divided == pytest.approx(1, rel=0.02)


def test_the_draws_of_a_seed_are_the_same_again_and_fresh_at_each_call():
    one, other = (torch.Generator().manual_seed(3) for _ in range(2))
    first = torch.cat(list(random_dot_products(8, 100, one)))
    assert torch.equal(first, torch.cat(list(random_dot_products(8, 100, other))))
    assert not torch.equal(first, torch.cat(list(random_dot_products(8, 100, one))))


def test_a_count_that_is_no_multiple_of_the_chunk_is_drawn_in_full():
    generator = torch.Generator().manual_seed(0)
    assert [len(part) for part in random_dot_products(4, 250, generator, chunk=100)] == [100, 100, 50]
    assert random_scores(4, 250, 10, generator, chunk=100).shape == (250, 10)


def test_the_gradient_norm_is_that_of_torchs_own_jacobian():
    scores = torch.randn(5, 10, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    for row in scores:
        jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(dim=-1), row)
        assert_close(softmax_gradient_norm(row.softmax(dim=-1)), jacobian.norm())


def test_the_gradient_is_gone_when_one_weight_is_one():
    assert softmax_gradient_norm(torch.tensor([0.0, 1.0, 0.0])).item() == 0


def test_shares_count_what_lies_in_each_bin_and_drop_what_lies_outside():
    values = torch.tensor([-9.0, 0.0, 0.5, 1.0, 1.5, 2.0], dtype=torch.float64)
    assert_close(shares(values, [0, 1, 2]), torch.tensor([2 / 6, 2 / 6]))


def test_the_normal_distributions_shares_are_those_of_its_error_function():
    expected = [math.erf(2 / math.sqrt(2)) - math.erf(1 / math.sqrt(2))]
    assert_close(normal_shares([1, 2]) * 2, torch.tensor(expected, dtype=torch.float64))


def test_scaled_histograms_near_the_normal_as_d_grows_until_only_sampling_noise_is_left():
    """The distance falls like 1/d, as the excess kurtosis 6/d does: about 0.021 at 16, and noise from 32 on."""
    series = load(RUN).series["distance_to_normal"]
    distance = dict(zip(series.coordinates["d"], series.values, strict=True))
    for d in (2, 4, 8, 16):
        assert distance[d] == pytest.approx(distance[d // 2] / 2, rel=0.3)
    assert all(distance[d] < 0.015 for d in (32, 64, 128, 256, 512))


def test_raw_histograms_flatten_as_d_grows():
    raw = load(RUN).series["raw_histogram"]
    peaks = [max(row) for row in raw.rows()]
    assert peaks == sorted(peaks, reverse=True)
    assert len(raw.coordinates["score"]) == len(RAW_EDGES) - 1


def test_raw_scores_saturate_the_softmax_and_scaled_ones_do_not():
    run = load(RUN)
    largest, entropy, gradient = (list(run.series[n].rows()) for n in ("largest_weight", "entropy", "gradient_norm"))
    raw, scaled = 0, 1
    assert largest[raw] == sorted(largest[raw])
    assert entropy[raw] == sorted(entropy[raw], reverse=True)
    assert gradient[raw][-1] < 0.25 * gradient[raw][0]
    assert max(largest[scaled]) < 0.35
    assert min(gradient[scaled]) > 0.3


def test_the_masked_batch_gives_padding_nothing_and_the_bug_gives_it_a_share():
    run = load(RUN)
    weights, leaking = run.series["masked_weights"], run.series["zero_masked_weights"]
    for sequence, valid in enumerate(run.parameters["valid_lens"]):
        for query in range(2):
            row = weights.at(sequence, query)
            assert sum(row) == pytest.approx(1 if valid else 0)
            assert not any(row[valid:])
            assert sum(leaking.at(sequence, query)) == pytest.approx(1)
    assert run.metrics["padding_weight"].value == 0
    assert run.metrics["padding_weight_with_zero"].value > 0.1
    assert run.metrics["all_masked_row_sum"].value == 0
