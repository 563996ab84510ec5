/**
 * A published run, as the bytes that came over the line, to what can be said of it: whether they are those that were
 * baked, and how far a computation from inputs and weights alone comes from what was baked.
 *
 * @typedef {{ json: ArrayBuffer, weights: ArrayBuffer | null, digest: string }} Published
 * @typedef {{ compared: number, largest: number, where: string, hashed: boolean }} Finding
 */
import { recompute } from "./engine/probes.js";
import { readWeights } from "./engine/tensor.js";
import { sha256 } from "./sha256.js";

/** The run is not what was baked; any other error only means that this could not be found out. */
export class Disagreement extends Error {}

/** What a computation may differ by. */
export const TOLERANCE = 1e-9;

/**
 * Throws a Disagreement, in words, at whatever is not as it was baked. `hashed` is false where the browser keeps sha256 from a page
 * that did not come over https.
 * @param {Published} published `digest` is what the page says of the run
 * @returns {Promise<Finding>}
 */
export async function verify({ json, weights, digest }) {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(json);
  await hold("the JSON", "is not the one this page was made with", new TextEncoder().encode(canonical(text)), digest);
  const run = parsed(text);
  if (run.weights) {
    if (!weights) throw new Error("the weights are missing");
    await hold("the weights file", "is not the one that was baked", weights, run.weights.sha256);
  }
  const read = run.weights && run.probe.checkpoint !== null;
  const named = read && weights ? readWeights(weights, run.weights, run.probe.checkpoint) : new Map();
  const finding = await recompute(run, named);
  if (!(finding.largest <= TOLERANCE)) {
    throw new Disagreement(`${finding.where} differs by ${told(finding.largest)}, more than ${told(TOLERANCE)}`);
  }
  return { ...finding, hashed: Boolean(globalThis.crypto?.subtle) };
}

/**
 * The text that a run's digest is taken of: the file has line breaks and indents put in, and the line of the digest.
 * @param {string} text
 */
export function canonical(text) {
  return text.replace(/\n "digest":"[0-9a-f]{64}",?(?=\n)/, "").replace(/\n */g, "");
}

/** "1,104 numbers, largest difference 8.0e-15; sha256 as stated". @param {Finding} finding */
export function words({ compared, largest, hashed }) {
  const hash = hashed ? "sha256 as stated" : "sha256 not compared, which a browser does only over https";
  return `${compared.toLocaleString("en")} numbers, largest difference ${told(largest)}; ${hash}`;
}

/** 8.0e-15, or 0. @param {number} value */
function told(value) {
  return value === 0 ? "0" : value.toExponential(1);
}

/** @param {string} what @param {string} wrong @param {BufferSource} bytes @param {string} expected */
async function hold(what, wrong, bytes, expected) {
  const found = await sha256(bytes);
  if (found === null || found === expected) return;
  throw new Disagreement(`${what} ${wrong}: its sha256 is ${found.slice(0, 12)}…, not ${expected.slice(0, 12)}…`);
}

/** @param {string} text */
function parsed(text) {
  try {
    const run = JSON.parse(text);
    if (!run.probe) throw new Error("no probe");
    return run;
  } catch {
    throw new Error("the JSON is no run that can be recomputed");
  }
}
