"""One run against its pictures and its engines, in a worker process: what `python -m sitegen.verify` does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sitegen import runs, values
from sitegen.bake.pictures import draw
from sitegen.bake.worker import Job, Tell, check_versions, load_recipe, pin_libraries
from sitegen.closure import Sources
from sitegen.errors import RunError
from sitegen.runs.decode import decode_unsealed
from sitegen.runs.freshness import still_font_files
from sitegen.schema import Image, Location, Run, Timings
from sitegen.verify.compare import Comparison
from sitegen.verify.engines import Reference, Twin, reference_of, twin_of
from sitegen.verify.gradients import along_directions, by_tensor

OUTPUTS = 1e-12
AUTOGRAD = 1e-10
DIFFERENCES = 1e-6
STEP = 1e-12
FREE = 1e-9


def examine(job: Job, tell: Tell) -> dict[str, Any]:
    """Do the checks that the job names; each is told as soon as it is done."""
    check_versions()
    sources = Sources(job.site_dir).closure(job.info.module)
    pin_libraries(sources)
    recipe = load_recipe(job, sources)
    folder = runs.runs_folder(job.site_dir) / job.info.name
    run = decode_unsealed((folder / "run.json").read_bytes(), job.info.name, "run.json")
    if "files" in job.checks:
        timings = _timings(folder, run)
        drawn = draw(run, recipe.pictures, still_font_files(job.site_dir), timings)
        images = run.images | (timings.images if timings else {})
        _tell(tell, "files", _pictures(folder, images, drawn))
    reference = reference_of(job.info)
    if reference is None:
        return {}
    examined = _Examined(job, run, reference, twin_of(reference, job.info), tell)
    for check in ("parity", "gradients", "decodes", "steps"):
        if check in job.checks and (found := getattr(examined, check)()):
            _tell(tell, check, found)
    return {}


def _tell(tell: Tell, check: str, comparisons: Mapping[str, Comparison]) -> None:
    measures = {name: one.measure for name, one in comparisons.items() if one.count}
    findings = [finding for one in comparisons.values() for finding in one.findings]
    tell({"event": "outcome", "check": check, "measures": measures, "findings": findings})


def _timings(folder: Path, run: Run) -> Timings | None:
    """What was measured; where that is damaged, it was told."""
    try:
        return runs.load_timings(folder, run)
    except RunError:
        return None


def _pictures(folder: Path, images: Mapping[str, Image], drawn: Mapping[str, bytes]) -> dict[str, Comparison]:
    pictures = Comparison("pictures", 0.0)
    for name, image in sorted(images.items()):
        path = folder / image.file
        same = path.is_file() and path.read_bytes() == drawn.get(name)
        pictures.fact(f"images.{name}", same, f"{image.file} is not what run.json draws")
    return {"pictures": pictures}


class _Examined:
    """A run, its engines, and what each check finds: name of a measure -> comparison."""

    def __init__(self, job: Job, run: Run, reference: Reference, twin: Twin | None, tell: Tell) -> None:
        self.run, self.reference, self.twin = run, reference, twin
        self.name, self._info, self._tell = job.info.name, job.info, tell
        self.checkpoints = _checkpoints(job, run)

    def parity(self) -> dict[str, Comparison]:
        probe, inputs, layers = (Comparison(name, OUTPUTS) for name in ("probe", "inputs", "layers"))
        if self.run.probe:
            given = self.run.probe
            weights = self.checkpoints[given.checkpoint] if given.checkpoint is not None else {}
            found = self.reference.forward(weights, given.inputs)
            for name, array in given.outputs.items():
                probe.arrays(f"probe.outputs.{name}", array.values, found.get(name))
        if self.twin:
            for step, weights in self.checkpoints.items():
                for case, given_inputs in self.reference.cases():
                    theirs = self.twin.forward(weights, given_inputs)
                    ours = self.reference.forward(weights, given_inputs)
                    for name in theirs:
                        inputs.arrays(f"{name} on {case}, weights of step {step}", theirs[name], ours.get(name))
            for name, ours_there, theirs_there in self.twin.opinions() if hasattr(self.twin, "opinions") else ():
                layers.arrays(name, theirs_there, ours_there)
        return {"probe": probe, "inputs": inputs, "layers": layers}

    def gradients(self) -> dict[str, Comparison]:
        if not self.twin or not hasattr(self.reference, "loss_and_gradients"):
            return {}
        autograd, differences = Comparison("autograd", AUTOGRAD), Comparison("differences", DIFFERENCES)
        start = self.reference.untrained()
        for step, weights in {0: start, **self.checkpoints}.items():
            _, ours = self.reference.loss_and_gradients(weights, self.reference.batch(0))
            _, theirs = self.twin.loss_and_gradients(weights, self.reference.batch(0))
            for name, difference in by_tensor(ours, theirs).items():
                autograd.number(f"gradient of {name}, weights of step {step}", difference)
        found = along_directions(self.reference, self.twin, start, self.run.seed)
        for name, difference in found:
            differences.number(f"gradient of {name}", difference)
        return {"autograd": autograd, "differences": differences}

    def decodes(self) -> dict[str, Comparison]:
        if not hasattr(self.reference, "recounted"):
            return {}
        decodes, known = Comparison("decodes", 0.0), values.Known({self.name: self.run})
        for path, again in self.reference.recounted(self.checkpoints, self.run.examples):
            said = values.lookup(f"{self.name}.{path}", known, Location("run.json"))
            decodes.fact(path, said == again, f"the run says {said}, made again it is {again}")
        return {"decodes": decodes}

    def steps(self) -> dict[str, Comparison]:
        twin = twin_of(self.reference, self._info)  # untrained, unlike the one that had weights to compare
        if not twin or not hasattr(self.reference, "step"):
            return {}
        loss, weights = Comparison("loss", STEP), Comparison("weights", STEP)
        free, trace = Comparison("free", FREE), Comparison("trace", FREE)
        reference, total = self.reference, self.reference.steps
        paced, alone = reference.optimiser(), reference.optimiser()
        told = self.run.series["loss"].values
        own: Mapping[str, Any] = reference.untrained()
        expected = own
        for step, (theirs, state) in enumerate(twin.training()):
            self._tell({"event": "progress", "step": step, "total": total, "values": {"loss": theirs}})
            for name in state:  # after no step, they are those that both make from the seed
                weights.arrays(f"{name} after step {step}", state[name], expected.get(name), relative=False)
            for name, kept in self.checkpoints.get(step, {}).items():
                weights.arrays(f"{name} kept at checkpoint {step}", state[name], kept, relative=False)
            trace.number(f"series.loss[step={step}]", abs(theirs - told[step]))
            if step == total:
                break
            ours, expected = reference.step(state, paced, step)
            loss.number(f"loss before step {step + 1}", abs(ours - theirs))
            ours, own = reference.step(own, alone, step)
            free.number(f"loss before step {step + 1}, running free", abs(ours - theirs))
        return {"loss": loss, "weights": weights, "free": free, "trace": trace}


def _checkpoints(job: Job, run: Run) -> dict[int, dict[str, Any]]:
    """Training step -> name -> array, in float64."""
    import numpy

    if run.weights is None:
        return {}
    data = runs.load_weights(runs.runs_folder(job.site_dir) / run.run, run)
    kind = "<f8" if run.weights.dtype == "float64" else "<f4"
    return {
        step: {
            name: numpy.frombuffer(raw, kind).astype("float64").reshape(shape)
            for name, (shape, raw) in runs.slices(run.weights, data, step).items()
        }
        for step in runs.checkpoints(run.weights)
    }
