"""The page's engine in Chromium: how fast it decodes and trains, what it weighs, and the same for onnxruntime-web.

Both decode the same six digits with the same baked weights in the same browser, one after the other, round by round.
onnxruntime-web (WebAssembly, one thread, as in any page without special headers) has the model as two ONNX graphs in
float32; the page's own engine computes in float64.
"""

from __future__ import annotations

import gzip
import importlib.util
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
PEER = ROOT / ".venv" / "node" / "node_modules" / "onnxruntime-web" / "dist"
PEER_FILES = ("ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm")
RUN, DIGITS = "reverse-digits", [7, 2, 5, 0, 8, 3]
ROUNDS, DECODES = 15, 100
LIMITS = {"decode ms": 3.0, "training s": 15.0, "gzip bytes": 12 * 1024}

# Leaves in the page what each engine needs, and a function that decodes once.
OURS = """async ({ assets, base, digits }) => {
  const [{ readWeights }, { greedyDecode }] = await Promise.all(
    ["tensor", "transformer"].map((name) => import(`${assets}${name}.js`)));
  const run = await (await fetch(`${base}.json`)).json();
  const bytes = await (await fetch(`${base}.bin`)).arrayBuffer();
  const weights = readWeights(bytes, run.weights, run.parameters.steps);
  window.ours = async () => greedyDecode(weights, digits, digits.length, run.parameters.num_heads).tokens;
  return window.ours();
}"""
PEERS = """async ({ peer, digits }) => {
  const ort = await import(`${peer}ort.wasm.min.mjs`);
  ort.env.wasm.numThreads = 1;
  const load = (name) => ort.InferenceSession.create(`${peer}${name}.onnx`, { executionProviders: ["wasm"] });
  const [encoder, decoder] = [await load("encoder"), await load("decoder")];
  const tokens = (list) => new ort.Tensor("int64", BigInt64Array.from(list, BigInt), [1, list.length]);
  window.peers = async () => {
    const { memory } = await encoder.run({ source: tokens(digits) });
    const written = [];
    while (written.length < digits.length) {
      const { logits } = await decoder.run({ inputs: tokens([10, ...written]), memory });
      const last = [...logits.data.slice(-10)];
      written.push(last.indexOf(Math.max(...last)));
    }
    return written;
  };
  return window.peers();
}"""
TIMED = """async ({ name, decodes }) => {
  const start = performance.now();
  for (let k = 0; k < decodes; k += 1) await window[name]();
  return (performance.now() - start) / decodes;
}"""
TRAINING = """
import { readWeights } from "ASSETStensor.js";
import { parameters, train } from "ASSETStraining.js";
const run = await (await fetch("BASE.json")).json();
const bytes = await (await fetch("BASE.bin")).arrayBuffer();
const weights = readWeights(bytes, run.weights, 0);
const { steps, batch_size, learning_rate, clip, num_heads } = run.parameters;
const settings = { steps, batchSize: batch_size, learningRate: learning_rate, maxNorm: clip, numHeads: num_heads,
  seed: run.seed, length: 6, decay: true };
const start = performance.now();
let step = 0;
let largest = 0;
for (const loss of train(parameters(weights), weights.get("positions").data, settings)) {
  largest = Math.max(largest, Math.abs(loss - run.series.loss.values[step++]));
}
postMessage({ seconds: (performance.now() - start) / 1000, step, largest });
"""
TRAINED = """(url) => new Promise((resolve, reject) => {
  const worker = new Worker(url, { type: "module" });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = () => reject(new Error("the worker could not start"));
})"""


@dataclass
class Measured:
    """What one engine costs; milliseconds of a decode by round, seconds of the training, compressed bytes."""

    name: str
    tokens: list[int]
    gzip_bytes: int
    decode: list[float] = field(default_factory=list)
    training: float | None = None
    difference: float | None = None


def weight_of(files: list[Path]) -> int:
    return sum(len(gzip.compress(path.read_bytes(), 9, mtime=0)) for path in files)


def missing_peer() -> str | None:
    """Why onnxruntime-web cannot be measured here."""
    if not all((PEER / name).is_file() for name in PEER_FILES):
        return "onnxruntime-web is not installed"
    return None if importlib.util.find_spec("onnx") else "the package onnx is not installed, which writes the model"


def export(folder: Path) -> None:
    """The baked model as two ONNX graphs, encoder and decoder, in float32."""
    import torch

    from models.attention.reversal import reverser
    from sitegen import runs

    run = runs.load(ROOT / "build" / "runs" / RUN)
    assert run.weights
    raw = (ROOT / "build" / "runs" / RUN / run.weights.file).read_bytes()
    sizes = {name: run.parameters[name] for name in ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")}
    model = reverser(run.seed, **sizes)
    slices = runs.weights.slices(run.weights, raw, run.parameters["steps"])
    model.load_state_dict(
        {
            name: torch.frombuffer(bytearray(data), dtype=torch.float64).reshape(shape)
            for name, (shape, data) in slices.items()
        }
    )
    model = model.float().eval()

    class Encoder(torch.nn.Module):
        def forward(self, source: torch.Tensor) -> torch.Tensor:
            return model.encode(source)[0]

    class Decoder(torch.nn.Module):
        def forward(self, inputs: torch.Tensor, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            logits, _, cross = model.decode(inputs, memory)
            return logits, cross

    encoder, decoder = Encoder(), Decoder()
    encoder.model = decoder.model = model
    source = torch.tensor([DIGITS])
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            encoder,
            (source,),
            folder / "encoder.onnx",
            input_names=["source"],
            output_names=["memory"],
            dynamo=False,
        )
        torch.onnx.export(
            decoder,
            (torch.zeros(1, 3, dtype=torch.long), model.encode(source)[0]),
            folder / "decoder.onnx",
            input_names=["inputs", "memory"],
            output_names=["logits", "cross"],
            dynamic_axes={"inputs": {1: "length"}, "logits": {1: "length"}, "cross": {3: "length"}},
            dynamo=False,
        )


def measure() -> tuple[list[Measured], str | None]:
    """The page's engine and, where it is installed, its peer; and why the peer is not there."""
    import playwright.sync_api as playwright

    from sitegen.build import build
    from tests.browser.browsing import FLAGS, chromium, served

    if not chromium():
        return [], "no Chromium"
    without = missing_peer()
    with tempfile.TemporaryDirectory() as name, playwright.sync_playwright() as running:
        folder = Path(name)
        build(ROOT, out=folder / "site")
        with served(folder / "site") as address:
            browser = running.chromium.launch(executable_path=chromium(), args=list(FLAGS))
            context = browser.new_context(bypass_csp=True)  # the page forbids WebAssembly, which the peer is
            page = context.new_page()
            page.goto(address + "404.html")
            assets = f"{address}assets/{next((folder / 'site' / 'assets').iterdir()).name}/js/engine/"
            data = next((folder / "site" / "data").glob(f"{RUN}.*.json")).name.removesuffix(".json")
            given = {"assets": assets, "base": f"{address}data/{data}", "digits": DIGITS}
            modules = sorted((folder / "site").glob("assets/*/js/engine/*.js"))
            found = [Measured("this engine", page.evaluate(OURS, given), weight_of(modules))]
            names = ["ours"]
            if not without:
                export(folder)
                _serve_peer(context, f"{address}peer/", folder)
                tokens = page.evaluate(PEERS, {"peer": f"{address}peer/", "digits": DIGITS})
                found.append(Measured("onnxruntime-web", tokens, weight_of([PEER / one for one in PEER_FILES])))
                names.append("peers")
            for one in names:  # until the browser has compiled all it will
                page.evaluate(TIMED, {"name": one, "decodes": 5 * DECODES})
            for _ in range(ROUNDS):
                for one, engine in zip(names, found, strict=True):
                    engine.decode.append(page.evaluate(TIMED, {"name": one, "decodes": DECODES}))
            script = TRAINING.replace("ASSETS", assets).replace("BASE", given["base"])
            url = f"{address}training.js"
            context.route(url, lambda route: route.fulfill(body=script, content_type="text/javascript"))
            trained = page.evaluate(TRAINED, url)
            found[0].training, found[0].difference = trained["seconds"], trained["largest"]
            browser.close()
    return found, without


def _serve_peer(context: Any, address: str, models: Path) -> None:
    types = {".mjs": "text/javascript", ".wasm": "application/wasm", ".onnx": "application/octet-stream"}

    def serve(route: Any) -> None:
        name = route.request.url.removeprefix(address)
        path = (models if name.endswith(".onnx") else PEER) / name
        route.fulfill(body=path.read_bytes(), content_type=types[path.suffix])

    context.route(f"{address}*", serve)


def report(found: list[Measured], without: str | None) -> None:
    if not found:
        Console().print(f"no engine measured: {without}")
        return
    table = Table("engine", "decode ms", "÷ ours", "600 steps s", "gzip bytes", title="in Chromium")
    ours = found[0]
    for one in found:
        table.add_row(
            one.name,
            judged(min(one.decode), "decode ms", one is ours),
            f"{min(one.decode) / min(ours.decode):.2f}",
            "" if one.training is None else judged(one.training, "training s", True),
            judged(one.gzip_bytes, "gzip bytes", one is ours),
        )
    console = Console()
    console.print(table)
    console.print(f"the training's losses differ from the baked ones by at most {ours.difference:.1e}")
    if without:
        console.print(f"no peer: {without}")


def judged(value: float, what: str, ours: bool) -> str:
    shown = f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"
    if not ours:
        return shown
    return f"{shown} of {LIMITS[what]:,.0f} {'holds' if value <= LIMITS[what] else 'PASSED'}"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    report(*measure())
