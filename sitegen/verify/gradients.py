"""How far apart two tables of gradients are, tensor by tensor, and both from central differences of the loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sitegen.verify.engines import Arrays, Reference, Twin

DIRECTIONS = 6  # of each tensor
STEP = 1e-5  # along a direction of length 1
SHAKE = 0.1  # so that no weight stands where it started, such as at 0
EXAMPLES = 16  # of the first batch
FLOOR = 1e-6  # a tensor whose gradient is below this share of all of them is judged as if it had this share


def by_tensor(ours: Arrays, theirs: Arrays) -> dict[str, float]:
    """Name -> ‖a − b‖ / max(‖a‖, ‖b‖, 10⁻⁶ ‖all‖); a tensor that one of them lacks is infinitely far apart."""
    import numpy as np

    everything = _norm(*theirs.values())
    return {
        name: _apart(ours[name], theirs[name], everything) if name in ours and name in theirs else np.inf
        for name in sorted(ours.keys() | theirs.keys())
    }


def along_directions(reference: Reference, twin: Twin, weights: Arrays, seed: int) -> Iterator[tuple[str, float]]:
    """(name of an engine and a tensor, how far its gradient is from (loss(w + hv) − loss(w − hv)) / 2h).

    The directions v of one tensor are at random and of length 1; the two vectors of derivatives along them are
    compared as in `by_tensor`.
    """
    import numpy as np

    random = np.random.Generator(np.random.PCG64(seed))
    batch = reference.batch(0, EXAMPLES)
    learned = reference.loss_and_gradients(weights, batch)[1].keys()
    shaken = dict(weights)
    for name in sorted(learned):
        shaken[name] = weights[name] + SHAKE * random.standard_normal(weights[name].shape)
    _, ours = reference.loss_and_gradients(shaken, batch)
    _, theirs = twin.loss_and_gradients(shaken, batch)
    everything = _norm(*theirs.values())
    for name in sorted(ours):
        found: list[tuple[float, float, float]] = []
        for _ in range(min(DIRECTIONS, shaken[name].size)):
            v = random.standard_normal(shaken[name].shape)
            v /= _norm(v)
            ahead, behind = (
                reference.loss_and_gradients({**shaken, name: shaken[name] + sign * STEP * v}, batch)[0]
                for sign in (1, -1)
            )
            slope = (ahead - behind) / (2 * STEP)
            found.append((slope, float((ours[name] * v).sum()), float((theirs[name] * v).sum())))
        slopes, by_hand, by_torch = np.array(found).T
        # a random direction sees this share of a gradient's length
        share = everything * np.sqrt(len(found) / shaken[name].size)
        yield f"{name} by hand", _apart(by_hand, slopes, share)
        yield f"{name} by autograd", _apart(by_torch, slopes, share)


def _apart(one: Any, other: Any, everything: float) -> float:
    scale = max(_norm(one), _norm(other), FLOOR * everything)
    return _norm(one - other) / scale if scale else 0.0


def _norm(*arrays: Any) -> float:
    return float(sum(float((array * array).sum()) for array in arrays) ** 0.5)
