"""Whatever is tampered with, `verify` says which run, where, and by which check; untampered, it passes.

Every mutation of a run is tried as it is and with every digest recomputed, so that no digest can tell; every mutation
of a model is tried as it is and with the run declared to be made by it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.closure import Sources
from sitegen.runs.text import digest, laid_out, sha256
from sitegen.verify import Verdict, verify

pytestmark = pytest.mark.bake
ROOT = Path(__file__).parents[2]
ALIGNMENT, REVERSER, LOOKUP = "bahdanau-alignment", "reverse-digits", "soft-lookup"
STRINGS = "reverse-strings"
Mutation = Callable[[Path], None]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("content", "models", "templates/fonts/stills"):
        shutil.copytree(ROOT / name, site / name, ignore=ignored)
    for run in (ALIGNMENT, REVERSER, LOOKUP, STRINGS):
        shutil.copytree(ROOT / "build/runs" / run, site / "build/runs" / run)
    return site


@pytest.fixture
def site(untouched: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(untouched, tmp_path / "site"))


def checked(site: Path, run: str, *checks: str) -> Verdict:
    return verify(site, names=(run,), checks=checks, jobs=2, report=lambda event: None)


def told(verdict: Verdict) -> dict[str, str]:
    """Check that failed -> what it says, with the place."""
    return {one.check: "\n".join(map(str, one.findings)) for one in verdict.failed}


# ------------------------------------------------------------------------------------------------ tampering


def run_json(site: Path, run: str) -> Path:
    return site / "build/runs" / run / "run.json"


def edit_run(site: Path, run: str, change: Callable[[dict[str, Any]], None]) -> None:
    """A change in run.json that leaves every digest as it was."""
    path = run_json(site, run)
    tree = json.loads(path.read_text("utf-8"))
    change(tree)
    path.write_text(laid_out(tree), "utf-8")


def seal(site: Path, run: str, *, closure: bool = False) -> None:
    """Recompute every digest of a run; with `closure`, say that it was made by the code that is there."""
    path = run_json(site, run)
    tree = json.loads(path.read_text("utf-8"))
    for each in (tree["weights"], *tree["images"].values()):
        if each:
            each["sha256"] = sha256((path.parent / each["file"]).read_bytes())
    if closure:
        module = tree["provenance"]["recipe"].split(":")[0]
        tree["provenance"]["closure"] = Sources(site).closure(module).digests
    tree["digest"] = digest(tree)
    path.write_text(laid_out(tree), "utf-8")


def replace(site: Path, path: str, before: str, after: str) -> None:
    text = (site / path).read_text("utf-8")
    assert text.count(before) == 1, f"{path} says {before!r} {text.count(before)} times"
    (site / path).write_text(text.replace(before, after), "utf-8")


def change_a_digit(site: Path) -> None:
    def change(tree: dict[str, Any]) -> None:
        values = tree["series"]["loss"]["values"]
        text = repr(values[7])
        values[7] = float(text[:-1] + ("1" if text[-1] != "1" else "2"))

    edit_run(site, ALIGNMENT, change)


def change_a_weight(site: Path) -> None:
    path = site / "build/runs" / ALIGNMENT / "weights.bin"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def swap_pictures(site: Path) -> None:
    folder = site / "build/runs" / LOOKUP
    cold, hot = (folder / "cold.png").read_bytes(), (folder / "hot.png").read_bytes()
    (folder / "cold.png").write_bytes(hot)
    (folder / "hot.png").write_bytes(cold)


def change_a_constant(site: Path) -> None:
    replace(site, "models/attention/scores.py", "torch.tanh(hidden)", "torch.tanh(0.99 * hidden)")


def drop_the_mask(site: Path) -> None:
    replace(site, "models/attention/transformer.py", "(X, X, X, causal_mask(X.shape[1]))", "(X, X, X, None)")


def look_ahead(site: Path) -> None:
    replace(
        site, "models/wirings/encoder_decoder.py", "(normed, normed, normed, target_mask)", "(normed, normed, normed)"
    )


def read_padding(site: Path) -> None:
    replace(site, "models/wirings/encoder_decoder.py", "(self.norm2(X), memory, memory, cross_mask)",
            "(self.norm2(X), memory, memory)")  # fmt: skip


def forget_the_bias_correction(site: Path) -> None:
    replace(site, "models/attention/adam.py", "rate / (1 - self.powers[0])", "rate")


def flip_a_sign(site: Path) -> None:
    replace(site, "models/reference/layers.py", "(1 - hidden * hidden)", "(1 + hidden * hidden)")


def flip_a_sign_of_the_norm(site: Path) -> None:
    replace(site, "models/reference/layers.py", "(dN - along_one - normalised", "(dN + along_one - normalised")


# ---------------------------------------------------------------------------------------------------- runs


def test_untampered_runs_pass(site: Path):
    assert (
        told(checked(site, ALIGNMENT, "files", "freshness", "rebake", "parity", "gradients", "decodes", "steps")) == {}
    )
    assert told(checked(site, LOOKUP, "files", "freshness", "rebake", "parity", "claims")) == {}
    assert told(checked(site, REVERSER, "files", "freshness", "parity", "gradients", "claims")) == {}


def test_a_digit_of_a_series_is_found_by_its_digest_and_by_a_rebake(site: Path):
    change_a_digit(site)

    found = told(checked(site, ALIGNMENT, "files", "rebake"))

    assert "build/runs/bahdanau-alignment/run.json:" in found["files"]
    assert "digest mismatch" in found["files"]
    assert "series.loss[step=7]" in found["rebake"]


def test_with_a_new_digest_the_digit_is_found_by_a_rebake_and_by_every_training_step(site: Path):
    change_a_digit(site)
    seal(site, ALIGNMENT)

    found = told(checked(site, ALIGNMENT, "files", "rebake", "steps"))

    assert set(found) <= {"rebake", "steps"}
    assert "series.loss[step=7]" in found["rebake"]


def test_a_weight_is_found_by_its_digest(site: Path):
    change_a_weight(site)

    found = told(checked(site, ALIGNMENT, "files"))

    assert set(found) == {"files"}
    assert "weights.bin was changed after it was baked" in found["files"]


def test_with_a_new_digest_the_weight_is_found_by_a_rebake_and_by_the_other_engine(site: Path):
    change_a_weight(site)
    seal(site, ALIGNMENT)

    found = told(checked(site, ALIGNMENT, "files", "rebake", "parity"))

    assert set(found) == {"rebake", "parity"}
    assert "weights.score.w.weight[checkpoint=100, number=7]" in found["rebake"]
    assert "probe.outputs.scores" in found["parity"]


def test_swapped_pictures_are_found_by_their_digests(site: Path):
    swap_pictures(site)

    assert "cold.png was changed after it was baked" in told(checked(site, LOOKUP, "files"))["files"]


def test_with_new_digests_the_pictures_are_found_by_drawing_them(site: Path):
    swap_pictures(site)
    seal(site, LOOKUP)

    found = told(checked(site, LOOKUP, "files", "rebake"))

    assert "cold.png is not what run.json draws" in found["files"]
    assert "hot.png is not what run.json draws" in found["files"]
    assert "images.cold" in found["rebake"]


# -------------------------------------------------------------------------------------------------- models


@pytest.mark.parametrize(
    ("mutation", "module", "run"),
    [
        (change_a_constant, "models.attention.scores", ALIGNMENT),
        (drop_the_mask, "models.attention.transformer", REVERSER),
        (look_ahead, "models.wirings.encoder_decoder", STRINGS),
        (forget_the_bias_correction, "models.attention.adam", ALIGNMENT),
    ],
)
def test_a_changed_model_makes_its_run_stale(site: Path, mutation: Mutation, module: str, run: str):
    mutation(site)

    found = told(checked(site, run, "freshness"))

    assert f"run '{run}' is stale: module {module} changed" in found["freshness"]


def test_a_constant_is_found_by_the_other_engine_and_by_a_rebake(site: Path):
    change_a_constant(site)
    seal(site, ALIGNMENT, closure=True)

    found = told(checked(site, ALIGNMENT, "files", "freshness", "rebake", "parity"))

    assert set(found) == {"rebake", "parity"}
    assert "logits on words 0, weights of step 100" in found["parity"]
    assert "series.attention[checkpoint=" in found["rebake"]


@pytest.mark.parametrize(
    ("mutation", "run", "first"),
    [
        (drop_the_mask, REVERSER, "decoder_attention on strings, weights of step 0"),
        (look_ahead, STRINGS, "decoder_attention on strings, weights of step 600"),
        (read_padding, STRINGS, "cross_attention on ragged strings, weights of step 600"),
    ],
)
def test_a_dropped_mask_is_found_by_the_other_engine(site: Path, mutation: Mutation, run: str, first: str):
    mutation(site)
    seal(site, run, closure=True)

    found = told(checked(site, run, "files", "freshness", "parity"))

    assert set(found) == {"parity"}
    assert first in found["parity"]


def test_a_missing_bias_correction_is_found_at_the_first_training_step(site: Path):
    forget_the_bias_correction(site)
    seal(site, ALIGNMENT, closure=True)

    found = told(checked(site, ALIGNMENT, "files", "freshness", "parity", "gradients", "steps"))

    assert set(found) == {"steps"}
    assert "score.w.weight after step 1" in found["steps"]


@pytest.mark.parametrize(
    ("mutation", "run", "tensor"),
    [
        (flip_a_sign, ALIGNMENT, "gradient of score.W_q.weight"),
        (flip_a_sign_of_the_norm, REVERSER, "gradient of decoder.0.addnorm1.norm.bias"),
    ],
)
def test_a_sign_in_the_way_back_is_found_by_autograd_and_by_differences(
    site: Path, mutation: Mutation, run: str, tensor: str
):
    mutation(site)

    found = told(checked(site, run, "freshness", "parity", "gradients"))

    assert set(found) == {"gradients"}
    assert tensor in found["gradients"]
    assert "by hand" in found["gradients"]
    assert "by autograd" not in found["gradients"]


def test_a_false_claim_is_found_where_it_stands(site: Path):
    path = next((site / "content").glob("*/*transformer.md"))
    text = path.read_text("utf-8")
    assert 'claims = ["' in text or "claims = [" in text
    path.write_text(text.replace("claims = [", 'claims = ["reverse-digits.metrics.exact_match < 1", ', 1), "utf-8")

    found = told(checked(site, REVERSER, "claims"))

    assert f"{path.relative_to(site).as_posix()}:" in found["claims"]
    assert "is false: measured 1.0" in found["claims"]
