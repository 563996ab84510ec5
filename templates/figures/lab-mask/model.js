/** Where the model is fetched, once and on demand, held against its sha256, and asked beside the page. */

import { sha256 } from "../../js/sha256.js";

/** @typedef {{ letter: string, probability: number }} Guess */
/** @typedef {{ sha256: string, dtype: string, tensors: import("../../js/engine/tensor.js").Entry[] }} Index */
/** @typedef {{ asked: number, guesses: Guess[][], milliseconds: number }} Answer */

/**
 * Bytes of a weights file, from its index.
 * @param {Index} index
 */
export function weightsSize(index) {
  const width = (/** @type {string} */ dtype) => (dtype === "float64" ? 8 : dtype === "float32" ? 4 : 1);
  const ends = index.tensors.map(({ shape, offset, dtype, scale }) => {
    const values = offset + shape.reduce((size, length) => size * length, 1) * width(dtype ?? index.dtype);
    return Math.max(values, scale === undefined ? 0 : scale + 4 * (shape[0] ?? 1));
  });
  return Math.max(0, ...ends);
}

/**
 * @param {string} address
 * @param {number} total bytes
 * @param {(share: number) => void} progress
 */
async function fetched(address, total, progress) {
  let response;
  try {
    response = await fetch(address);
  } catch {
    throw new Error("The model did not arrive: is there a network?");
  }
  if (!response.ok || !response.body) throw new Error(`The model did not arrive: the server answered ${response.status}.`);
  const reader = response.body.getReader();
  const bytes = new Uint8Array(total);
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (length + part.value.length > total) throw new Error("The model that arrived is longer than the one that was baked.");
    bytes.set(part.value, length);
    length += part.value.length;
    progress(length / total);
  }
  if (length < total) throw new Error("The model arrived in part only.");
  return bytes;
}

/**
 * @param {string} address
 * @param {Index} index
 * @param {{ checkpoint: number, numHeads: number }} settings
 * @param {(answer: Answer) => void} answered
 * @param {(problem: string) => void} failed
 */
export function model(address, index, settings, answered, failed) {
  /** @type {Worker | null} */
  let worker = null;
  let asked = 0;
  return {
    ready: () => worker !== null,
    /** Rejects, in words, if it cannot be had. @param {(share: number) => void} progress */
    async load(progress) {
      const bytes = await fetched(address, weightsSize(index), progress);
      const hash = await sha256(bytes);
      if (hash !== null && hash !== index.sha256) throw new Error("The model that arrived is not the one that was baked: its sha256 differs.");
      worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      worker.addEventListener("message", ({ data }) => {
        if (data.problem) failed(`The model could not compute: ${data.problem}.`);
        else if (data.asked === asked) answered(data); // what was asked before is out of date
      });
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        failed("The model could not start in this browser.");
      });
      worker.postMessage({ weights: bytes.buffer, index, ...settings }, [bytes.buffer]);
    },
    /** @param {string} text @param {number[]} hidden */
    ask(text, hidden) {
      asked += 1;
      worker?.postMessage({ asked, text, hidden });
    },
    destroy() {
      worker?.terminate();
    },
  };
}
